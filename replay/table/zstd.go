package table

import (
	_ "unsafe" // for go:linkname

	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/klauspost/compress/zstd"
)

// codecs are the Parquet library's, which offers no other way to replace one.
//
//go:linkname codecs github.com/apache/arrow/go/v15/parquet/compress.codecs
var codecs map[compress.Compression]compress.Codec

func init() {
	if codecs == nil {
		panic("table: Arrow's parquet/compress has no variable codecs any more, which zstd.go names by go:linkname")
	}
	codecs[compress.Codecs.Zstd] = pooled{codecs[compress.Codecs.Zstd]}
}

// pooled is the library's zstd with encoders that are used again. The library
// makes one for every page, and in it tables of over a megabyte for every
// processor: more than all else of a short run. The bytes are the library's, at its
// fastest level for small pages, whose tables are an eighth as large, and at its
// default level for the others.
type pooled struct{ compress.Codec }

// smallPage is up to how many bytes a page is packed at the fastest level.
const smallPage = 1 << 16

// packers are encoders of a level that are not at work, each for one page at a
// time. (A sync.Pool would make one for every processor that a run comes to.)
type packers struct {
	level zstd.EncoderLevel
	idle  chan *zstd.Encoder
}

var (
	smallPages = packers{zstd.SpeedFastest, make(chan *zstd.Encoder, 64)}
	largePages = packers{zstd.SpeedDefault, make(chan *zstd.Encoder, 64)}
)

func (p *packers) get() *zstd.Encoder {
	select {
	case e := <-p.idle:
		return e
	default:
	}
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(p.level), zstd.WithZeroFrames(true),
		zstd.WithEncoderConcurrency(1),
		zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic("table: " + err.Error()) // the options are constants
	}
	return e
}

func (p *packers) put(e *zstd.Encoder) {
	select {
	case p.idle <- e:
	default:
	}
}

// EncodeLevel compresses one page into dst's memory.
func (p pooled) EncodeLevel(dst, src []byte, level int) []byte {
	if level != compress.DefaultCompressionLevel {
		return p.Codec.EncodeLevel(dst, src, level)
	}
	with := &smallPages
	if len(src) > smallPage {
		with = &largePages
	}
	e := with.get()
	defer with.put(e)
	return e.EncodeAll(src, dst[:0])
}
