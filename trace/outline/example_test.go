package outline_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"strings"

	"gpureplay/trace/container"
	"gpureplay/trace/outline"
	"gpureplay/trace/text"
)

// Find lists the loops of a trace. Why of a loop is the reason if it cannot become child launches.
func ExampleFind() {
	const lines = "launch walk grid=1 block=32\ncta 0\nwarp 0\ntop: int R1 <- R1\nrepeat 9\n" +
		"load R2 <- R1 @0x1000+4 next=128\ncontrol <- R2\ntop\nend\nexit\n"
	var file bytes.Buffer
	w, err := container.NewWriter(&file, container.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if err := text.Parse("walk.txt", strings.NewReader(lines), w); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	r, err := container.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		log.Fatal(err)
	}
	loops, err := outline.Find(context.Background(), r)
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range loops {
		fmt.Printf("loop of %s: %d lanes, %d iterations\n", l.Name, l.Lanes, l.Iterations)
	}
	// Output: loop of walk: 32 lanes, 320 iterations
}
