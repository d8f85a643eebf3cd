package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// A file is data: nothing that it holds as a program runs. Views, virtual tables and
// generated columns are not read, triggers do not fire, its schema may call no function
// with an effect, and its checks are not evaluated.
const pragmas = "mode=ro&immutable=1&_pragma=query_only(1)&_pragma=trusted_schema(0)&" +
	"_pragma=ignore_check_constraints(1)" +
	"&_pragma=temp_store(1)&_pragma=cache_size(-8192)"

const (
	connections = 2        // one walks a table while another looks up names
	maxCell     = 16 << 20 // bytes of a cell or of a row, which bounds the memory of a query
	leastRow    = 4        // bytes of a row in a file: its length, its number, and a header of two
)

// limit bounds a query's memory, on every connection.
func limit(ctx context.Context, db *sql.DB) error {
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections) // a connection that is not closed keeps its limits
	var open [connections]*sql.Conn
	for i := range open {
		c, err := db.Conn(ctx)
		if err != nil {
			return err
		}
		defer c.Close()
		if _, err := driver.Limit(c, lib.SQLITE_LIMIT_LENGTH, maxCell); err != nil {
			return err
		}
		open[i] = c
	}
	return nil
}

// tooMany reports more rows than the file has room for: pages that name one another, or a
// join that is no look-up.
func (d *DB) tooMany(rows int64) error {
	if rows <= d.size/leastRow+1 {
		return nil
	}
	return fmt.Errorf("%w: it has more rows than its %d bytes hold; copy or export it again", ErrDamaged, d.size)
}
