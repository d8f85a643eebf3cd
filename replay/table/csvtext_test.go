package table

import "testing"

// No text is a formula to a spreadsheet, and each is as it was when it is read.
func TestCSVText(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "f": "f", "=1+1": "'=1+1", "-x": "'-x", "+x": "'+x", "@x": "'@x", "\tx": "'\tx", "\rx": "'\rx",
		"'": "'", "'f": "'f", "'=x": "''=x", "''-x": "'''-x", "f=1": "f=1", "void f()": "void f()",
	} {
		cell := CSVText(text)
		if cell != want {
			t.Errorf("%q becomes %q, want %q", text, cell, want)
		}
		if back := textOfCSV(cell); back != text {
			t.Errorf("%q comes back as %q", text, back)
		}
	}
	for _, cell := range []string{"-5", "=x", "1,2", "'f"} { // of other tools
		if textOfCSV(cell) != cell {
			t.Errorf("%q is read as %q", cell, textOfCSV(cell))
		}
	}
}
