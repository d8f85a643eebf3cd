package main

import (
	"slices"
	"strings"
	"testing"
)

// output is of go test -cover: a test that ran, one that did not need to, packages without tests or statements.
const output = "ok  \tm/a\t0.280s\tcoverage: 85.2% of statements\n" +
	"ok  \tm/b\t(cached)\tcoverage: 100.0% of statements\n" +
	"\tm/c\t\tcoverage: 0.0% of statements\n" +
	"ok  \tm/d\t0.004s\tcoverage: [no statements]\n" +
	"?   \tm/e\t[no test files]\n"

func TestMeasured(t *testing.T) {
	now := measured([]byte(output))
	if len(now) != 3 || now["m/a"] != 85.2 || now["m/b"] != 100 || now["m/c"] != 0 {
		t.Errorf("measured %v", now)
	}
}

// Each way to break a floor is told, and nothing else.
func TestFloors(t *testing.T) {
	now := measured([]byte(output))
	floors, err := parse([]byte("m/a 86\nm/b 100\nm/gone 3\n"))
	if err != nil {
		t.Fatal(err)
	}
	then, _ := parse([]byte("m/a 85\nm/b 101\nm/other 9\n"))
	for name, x := range map[string]struct {
		faults []string
		want   []string
	}{
		"below":   {below(floors, now), []string{"m/a: its tests cover 85.2 %, its floor is 86"}},
		"without": {without(floors, now), []string{"m/c"}},
		"gone":    {gone(floors, now), []string{"m/gone is gone"}},
		"fallen":  {fallen(then, floors), []string{"m/b: its floor falls from 101 to 100"}},
	} {
		if !slices.EqualFunc(x.faults, x.want, strings.HasPrefix) {
			t.Errorf("%s: %q, want %q", name, x.faults, x.want)
		}
	}
}

// Floors rise to a point below the whole points of a measurement, never fall, and lie in the file as they are read.
func TestRaised(t *testing.T) {
	floors, err := parse([]byte("m/a 80\nm/b 100\nm/gone 3\n"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "m/a 84\nm/b 100\nm/c 0\nm/gone 3\n"
	if got := string(format(raised(floors, measured([]byte(output))))); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestBadFloors(t *testing.T) {
	if _, err := parse([]byte("m/a 80\nm/b\n")); err == nil || !strings.Contains(err.Error(), `"m/b" is no package`) {
		t.Errorf("an absent floor: %v", err)
	}
}
