// Package switched tells a build with planted faults which fault is on. The environment says it (MUTANT=n), or
// names the file for the list of tests that reach each fault (MUTANT_REACHED=file).
package switched

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

var (
	on       = number()
	recorder = open()
	lock     sync.Mutex
	test     string
	reached  [1 << 16]atomic.Bool // of the test that runs, by fault
)

func number() int {
	n, err := strconv.Atoi(os.Getenv("MUTANT"))
	if err != nil {
		return -1
	}
	return n
}

func open() *os.File {
	name := os.Getenv("MUTANT_REACHED")
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		panic(err)
	}
	return f
}

// On says whether a fault is on.
func On(fault int) bool {
	if recorder != nil && !reached[fault].Load() {
		note(fault)
	}
	return fault == on
}

// Sel is the value with a fault or the one without.
func Sel[T any](fault int, right, wrong T) T {
	if On(fault) {
		return wrong
	}
	return right
}

func note(fault int) {
	lock.Lock()
	defer lock.Unlock()
	if test != "" && !reached[fault].Swap(true) {
		fmt.Fprintf(recorder, "reach %s %d\n", test, fault)
	}
}

// Test says that a test begins. The function that it returns says that it has ended.
func Test(name string) func() {
	if recorder == nil {
		return func() {}
	}
	lock.Lock()
	defer lock.Unlock()
	test = name
	for i := range reached {
		reached[i].Store(false)
	}
	began := used()
	return func() {
		lock.Lock()
		defer lock.Unlock()
		fmt.Fprintf(recorder, "test %s %d\n", name, used()-began)
		test = ""
	}
}
