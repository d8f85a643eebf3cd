package sass_test

import (
	"fmt"

	"gpureplay/convert/sass"
)

func ExampleClassify() {
	op := sass.Classify("LDG.E.128")
	fmt.Println(op.Width, "bytes a thread, known:", op.Known)
	// Output: 16 bytes a thread, known: true
}
