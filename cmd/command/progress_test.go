package command

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"

	"gpureplay/replay"
)

// shared is a buffer for writers side by side.
type shared struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *shared) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// On a pipe a long run writes a line from time to time, with the share of its work and the
// time that is left.
func TestProgressLines(t *testing.T) {
	lineEvery = time.Millisecond
	t.Cleanup(func() { lineEvery = 10 * time.Second })
	var errs shared
	p := (&app{err: &errs}).progress(2)
	p.started("serial")
	p.within("serial", replay.Progress{Insts: 300, Total: 400})
	p.finished("serial")
	p.started("ppcs")
	p.within("ppcs", replay.Progress{Cycles: 50, Span: 100})
	for range 1000 {
		if strings.Contains(errs.String(), "ppcs") {
			break
		}
		time.Sleep(time.Millisecond)
	}
	p.close()
	if want := "ppcs: 75 %, 1 of 2 runs done, 0s left\n"; !strings.Contains(errs.String(), want) {
		t.Errorf("%q, want %q among them", errs.String(), want)
	}
	errs = shared{}
	p = (&app{err: &errs, quiet: true}).progress(1)
	p.started("serial")
	time.Sleep(5 * time.Millisecond)
	if p.close(); errs.String() != "" {
		t.Errorf("quiet: %q", errs.String())
	}
}

// The time that is left follows from the share that is done and the time that it took.
func TestProgressETA(t *testing.T) {
	p := &progress{runs: 1, running: map[string]float64{}, began: time.Now().Add(-20 * time.Second)}
	p.started("serial")
	if got := p.text(); got != "serial: 0 %" {
		t.Errorf("at the begin: %q", got)
	}
	p.within("serial", replay.Progress{Insts: 25, Total: 100})
	if got := p.text(); got != "serial: 25 %, 1m0s left" {
		t.Errorf("after a quarter in 20 s: %q", got)
	}
	p.within("serial", replay.Progress{Insts: 900, Total: 100})
	if share := p.share(); share >= 1 {
		t.Errorf("a run that goes on has done %v", share)
	}
	p.finished("serial")
	if share := p.share(); share != 1 {
		t.Errorf("at the end %v is done", share)
	}
	p.bytes("x")(10, 0) // of unknown size
}

// The share of a run is of its instructions, or in a capture of its recorded time.
func TestShare(t *testing.T) {
	for share, p := range map[float64]replay.Progress{
		0: {Cycles: 5}, 0.5: {Insts: 2, Total: 4, Span: 100, Cycles: 99}, 0.25: {Cycles: 25, Span: 100},
		0.999: {Insts: 4, Total: 4},
	} {
		if got := p.Share(); got != share {
			t.Errorf("%+v: %v, want %v", p, got, share)
		}
	}
}
