package convert_test

import (
	"context"
	"fmt"
	"strings"

	"gpureplay/convert"
)

// A capture is recognised by what it holds.
func ExampleDetect() {
	in, err := convert.Open("-", strings.NewReader(`{"schemaVersion": 1, "traceEvents": []}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := convert.Detect(in)
	fmt.Println(f.Name, err)
	in, err = convert.Open("-", strings.NewReader("something else"))
	if err == nil {
		err = convert.Run(context.Background(), in, "", "none.trace.zst", convert.Options{Device: -1})
	}
	fmt.Println(strings.Contains(err.Error(), "--from="))
	// Output:
	// kineto <nil>
	// true
}
