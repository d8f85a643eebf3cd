package measured

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gpureplay/trace"
)

const (
	maxLine    = 64 << 10
	maxRecords = 1 << 20
	maxCTAs    = 1 << 20
	maxThreads = 1024
	maxIters   = 1 << 20
	maxSkipped = 1000 // names of kernels that cannot be generated
)

// Skipped counts records that no trace is known of, by kernel.
type Skipped map[string]int

// Read reads a table of measurements: one record a line, key=value separated by
// commas; empty lines and lines that begin with # are passed over. A record has
// benchmark and cycles, and thread, block (CTAs) and iters of a kernel that is
// generated, or trace, the path of its trace or capture from the table's folder.
// profile_type names the tool. Other keys can be used to choose records: those in
// want must have the given values.
func Read(path string, want map[string]string) ([]Case, Skipped, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	return read(f, path, want)
}

func read(in io.Reader, path string, want map[string]string) ([]Case, Skipped, error) {
	var list []Case
	skipped := Skipped{}
	s := bufio.NewScanner(in)
	s.Buffer(nil, maxLine)
	line := 1
	for ; s.Scan(); line++ {
		text := strings.TrimSpace(s.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		where := fmt.Sprintf("%s:%d", path, line)
		r, err := parseRecord(text)
		if err == nil && r.has(want) {
			err = r.add(&list, skipped, path, where)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", where, err)
		}
		if len(list) > maxRecords {
			return nil, nil, fmt.Errorf("%s: more than %d records", where, maxRecords)
		}
	}
	switch err := s.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, nil, fmt.Errorf("%s:%d: a line of more than %d bytes", path, line, maxLine)
	case err != nil:
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return list, skipped, nil
}

// A record is one line's values by their keys.
type record map[string]string

func parseRecord(text string) (record, error) {
	r := record{}
	for part := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(part, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if !ok || key == "" {
			return nil, fmt.Errorf("%q is not key=value: a record is such as benchmark=emptykernel, profile_type=ncu, "+
				"thread=256, block=1024, cycles=5055", clip(part))
		}
		if _, twice := r[key]; twice {
			return nil, fmt.Errorf("%s stands there twice", clip(key))
		}
		r[key] = value
	}
	return r, nil
}

func clip(s string) string { return s[:min(len(s), 60)] }

func (r record) has(want map[string]string) bool {
	for k, v := range want {
		if r[k] != v {
			return false
		}
	}
	return true
}

// add makes a case of a record, or counts it as skipped.
func (r record) add(list *[]Case, skipped Skipped, path, where string) (err error) {
	c := Case{Where: where, Suite: r["suite"], Kernel: r["benchmark"], Tool: r["profile_type"]}
	if v, err := strconv.ParseFloat(r["cycles"], 64); err == nil && v > 0 && !math.IsInf(v, 0) {
		c.Cycles = v
	} else {
		return fmt.Errorf("cycles=%s: want a number above 0", clip(r["cycles"]))
	}
	if t := r["trace"]; t != "" {
		if c.Capture = t; !filepath.IsAbs(t) {
			c.Capture = filepath.Join(filepath.Dir(path), filepath.FromSlash(t))
		}
		c.Kernel = cmp.Or(c.Kernel, filepath.Base(c.Capture))
		*list = append(*list, c)
		return nil
	}
	k := kernelOf(c.Kernel)
	if k == nil {
		if len(skipped) < maxSkipped || skipped[c.Kernel] > 0 {
			skipped[c.Kernel]++
		}
		return nil
	}
	if c.CTAs, err = r.number("block", maxCTAs); err != nil {
		return err
	}
	if c.Threads, err = r.number("thread", maxThreads); err == nil && k.loops {
		c.Iterations, err = r.number("iters", maxIters)
	}
	*list = append(*list, c)
	return err
}

func (r record) number(key string, most int) (int, error) {
	v, ok := r[key]
	if !ok {
		return 0, fmt.Errorf("%s lacks %s", r["benchmark"], key)
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 || n > most {
		return 0, fmt.Errorf("%s=%s: want a whole number from 1 to %d", key, clip(v), most)
	}
	return n, nil
}

// Folder returns the cases of a folder: of the tables in it, which are files *.txt
// whose first record has cycles, and of captures with their measured cycles
// beside them, in it or in folders of it: kernelslist.g and a file gt with the
// cycles. There may be none.
func Folder(dir string, want map[string]string) (list []Case, skipped Skipped, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	skipped = Skipped{}
	if list, err = capture(list, dir); err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir():
			list, err = capture(list, path)
		case isTable(path):
			var more []Case
			var no Skipped
			if more, no, err = Read(path, want); err == nil {
				list = append(list, more...)
				skipped.Add(no)
			}
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return list, skipped, nil
}

// Add counts more.
func (s Skipped) Add(more Skipped) {
	for k, n := range more {
		s[k] += n
	}
}

// isTable looks at the first line that may be a record.
func isTable(path string) bool {
	if !strings.HasSuffix(path, ".txt") {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, maxLine)
	for s.Scan() {
		if text := strings.TrimSpace(s.Text()); text != "" && text[0] != '#' {
			r, err := parseRecord(text)
			return err == nil && r["cycles"] != ""
		}
	}
	return false
}

// capture adds the case of a folder that has a gt.
func capture(list []Case, folder string) ([]Case, error) {
	text, err := os.ReadFile(filepath.Join(folder, "gt"))
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	if err != nil {
		return nil, err
	}
	full, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(full)
	c := Case{Where: folder, Kernel: name, Tool: captureTools[name], Capture: filepath.Join(folder, "kernelslist.g")}
	c.Cycles, err = strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	if err != nil || !(c.Cycles > 0) || math.IsInf(c.Cycles, 0) { // NaN is not above 0
		return nil, fmt.Errorf("%s: %q is no number above 0", filepath.Join(folder, "gt"), clip(string(text)))
	}
	return append(list, c), nil
}

// shape fills in the launch of a capture's trace.
func (c *Case) shape(k *trace.Kernel) {
	c.CTAs, c.Threads = int(min(k.Grid.Count(), math.MaxInt32)), int(min(k.Block.Count(), math.MaxInt32))
}

// order sorts cases by kernel, CTAs, threads and iterations.
func order(a, b *Result) int {
	return cmp.Or(strings.Compare(a.GPU, b.GPU), strings.Compare(a.Kernel, b.Kernel), a.CTAs-b.CTAs, a.Threads-b.Threads,
		a.Iterations-b.Iterations, strings.Compare(a.Where, b.Where))
}
