package table

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
)

type csvDecoder struct {
	r    *csv.Reader
	cols []Column
	lim  Limits
}

func openCSV(f *os.File, lim Limits) (decoder, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	d := &csvDecoder{r: csv.NewReader(&lineLimit{r: f, max: lim.CellBytes}), lim: lim}
	d.r.ReuseRecord = true
	names, err := d.r.Read()
	if err == io.EOF {
		return nil, errors.New("is empty: the first line of a CSV file names its columns")
	}
	if err != nil {
		return nil, fmt.Errorf("is no CSV file: %w", err)
	}
	if len(names) > lim.Columns {
		return nil, fmt.Errorf("has %d columns, more than %d", len(names), lim.Columns)
	}
	seen := map[string]bool{}
	for _, n := range names {
		if n == "" || seen[n] {
			return nil, fmt.Errorf("line 1: the name of column %d is empty or given twice: %q", len(d.cols)+1, n)
		}
		seen[n] = true
		d.cols = append(d.cols, Column{Name: n, Type: String, Nullable: true})
	}
	return d, nil
}

func (d *csvDecoder) columns() []Column    { return d.cols }
func (d *csvDecoder) metadata() []KeyValue { return nil }

func (d *csvDecoder) next(b *Batch) error {
	for b.Rows < d.lim.BatchRows {
		cells, err := d.r.Read()
		if err == io.EOF && b.Rows > 0 {
			return nil
		}
		if err != nil {
			return err
		}
		for i, cell := range cells {
			v := &b.Values[i]
			v.Null = append(v.Null, cell == "")
			v.Strings = append(v.Strings, textOfCSV(cell))
		}
		b.Rows++
	}
	return nil
}

// lineLimit fails when max bytes come without a line break outside of quotes,
// which bounds the memory that the CSV reader takes for a record.
type lineLimit struct {
	r      io.Reader
	max    int
	length int
	quoted bool
}

func (l *lineLimit) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	for _, c := range p[:n] {
		l.length++
		switch {
		case c == '"':
			l.quoted = !l.quoted
		case c == '\n' && !l.quoted:
			l.length = 0
		}
		if l.length > l.max {
			return 0, fmt.Errorf("a line is longer than %d bytes; is a quote left open?", l.max)
		}
	}
	return n, err
}
