package gpgpusim

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gpureplay/internal/nearest"
)

// mostBytes is how long a configuration file may be; the longest of Accel-Sim's has 9 KB.
const mostBytes = 1 << 20

// value is an option's value in a file.
type value struct {
	text string
	file string
	line int
}

// file is the options of some configuration files. As in GPGPU-Sim the last of a name counts.
type file struct {
	name    string // of gpgpusim.config
	options map[string]value
}

// read reads a configuration file and, if there is one, the trace.config beside it.
func read(path string) (*file, error) {
	f := &file{name: path, options: map[string]value{}}
	if err := f.add(path); err != nil {
		return nil, err
	}
	beside := filepath.Join(filepath.Dir(path), "trace.config")
	if err := f.add(beside); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return f, nil
}

func (f *file) add(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Size() > mostBytes {
		return fmt.Errorf("%s: has %d bytes, more than %d: not a configuration file of GPGPU-Sim", path, info.Size(),
			mostBytes)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return f.parse(path, string(text))
}

// word is a word of a file; quoted words may span lines.
type word struct {
	text   string
	line   int
	quoted bool
}

// parse reads options: a name that begins with a dash, then its value. A # begins a comment.
func (f *file) parse(path, text string) error {
	words, err := split(path, text)
	if err != nil {
		return err
	}
	for i := 0; i < len(words); i++ {
		w := words[i]
		if w.quoted || len(w.text) < 2 || w.text[0] != '-' {
			return fmt.Errorf("%s:%d: %q: want an option, which begins with -", path, w.line, w.text)
		}
		name := w.text[1:]
		if find(name) == nil {
			return fmt.Errorf("%s:%d: -%s: no option of GPGPU-Sim 4.2 or Accel-Sim%s", path, w.line, name,
				nearest.Hint(name, names()))
		}
		if i+1 == len(words) {
			return fmt.Errorf("%s:%d: -%s has no value", path, w.line, name)
		}
		i++
		f.options[name] = value{words[i].text, path, w.line}
	}
	return nil
}

func split(path, text string) (words []word, err error) {
	line := 1
	for len(text) > 0 {
		switch c := text[0]; {
		case c == '\n':
			line++
			text = text[1:]
		case c == ' ' || c == '\t' || c == '\r':
			text = text[1:]
		case c == '#':
			_, text, _ = strings.Cut(text, "\n")
			line++
		case c == '"':
			inside, rest, ok := strings.Cut(text[1:], `"`)
			if !ok {
				return nil, fmt.Errorf("%s:%d: a quotation mark is not closed", path, line)
			}
			words = append(words, word{strings.Join(strings.Fields(inside), ""), line, true})
			line += strings.Count(inside, "\n")
			text = rest
		default:
			n := strings.IndexAny(text, " \t\r\n")
			if n < 0 {
				n = len(text)
			}
			words = append(words, word{text[:n], line, false})
			text = text[n:]
		}
	}
	return words, nil
}

// get returns an option's value, or the one that GPGPU-Sim takes where the file has none.
func (f *file) get(name string) value {
	if v, ok := f.options[name]; ok {
		return v
	}
	return value{text: find(name).Default, file: f.name}
}

// has reports whether a file gives an option.
func (f *file) has(name string) bool { _, ok := f.options[name]; return ok }

// wrong is an error about an option.
func (f *file) wrong(name, format string, args ...any) error {
	v := f.get(name)
	at := v.file
	if v.line > 0 {
		at = fmt.Sprintf("%s:%d", v.file, v.line)
	}
	return fmt.Errorf("%s: -%s %s: %s", at, name, v.text, fmt.Sprintf(format, args...))
}
