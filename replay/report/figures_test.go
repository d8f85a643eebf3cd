package report

import (
	"context"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// Each plot is a file of its own: well-formed, with no variable left in its style, its
// key and its table.
func TestFigures(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a", "", 100)
	write(t, dir, "b", "", 50)
	files := map[string]string{}
	stats, err := Figures(context.Background(), dir, Options{}, func(name string, data []byte) error {
		files[name] = string(data)
		return nil
	})
	if err != nil || stats != (Stats{2, 2}) || len(files) != 6 {
		t.Fatalf("%+v, %v, %d files", stats, err, len(files))
	}
	for name, text := range files {
		if strings.HasSuffix(name, ".csv") {
			if rows, err := csv.NewReader(strings.NewReader(text)).ReadAll(); err != nil || len(rows) != 3 || rows[2][0] != "b" {
				t.Errorf("%s: %v, %v", name, rows, err)
			}
			continue
		}
		if strings.HasSuffix(name, ".pdf") {
			if !strings.HasPrefix(text, "%PDF-1.") || !strings.Contains(text, "/FontFile2") {
				t.Errorf("%s is no PDF with its font: %.100q", name, text)
			}
			continue
		}
		if strings.Contains(text, "var(") || !strings.Contains(text, `xmlns="http://www.w3.org/2000/svg"`) || !strings.Contains(text, "#1f6fb5") {
			t.Errorf("%s does not stand alone: %.300s", name, text)
		}
		for d := xml.NewDecoder(strings.NewReader(text)); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	if s := files["01-speed-up-t-on-g.csv"]; s != "policy,speed-up\na,1.000\nb,2.000\n" {
		t.Errorf("speed-ups %q of %v", s, files)
	}
	full := errors.New("disk full")
	if _, err := Figures(context.Background(), dir, Options{}, func(string, []byte) error { return full }); err != full {
		t.Errorf("a full disk: %v", err)
	}
}

// Two traces under one baseline: the geometric mean of 2 and 8 is 4.
func TestSpeedupOverTraces(t *testing.T) {
	of := func(trace string, cycles int64) *group {
		a := &run{names: names{trace: trace, gpu: "g", policy: "a"}, cycles: 800}
		b := &run{names: names{trace: trace, gpu: "g", policy: "b"}, cycles: cycles}
		g := &group{trace: trace, gpu: "g", policies: []string{"a", "b"}, runs: []*run{a, b}}
		g.compare("a")
		return g
	}
	f, ok := overTraces([]*group{of("x", 400), of("y", 100)})
	if !ok || strings.Join(f.Table.Rows[1], " ") != "b 4.000 2.000 8.000 2" {
		t.Errorf("%v, %v", ok, f.Table.Rows)
	}
}
