package command

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"gpureplay/replay"
)

// progress shows how far a run of several policies is; on a terminal only.
type progress struct{ bar *progressbar.ProgressBar }

func (a *app) progress(policies int) *progress {
	if a.quiet || !isTerminal(a.err) {
		return &progress{}
	}
	return &progress{progressbar.NewOptions(policies, progressbar.OptionSetWriter(a.err),
		progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(30), progressbar.OptionShowCount())}
}

func (p *progress) started(label string) {
	if p.bar != nil {
		p.bar.Describe(label)
	}
}

func (p *progress) finished(string) {
	if p.bar != nil {
		p.bar.Add(1)
	}
}

// within is told how far a run is.
func (p *progress) within(label string, x replay.Progress) {
	if p.bar == nil {
		return
	}
	text := fmt.Sprintf("%s: cycle %s", label, humanize.Comma(x.Cycles))
	if x.Total > 0 {
		text += fmt.Sprintf(", %.0f %% of its instructions", 100*float64(min(x.Insts, x.Total))/float64(x.Total))
	}
	text += fmt.Sprintf(", %.1f M/s", x.PerSecond/1e6)
	if x.Left > 0 {
		text += fmt.Sprintf(", %s left", x.Left.Round(time.Second))
	}
	p.bar.Describe(text)
}

// done is told how many of all runs have ended, and which was the last.
func (p *progress) done(done, total int, name string) {
	if p.bar == nil {
		return
	}
	if p.bar.GetMax() != total {
		p.bar.ChangeMax(total)
	}
	p.bar.Describe(name)
	p.bar.Set(done)
}

func (p *progress) close() {
	if p.bar != nil {
		p.bar.Finish()
	}
}

// byteProgress shows how much of a file was read; on a terminal only.
func (a *app) byteProgress() *progress {
	if a.quiet || !isTerminal(a.err) {
		return &progress{}
	}
	return &progress{progressbar.NewOptions64(-1, progressbar.OptionSetWriter(a.err), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetWidth(30), progressbar.OptionShowBytes(true), progressbar.OptionThrottle(100*time.Millisecond))}
}

// bytes is told of the bytes read, of how many in all (0: unknown).
func (p *progress) bytes(done, total int64) {
	if p.bar == nil {
		return
	}
	if total > 0 && p.bar.GetMax64() != total {
		p.bar.ChangeMax64(total)
	}
	p.bar.Set64(done)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
