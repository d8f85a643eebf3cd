package table

import (
	"fmt"
	"testing"

	"gpureplay/model"
)

// The row that a program reads is the row that the file has.
func TestRunRow(t *testing.T) {
	want := expected(t)["runs"]
	for i, r := range fixtureRuns() {
		cells, err := RunRow(r, fixtureMHz)
		if err != nil {
			t.Fatal(err)
		}
		if len(cells) != len(want) {
			t.Errorf("%d cells, want %d", len(cells), len(want))
		}
		for _, c := range cells {
			got := "NULL"
			if c.Value != nil {
				got = fmt.Sprint(c.Value)
			}
			if got != want[c.Column][i] {
				t.Errorf("row %d, %s: %s, want %s", i, c.Column, got, want[c.Column][i])
			}
		}
	}
	if _, err := RunRow(&Run{WaitingP50: model.Unset}, 0); err == nil {
		t.Error("a clock of 0 MHz is no error")
	}
}
