package cycle

import (
	"slices"
	"testing"

	"gpureplay/model/memory"
)

// Results leave a client in the order in which they are ready, equal cycles as they came, and clients take turns.
func TestResultsTakeTurns(t *testing.T) {
	u := &Unit{loads: loads{all: make([]openLoad, 8)}}
	u.Times.Due, u.results.soonest = Never, Never
	for client := range numClients {
		u.results.first[client] = Never
	}
	u.put(clientFills, 20, 0, 1, memory.NoLoad)
	u.put(clientFills, 10, 0, 2, memory.NoLoad)
	u.put(clientFills, 20, 0, 3, memory.NoLoad)
	u.put(clientPast, 12, 0, 4, memory.NoLoad)
	u.put(clientShared, 15, 0, 5, memory.NoLoad)
	u.put(clientShared, 15, 0, 6, memory.NoLoad)
	if u.Times.Due != 10-memory.WrittenAhead-1 {
		t.Errorf("the register is due in %d", u.Times.Due)
	}
	var got []int32
	for _, at := range []Time{9, 12, 15, 15, 15, 19, 20, 20, 20} {
		load := u.result(at)
		got = append(got, load)
	}
	if want := []int32{memory.NoLoad, 4, 2, 5, 6, memory.NoLoad, 1, 3, memory.NoLoad}; !slices.Equal(got, want) {
		t.Errorf("loads %d, want %d", got, want)
	}
}

// write writes all results that wait for the register of a unit.
func write(u *Unit) {
	for load := u.result(Never - 1); load != memory.NoLoad; load = u.result(Never - 1) {
		u.written(load, 0)
	}
}
