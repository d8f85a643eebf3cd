package neutral

import (
	"cmp"
	"context"
	"errors"
	"io"

	"gpureplay/replay/table"
	tables "gpureplay/replay/table/neutral"
)

// folder opens the tables of a folder and keeps the list of files to close.
type folder struct {
	ctx     context.Context
	path    string
	close   []io.Closer
	unknown uint64 // columns that no table has
}

// cursor stands at a row of a table.
type cursor[R any] struct {
	*table.SheetReader[R]
	ctx   context.Context
	head  R
	live  bool // head is a row
	place func(*R) tables.Place
	last  tables.Place
	any   bool // a row was read
}

// open opens a table; without a file it has no rows and no columns.
func open[R any](f *folder, s *table.Sheet[R], need ...string) (*cursor[R], error) {
	c := &cursor[R]{ctx: f.ctx}
	path, err := table.FindSheet(f.path, s.Name)
	if err != nil || path == "" {
		return c, err
	}
	r, err := s.Open(path, table.Limits{})
	if err != nil {
		return nil, err
	}
	f.close = append(f.close, r)
	f.unknown += uint64(len(r.Unknown()))
	c.SheetReader = r
	return c, r.Need(need...)
}

// openPlaced opens a table whose rows are ordered by place, at its first row.
func openPlaced[R any](f *folder, s *table.Sheet[R], place func(*R) tables.Place, need ...string) (*cursor[R], error) {
	c, err := open(f, s, need...)
	if err != nil {
		return nil, err
	}
	c.place = place
	return c, c.advance()
}

// there reports whether the table is.
func (c *cursor[R]) there() bool { return c.SheetReader != nil }

// has reports whether the table has a column.
func (c *cursor[R]) has(column string) bool { return c.there() && c.Has(column) }

// advance goes to the next row.
func (c *cursor[R]) advance() error {
	c.live = false
	if !c.there() {
		return nil
	}
	if err := c.ctx.Err(); err != nil {
		return err
	}
	switch err := c.Next(&c.head); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	}
	c.live = true
	if c.place == nil {
		return nil
	}
	p := c.place(&c.head)
	if c.any && compare(p, c.last) < 0 {
		return c.Errorf("kernel %d, CTA %d, warp %d comes after kernel %d, CTA %d, warp %d; sort the table by kernel, "+
			"cta and warp",
			p.Kernel, p.CTA, p.Warp, c.last.Kernel, c.last.CTA, c.last.Warp)
	}
	c.last, c.any = p, true
	return nil
}

// at reports whether the row belongs to a place.
func (c *cursor[R]) at(p tables.Place) bool { return c.live && c.place(&c.head) == p }

// head returns the place of the row, if there is one.
func (c *cursor[R]) headPlace() (tables.Place, bool) {
	if !c.live {
		return tables.Place{}, false
	}
	return c.place(&c.head), true
}

// leftOver is the error of a row that no kernel has taken; nil if there is none.
func (c *cursor[R]) leftOver(kernels uint32) error {
	if !c.live {
		return nil
	}
	return c.Errorf("it names kernel %d, but the table kernels has %d", c.place(&c.head).Kernel, kernels)
}

func compare(a, b tables.Place) int {
	return cmp.Or(cmp.Compare(a.Kernel, b.Kernel), cmp.Compare(a.CTA, b.CTA), cmp.Compare(a.Warp, b.Warp))
}

// each calls use for every row of a table that need not be there.
func each[R any](f *folder, s *table.Sheet[R], use func(c *cursor[R], r *R) error, need ...string) error {
	c, err := open(f, s, need...)
	if err != nil {
		return err
	}
	for {
		if err := c.advance(); err != nil {
			return err
		}
		if !c.live {
			return nil
		}
		if err := use(c, &c.head); err != nil {
			return err
		}
	}
}
