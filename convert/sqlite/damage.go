package sqlite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// ErrDamaged says that a file begins as an SQLite file does and is not whole.
var ErrDamaged = errors.New("the SQLite file is damaged")

// checkLength compares the size of the file with its header's: a copy that was cut short may still open, and lose
// the tables at its end.
func checkLength(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var head [100]byte
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if _, err := io.ReadFull(f, head[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) && string(head[:len(Magic)]) == Magic {
			return fmt.Errorf("%w: it ends within its header, after %d bytes; copy or export it again", ErrDamaged, info.Size())
		}
		return nil // the driver names the fault
	}
	if string(head[:len(Magic)]) != Magic {
		return nil
	}
	page := int64(binary.BigEndian.Uint16(head[16:]))
	if page == 1 {
		page = 65536
	}
	pages := int64(binary.BigEndian.Uint32(head[28:]))
	// The count is valid only where the change counter equals the version's.
	if binary.BigEndian.Uint32(head[24:]) != binary.BigEndian.Uint32(head[92:]) || page*pages <= info.Size() {
		return nil
	}
	return fmt.Errorf("%w: it is cut short, %d bytes of %d are there; copy or export it again", ErrDamaged, info.Size(),
		page*pages)
}

// Check reads the whole file and reports whether its pages are consistent, also of tables that are not read: their
// damage may have changed values of the others.
func (d *DB) Check() (err error) {
	defer recovered(&err)
	var says string
	if err := d.db.QueryRowContext(d.ctx, "PRAGMA quick_check(1)").Scan(&says); err != nil {
		return err
	}
	if says != "ok" {
		return fmt.Errorf("%w (%s); copy or export it again", ErrDamaged, strings.Join(strings.Fields(says), " "))
	}
	return nil
}

// damage marks those errors of the driver that tell of a file that is not whole.
func damage(err error) error {
	var e *driver.Error
	if err == nil || !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff {
	case lib.SQLITE_TOOBIG:
		return fmt.Errorf("a value of it is longer than %d MiB, which no profiler writes (%w)", maxCell>>20, err)
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB, lib.SQLITE_IOERR, lib.SQLITE_FORMAT:
		return fmt.Errorf("%w (%v); copy or export it again", ErrDamaged, err)
	}
	return err
}
