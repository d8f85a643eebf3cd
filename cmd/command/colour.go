package command

import "os"

// Codes of a terminal's colours.
const (
	green = "32"
	red   = "31"
	bold  = "1"
)

// colour gives a text a colour on a terminal, unless NO_COLOR is set (no-color.org) or
// the terminal has none.
func (a *app) colour(code, text string) string {
	if !coloured(terminalWidth(a.out), os.LookupEnv) {
		return text
	}
	return paint(code, text)
}

// paint puts a text between the codes of a colour.
func paint(code, text string) string { return "\x1b[" + code + "m" + text + "\x1b[0m" }

// coloured reports whether an output of this width shows colours; width 0 is no
// terminal.
func coloured(width int, env func(string) (string, bool)) bool {
	none, _ := env("NO_COLOR")
	term, _ := env("TERM")
	return width > 0 && none == "" && term != "dumb"
}

// tinted colours a speed-up: green where the run is faster than its baseline, red where
// it is slower.
func (a *app) tinted(text string, speedup any) string {
	switch x, ok := speedup.(float64); {
	case ok && x > 1:
		return a.colour(green, text)
	case ok && x < 1:
		return a.colour(red, text)
	}
	return text
}
