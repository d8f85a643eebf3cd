package command

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"gpureplay/replay"
)

// progress shows the share of the work that is done and the time that is left: as a bar
// on a terminal, and elsewhere as a line every ten seconds.
type progress struct {
	out  io.Writer
	bar  *progressbar.ProgressBar // nil: lines
	stop chan struct{}            // ends the lines; nil: there are none
	over chan struct{}            // closed when the lines have ended

	mu      sync.Mutex
	began   time.Time
	runs    int                // in all
	ended   int                // runs
	running map[string]float64 // share of each run that is done
	label   string             // of the run that was heard of last
}

// barSteps is the number of steps of the bar for a run.
const barSteps = 1000

// lineEvery is the time between two lines.
var lineEvery = 10 * time.Second

// progress shows how far so many runs are; 0: done says how many there are.
func (a *app) progress(runs int) *progress {
	p := &progress{out: a.err, began: time.Now(), runs: runs, running: map[string]float64{}, label: "working"}
	switch {
	case a.quiet:
	case isTerminal(a.err):
		p.bar = progressbar.NewOptions(max(1, runs)*barSteps, progressbar.OptionSetWriter(bare(a.err)),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionSetWidth(30), progressbar.OptionSetElapsedTime(false), progressbar.OptionSetPredictTime(false))
	default:
		p.stop, p.over = make(chan struct{}), make(chan struct{})
		go p.lines()
	}
	return p
}

// lines writes a line from time to time, until it is stopped.
func (p *progress) lines() {
	defer close(p.over)
	tick := time.NewTicker(lineEvery)
	defer tick.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-tick.C:
			p.mu.Lock()
			fmt.Fprintln(p.out, p.text())
			p.mu.Unlock()
		}
	}
}

// share is the part of all work that is done.
func (p *progress) share() float64 {
	sum := float64(p.ended)
	for _, x := range p.running {
		sum += x
	}
	return min(1, sum/float64(max(1, p.runs)))
}

// leastShare is the share of the work from which on the time that is left is told.
const leastShare = 0.01

// text says how far the work is.
func (p *progress) text() string {
	share := p.share()
	text := fmt.Sprintf("%s: %.0f %%", p.label, 100*share)
	if p.runs > 1 {
		text += fmt.Sprintf(", %d of %d runs done", p.ended, p.runs)
	}
	if share >= leastShare && share < 1 {
		left := time.Duration(float64(time.Since(p.began)) * (1 - share) / share)
		text += fmt.Sprintf(", %s left", left.Round(time.Second))
	}
	return text
}

// show brings the bar up to date.
func (p *progress) show() {
	if p.bar == nil {
		return
	}
	if most := max(1, p.runs) * barSteps; p.bar.GetMax() != most {
		p.bar.ChangeMax(most)
	}
	p.bar.Describe(plain(p.text()))
	p.bar.Set(int(p.share() * float64(p.bar.GetMax())))
}

// started begins a run.
func (p *progress) started(label string) { p.at(label, 0) }

// at sets the share of a run that is done.
func (p *progress) at(label string, share float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.label, p.running[label] = label, share
	p.show()
}

// finished ends a run.
func (p *progress) finished(label string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.running, label)
	p.label, p.ended = label, p.ended+1
	p.show()
}

// within takes the state of a run.
func (p *progress) within(label string, x replay.Progress) { p.at(label, x.Share()) }

// done takes how many of all runs have ended, and the name of the last.
func (p *progress) done(done, total int, name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.label, p.ended, p.runs = name, done, total
	p.show()
}

// bytes returns a function that counts the bytes read of a file, of so many in all (0: unknown).
func (p *progress) bytes(label string) func(done, total int64) {
	return func(done, total int64) {
		if total > 0 {
			p.at(label, float64(done)/float64(total))
		}
	}
}

// close removes the bar and ends the lines.
func (p *progress) close() {
	if p.bar != nil {
		p.bar.Finish()
	}
	if p.stop != nil {
		close(p.stop)
		<-p.over
	}
}

// bare is the output itself, for the codes of the bar.
func bare(w io.Writer) io.Writer {
	if c, ok := w.(*checked); ok {
		return c.w
	}
	return w
}

func isTerminal(w io.Writer) bool {
	f, ok := bare(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
