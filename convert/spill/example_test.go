package spill_test

import (
	"encoding/binary"
	"fmt"
	"io"

	"gpureplay/convert/spill"
)

func ExampleSorter() {
	s := spill.New("", 8, spill.DefaultMemory)
	defer s.Close()
	for _, v := range []uint64{30, 10, 20} {
		if err := s.Add(binary.BigEndian.AppendUint64(nil, v)); err != nil {
			fmt.Println(err)
		}
	}
	it, err := s.Sorted()
	for err == nil {
		var rec []byte
		if rec, err = it.Next(); err == nil {
			fmt.Print(binary.BigEndian.Uint64(rec), " ")
		}
	}
	fmt.Println(err == io.EOF)
	// Output: 10 20 30 true
}
