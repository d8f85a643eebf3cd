// Package serve shows a folder of tables as a page in a browser (`replay serve`): the report, and each table with
// filters, sorting and a plot that zooms.
//
// Choices:
//
//  1. The page answers one machine alone: the command listens on the loopback address, and a request whose Host is
//     another name is refused, so that no foreign site reads the tables through a name of its own.
//  2. Requests name tables, never paths. A table whose file lies outside the folder, behind a link, is refused.
//  3. A reply has at most 20,000 rows and says how many rows there are; a filter of trace, GPU or policy counts before
//     that limit. Memory is bounded by it.
//  4. The scripts are published files of uPlot and Tabulator, unchanged but for the reference to their source maps;
//     their licences lie beside them.
package serve
