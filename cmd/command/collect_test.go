package command

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// gogc reads the collector's setting.
func gogc() uint64 {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// The first collection is late, those behind it are early; GOGC turns it off.
func TestCollectLate(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	t.Setenv("GOGC", "100")
	if collectLate(); gogc() != 100 {
		t.Errorf("GOGC=100 in the environment and %d in force", gogc())
	}
	t.Setenv("GOGC", "")
	if collectLate(); gogc() != 1200 {
		t.Errorf("%d in force at first", gogc())
	}
	for range 200 {
		if runtime.GC(); gogc() == 50 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("%d in force after collections", gogc())
}
