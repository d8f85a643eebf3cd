// Package table declares the output tables of a run, and writes and reads them.
//
// A table is declared once, as data, in a file of its own, which registers it in
// init: the name of each column with its unit, the narrowest exact type, a line
// of documentation, how its value is got from a row, and which records of a
// replay the rows are made of. The writer, the reader, docs/tables.md, the list behind
// --tables and the tests come from that declaration.
//
// To add a table, write that file; ctas.go is a pattern for rows that are records
// of the model, metrics.go for rows that are made of others. Then
// go test ./replay/table -update writes docs/tables.md and the golden of all columns.
//
// Rules that hold for all tables:
//
//  1. Trace, machine, settings and policy of a row are the hive keys of its path,
//     OUT/<table>/trace=<name>/gpu=<name>/set=<settings>/policy=<name>/part-0.parquet,
//     and not columns of the file: pyarrow refuses a data set in which a key is both.
//     All four are there in every path: DuckDB and polars refuse files of other keys.
//  2. Absent is NULL, never -1 or 0.
//  3. Counts, sizes and ids are int64, so that differences and joins work in every
//     engine; page numbers alone are unsigned. Unsigned columns are never nullable
//     and lists hold signed integers: the minimum and maximum that the Parquet
//     writer records are wrong otherwise.
//  4. Enumerations are plain strings, which Parquet encodes as a dictionary.
//  5. Rows come in the order of their end, or of their time where they have no
//     end, and that order is the same in every run; so are all bytes, but for
//     those of the table performance.
//  6. Times are cycles of the SM clock. Columns in nanoseconds derive from them
//     by the clock of [Options], rounded to the nearest.
//
// This is the one package that imports Arrow and Parquet.
package table
