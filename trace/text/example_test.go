package text_test

import (
	"bytes"
	"fmt"
	"log"
	"strings"

	"gpureplay/trace/container"
	"gpureplay/trace/text"
)

// A trace of a few lines becomes a container, which any reader opens.
func ExampleParse() {
	const lines = "launch scale grid=8 block=64\ncta 0..7\nwarp 0..1\nload R2 <- R1 @0x1000+4\nexit\n"
	var file bytes.Buffer
	w, err := container.NewWriter(&file, container.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if err := text.Parse("scale.txt", strings.NewReader(lines), w); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	r, err := container.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		log.Fatal(err)
	}
	t := r.Program().Totals
	fmt.Println(t.CTAs, "CTAs,", t.Warps, "warps,", t.WarpInsts, "warp instructions")
	// Output: 8 CTAs, 16 warps, 32 warp instructions
}
