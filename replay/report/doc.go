// Package report makes one HTML page of the tables of a run or a sweep (`replay report`): a summary, a section for
// each table, and the source of the figures.
//
// The page needs no network and runs no script; a content security policy in it says so to the browser. Plots are
// SVG in the page, drawn by the template of the page, so that every name in them is escaped where it stands; beside
// each is a table of its values. Colours follow the reader's light or dark theme.
//
// Choices:
//
//  1. The bytes depend on the tables alone: not on the clock, not on the folder's name, and the table performance is
//     left out.
//  2. Where a sweep varies settings, a bar of speedup is the geometric mean over them, with the range beside it, and
//     a curve over one setting is the geometric mean over the others. Stalls are summed.
//  3. Curves over time have at most 240 points: means over equal parts of the longest run of a plot. The table
//     beside them has tenths. Up to six share a plot; of more each has a small one of its own, with the baseline in
//     it.
//  4. A page has at most 400 rows of the summary and 16 plots of a section, of four combinations of trace, machine
//     and settings, and progress of the 8 kernels that take longest; it says what it leaves out. The tables have all
//     of it.
//  5. Memory is bounded by the number of runs, not by the length of tables: percentiles are of counts by size,
//     within 0.4 %.
//  6. Time is cycles, and ms where all that is known of kernels is how long they took. Stalls that are NULL are left
//     out, and counted; other results of inferred work are marked as estimates.
//  7. A PDF is drawn from the SVG of its plot, with a font of its own in it, as publishers ask for.
package report
