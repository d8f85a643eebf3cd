package decimal_test

import (
	"fmt"

	"gpureplay/convert/decimal"
)

// Microseconds with a fraction, as PyTorch's profiler writes them, in
// nanoseconds.
func ExampleScale() {
	ns, ok := decimal.Scale("4203669603454.206", 1000)
	fmt.Println(ns, ok)
	// Output: 4203669603454206 true
}
