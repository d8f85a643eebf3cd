package delimited_test

import (
	"fmt"
	"strings"

	"gpureplay/convert/delimited"
)

func ExampleReader() {
	r := delimited.NewReader(strings.NewReader("\"Grid X\",Name\n4,\"k<int, 4>\"\n"))
	var columns delimited.Columns
	for {
		line, err := r.Next()
		if err != nil {
			return
		}
		fields, err := r.Fields(line)
		if err != nil {
			fmt.Println(err)
			return
		}
		if columns == nil {
			columns = delimited.NewColumns(fields)
			continue
		}
		fmt.Printf("%s %s\n", delimited.Get(fields, columns.Index("grid_x")), delimited.Get(fields, columns.Index("name")))
	}
	// Output: 4 k<int, 4>
}
