package policies

import (
	"testing"

	"gpureplay/model"
)

// The windows of the registers end at multiples of 1,024. Two CTAs start at 100 and
// 612 and end at 2,148 and 2,660 (2,048 cycles each).
//
//	window      CTA cycles                 n_con
//	0..1023     924 + 412 = 1336           1
//	1024..2047  2048                       2
//	2048..3071  100 + 612 = 712            0
func TestCCQSWindows(t *testing.T) {
	fill := func() *ccqs {
		q := &ccqs{}
		q.enter(2)
		q.started(100)
		q.started(612)
		return q
	}
	check := func(q *ccqs, t0 model.Time, want queueMetrics) {
		t.Helper()
		if got := q.metrics(t0); got != want {
			t.Errorf("cycle %d: %+v, want %+v", t0, got, want)
		}
	}
	q := fill()
	check(q, 1023, queueMetrics{N: 2})
	check(q, 1024, queueMetrics{N: 2, NCon: 1, Held: 1})
	check(q, 2047, queueMetrics{N: 2, NCon: 1, Held: 1})
	check(q, 2048, queueMetrics{N: 2, NCon: 2, Held: 2})
	q.warpEnded(2147, 2048)
	q.ended(2148, 2048)
	check(q, 2148, queueMetrics{N: 2, NCon: 2, Held: 2}) // an end is seen from the next cycle on
	check(q, 2149, queueMetrics{N: 1, NCon: 2, Held: 2, TCTA: 2048})
	q.warpEnded(2659, 2049)
	q.ended(2660, 2049)
	check(q, 3071, queueMetrics{NCon: 2, Held: 2, TCTA: 2048}) // 4097/2
	check(q, 3072, queueMetrics{NCon: 0, Held: 2, TCTA: 2048, TWarp: 2048})
	check(q, 1<<40, queueMetrics{NCon: 0, Held: 2, TCTA: 2048, TWarp: 2048})
}

// Windows in which nothing changes are skipped with the same outcome as one by one.
func TestCCQSSkipsIdleWindows(t *testing.T) {
	for _, after := range []model.Time{1, 1023, 1024, 1025, 2048, 3000, 5 * 1024, 5*1024 + 7, 99*1024 - 1} {
		jump, step := &ccqs{}, &ccqs{}
		for _, q := range []*ccqs{jump, step} {
			q.enter(3)
			q.started(10)
			q.started(900)
			q.warpEnded(1000, 77)
		}
		for x := model.Time(1001); x <= 1000+after; x++ {
			step.roll(x)
		}
		if a, b := jump.metrics(1000+after), step.metrics(1000+after); a != b {
			t.Errorf("%d cycles later: %+v at once, %+v one by one", after, a, b)
		}
		if jump.area != step.area || jump.window != step.window {
			t.Errorf("%d cycles later: window %d with %d, one by one %d with %d", after, jump.window, jump.area, step.window,
				step.area)
		}
	}
}

// The mean time of a warp comes from the last window in which one finished, and from no window before it.
func TestCCQSAveragesWindowByWindow(t *testing.T) {
	q := &ccqs{}
	q.enter(3)
	for range 3 {
		q.started(10)
	}
	q.warpEnded(500, 400)
	q.warpEnded(600, 200)
	if got := q.metrics(1100).TWarp; got != 300 {
		t.Errorf("cycle 1100: warps take %d, want 300", got)
	}
	q.warpEnded(1500, 1000)
	for _, at := range []model.Time{2100, 9000} {
		if got := q.metrics(at).TWarp; got != 1000 {
			t.Errorf("cycle %d: warps take %d, want 1000", at, got)
		}
	}
}
