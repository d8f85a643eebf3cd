package command

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Names of kernels, ranges and files come from captures. A terminal takes some of their
// characters for commands: escape sequences write the clipboard or clear the screen, and
// characters of direction show another text than there is. Standard output and standard
// error pass [shownText], which writes such a character as its escape, \u001b. In a string
// of JSON that is the same character.

// shownText returns text as a terminal may show it, lines and tabs kept, and the bytes of a
// rune that the text cuts off at its end.
func shownText(dst, text []byte, colours bool) (shown, rest []byte) {
	for len(text) > 0 {
		if n := harmless(text); n > 0 {
			dst, text = append(dst, text[:n]...), text[n:]
			continue
		}
		if !utf8.FullRune(text) {
			return dst, text
		}
		if n := ownColour(text); colours && n > 0 {
			dst, text = append(dst, text[:n]...), text[n:]
			continue
		}
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1:
			dst = fmt.Appendf(dst, "\\x%02x", text[0])
		case !commanding(r):
			dst = append(dst, text[:n]...)
		default:
			dst = appendEscape(dst, r)
		}
		text = text[n:]
	}
	return dst, nil
}

// harmless is the length of the beginning of a text that is printable ASCII, lines and tabs.
func harmless(text []byte) int {
	n := bytes.IndexFunc(text, func(r rune) bool { return r >= 0x7f || r < ' ' && r != '\n' && r != '\t' })
	if n < 0 {
		return len(text)
	}
	return n
}

// commanding reports whether a terminal may take a rune for a command, or shows nothing of
// it: controls, formats and separators of lines.
func commanding(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) && r != '\n' && r != '\t'
}

// appendEscape appends a rune as JSON writes it.
func appendEscape(dst []byte, r rune) []byte {
	if r > 0xffff {
		r -= 0x10000
		return fmt.Appendf(dst, "\\u%04x\\u%04x", 0xd800+r>>10, 0xdc00+r&0x3ff)
	}
	return fmt.Appendf(dst, "\\u%04x", r)
}

// ownColour is the length of a code of [app.colour] at the beginning of a text; 0: none.
func ownColour(text []byte) int {
	for _, code := range []string{green, red, bold, "0"} {
		if whole := "\x1b[" + code + "m"; bytes.HasPrefix(text, []byte(whole)) {
			return len(whole)
		}
	}
	return 0
}

// plain returns one line of text as a terminal may show it: a name's own lines and tabs
// are escapes too.
func plain(text string) string {
	shown, rest := shownText(nil, []byte(text), false)
	for _, c := range rest {
		shown = fmt.Appendf(shown, "\\x%02x", c)
	}
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(string(shown))
}
