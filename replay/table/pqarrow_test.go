//go:build pqarrow

package table

import (
	"io"
	"os"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"
)

// Today's files of pqarrow have the digests of [likePqarrow].
func TestPqarrowWritesAsRecorded(t *testing.T) {
	now := digests(t, newPqarrow)
	if *update {
		if err := os.WriteFile(likePqarrow, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(likePqarrow)
	if err != nil {
		t.Fatal(err)
	}
	if now != string(want) {
		t.Errorf("pqarrow's files:\n%s%s:\n%s", now, likePqarrow, want)
	}
}

type pqarrowEncoder struct{ w *pqarrow.FileWriter }

func newPqarrow(w io.Writer, sch *arrow.Schema) (encoder, error) {
	fw, err := pqarrow.NewFileWriter(sch, shield{w}, parquetProperties(sch), pqarrow.DefaultWriterProps())
	return &pqarrowEncoder{fw}, err
}

func (e *pqarrowEncoder) write(rec arrow.Record) error { return e.w.Write(rec) }

func (e *pqarrowEncoder) close() error { return e.w.Close() }
