package command

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// hostileName is a kernel's name with terminal commands: the clipboard (OSC 52), a cleared screen, a bell, a C1
// control, a turned direction, an invisible tag, a carriage return, and lines.
const hostileName = "k\x1b]52;c;cm0gLXJm\a\x1b[2J\u009b31m\u202eevil\U000e0041\r\n\x1b[31mred\x7f\u2028z"

// commandsIn returns the characters that a terminal must not get.
func commandsIn(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return r
		}
		return -1
	}, text)
}

// No command, in a result, a note or an error, sends a capture's controls to the terminal; JSON keeps the name.
func TestNamesAreNoCommands(t *testing.T) {
	dir := t.TempDir()
	name, _ := json.Marshal(hostileName)
	var events []string
	for _, ts := range []string{"10", "50"} {
		events = append(events, `{"ph":"X","cat":"kernel","name":`+string(name)+`,"pid":0,"tid":7,"ts":`+ts+`,"dur":20,
			"args":{"device":0,"stream":7,"correlation":`+ts+`,"grid":[1,1,1],"block":[32,1,1]}}`)
	}
	file := filepath.Join(dir, "e\x1b[2Jvil.json")
	capture := `{"schemaVersion":1,"deviceProperties":[{"id":0,"name":"GPU","numSms":24}],"traceEvents":[` +
		strings.Join(events, ",") + `]}`
	if err := os.WriteFile(file, []byte(capture), 0o644); err != nil {
		t.Fatal(err)
	}
	a, b, slow := filepath.Join(dir, "a\x1b[1m.trace.zst"), filepath.Join(dir, "b.trace.zst"),
		filepath.Join(dir, "slow.json")
	if err := os.WriteFile(slow, []byte(strings.ReplaceAll(capture, `"dur":20`, `"dur":30`)), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	for _, args := range [][]string{
		{"convert", file, "-o", a}, {"convert", slow, "-o", b}, {"verify", a}, {"inspect", a}, {"top", a}, {"compare", a, b},
		{"top", "--kernels=zzz", a}, {"--gpu=rtx3070", "-o", out, a}, {"explain", "--gpu=rtx3070", a},
		{"top", "--full-names", a},
		{"inspect", "--text", a}, {"--policy=\x1b[2J", a}, {"verify", file}, {"top", "--json", a}, {"\x1b[2J"},
		{"--set=\x1b[2J=1", a},
		{"compare", "--json", a, b}, {"outline", a}, {"timeline", out, "-o", filepath.Join(dir, "t\x1b[2J.json")},
		{"what-if", "--gpu=rtx3070", a},
	} {
		var stdout, stderr bytes.Buffer
		Run(args, strings.NewReader(""), &stdout, &stderr)
		if bad := commandsIn(stdout.String() + stderr.String()); bad != "" {
			t.Errorf("%q sends %q:\n%s%s", args, bad, stdout.String(), stderr.String())
		}
		if args[0] == "top" && args[1] == "--json" && !jsonHas(stdout.Bytes(), hostileName) {
			t.Errorf("the JSON has not the name:\n%s", stdout.String())
		}
	}
}

// jsonHas reports whether a string of the JSON is the text.
func jsonHas(data []byte, text string) bool {
	d := json.NewDecoder(bytes.NewReader(data))
	for {
		token, err := d.Token()
		if err != nil {
			return false
		}
		if s, ok := token.(string); ok && s == text {
			return true
		}
	}
}

// Runes that come in pieces are whole, colours of replay's own are kept on a terminal that has them, and nothing else.
func TestShownText(t *testing.T) {
	var got bytes.Buffer
	c := &checked{w: &got}
	for _, b := range []byte("µs → \x1b[32mgreen\xff\u202e\xe2\x86") {
		if n, err := c.Write([]byte{b}); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	c.end()
	if want := "µs → \\u001b[32mgreen\\xff\\u202e\\xe286"; got.String() != want {
		t.Errorf("got %q, want %q", got.String(), want)
	}
	shown, _ := shownText(nil, []byte("\x1b[32mfast\x1b[0m\x1b[33m\x1b[2J"), true)
	if want := "\x1b[32mfast\x1b[0m\\u001b[33m\\u001b[2J"; string(shown) != want {
		t.Errorf("got %q, want %q", shown, want)
	}
	if got := plain("a\nb\tc\U000e0041"); got != `a\nb\tc\udb40\udc41` {
		t.Error(got)
	}
}
