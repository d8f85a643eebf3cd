package table

import (
	"sync"
	_ "unsafe" // for go:linkname

	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/klauspost/compress/zstd"
)

// codecs are the Parquet library's, which offers no other way to replace one.
//
//go:linkname codecs github.com/apache/arrow/go/v15/parquet/compress.codecs
var codecs map[compress.Compression]compress.Codec

func init() { codecs[compress.Codecs.Zstd] = pooled{codecs[compress.Codecs.Zstd]} }

// pooled is the library's zstd with encoders that are used again. The library
// makes one for every page, and in it tables of over a megabyte for every
// processor: more than all else of a short run. The bytes are the library's, at its
// fastest level for small pages, whose tables are an eighth as large, and at its
// default level for the others.
type pooled struct{ compress.Codec }

// smallPage is up to how many bytes a page is packed at the fastest level.
const smallPage = 1 << 16

// smallPages and largePages have *zstd.Encoder, each for one page at a time.
var (
	smallPages = packers(zstd.SpeedFastest)
	largePages = packers(zstd.SpeedDefault)
)

func packers(level zstd.EncoderLevel) *sync.Pool {
	return &sync.Pool{New: func() any {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithZeroFrames(true), zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
		if err != nil {
			panic("table: " + err.Error()) // the options are constants
		}
		return e
	}}
}

// EncodeLevel compresses one page into dst's memory.
func (p pooled) EncodeLevel(dst, src []byte, level int) []byte {
	if level != compress.DefaultCompressionLevel {
		return p.Codec.EncodeLevel(dst, src, level)
	}
	pool := smallPages
	if len(src) > smallPage {
		pool = largePages
	}
	e := pool.Get().(*zstd.Encoder)
	defer pool.Put(e)
	return e.EncodeAll(src, dst[:0])
}
