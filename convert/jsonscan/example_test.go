package jsonscan_test

import (
	"fmt"
	"strings"

	"gpureplay/convert/jsonscan"
)

// Values that do not matter are skipped, however large.
func ExampleScanner() {
	s := jsonscan.New(strings.NewReader(`{"big":[{"x":1},{"y":[2]}],"name":"a` + "\n" + `b"}`))
	for kind, err := s.Next(); err == nil && kind != jsonscan.EOF; kind, err = s.Next() {
		if kind == jsonscan.Key && string(s.Text()) == "big" {
			if s.Skip() != nil {
				return
			}
		}
		if kind == jsonscan.String {
			fmt.Printf("%q, %d repaired\n", s.Text(), s.Repaired)
		}
	}
	// Output: "a\nb", 1 repaired
}
