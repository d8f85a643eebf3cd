package trace_test

import (
	"fmt"

	"gpureplay/trace"
)

// Names of device functions are demangled and shortened to the parts that differ.
func ExampleShortNames() {
	for _, name := range trace.ShortNames([]string{"_Z6vecAddPKfS0_Pfi", "void at::native::relu<float>(float*)"}) {
		fmt.Println(name)
	}
	// Output:
	// vecAdd
	// relu
}
