// Package container reads and writes the binary form of a trace, trace.zst.
// docs/format.md describes every byte.
//
// [Writer] takes a trace record by record. Its memory does not grow with the trace.
// [Reader] opens any kernel at any CTA without reading what comes before it.
//
// The rows of a block are stored by column, and each column as its differences:
//
//   - section.go, field.go, spec.go: sections of columns, and the columns of each table;
//   - ctawrite.go, ctaread.go: blocks of CTAs, whose warps share paths and masks;
//   - pathcode.go, maskcode.go, accesscode.go: the codes of paths, masks and addresses;
//   - blockcache.go, keptctas.go, readahead.go: which unpacked blocks a reader keeps;
//   - rules.go: the rules that writer, reader and [Verify] share.
package container
