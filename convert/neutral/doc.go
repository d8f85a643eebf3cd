// Package neutral converts a folder of tables, as replay/table/neutral declares
// them, into a trace: those that `replay export` wrote, or some of them that
// anyone's own tool produced.
//
// All tables are read side by side in one pass over the kernels. Whatever a
// table names that another does not have, and rows out of order, are errors
// with file and row; columns and tables that are not known are counted.
package neutral
