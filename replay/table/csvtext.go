package table

import "strings"

// Spreadsheets take a cell that begins with one of these for a formula. Such a text gets an apostrophe in front,
// which they do not show. A text that begins with apostrophes and then one of these gets another. So a reader which
// takes one away has every text as it was.
const formulas = "=+-@\t\r"

func isFormula(s string) bool {
	s = strings.TrimLeft(s, "'")
	return s != "" && strings.IndexByte(formulas, s[0]) >= 0
}

// CSVText is a text as a cell of a CSV file.
func CSVText(s string) string {
	if isFormula(s) {
		return "'" + s
	}
	return s
}

// textOfCSV is the text of a cell.
func textOfCSV(cell string) string {
	if strings.HasPrefix(cell, "'") && isFormula(cell) {
		return cell[1:]
	}
	return cell
}
