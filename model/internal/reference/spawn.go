package reference

import "gpureplay/model"

// nCounts are the child CTAs and warps that SPAWN's registers count, with all their times (SPAWN paper, section
// IV.B).
type nCounts struct {
	entered     int64 // CTAs of children that count in n
	starts      []model.Time
	ctas, warps []nTook // that have ended
	most        int64   // that a time counts; 0: any
	keeps       bool    // n_con of the last window in which some ran
	early       bool    // n counts a child from the decision on
}

type nTook struct{ at, took model.Time }

func (c *nCounts) time(x nTook) int64 {
	if c.most > 0 {
		return min(c.most, x.took)
	}
	return x.took
}

// mean of the times of those that have ended in [from, to); 0: none.
func (c *nCounts) mean(all []nTook, from, to model.Time) (mean int64) {
	sum, count := int64(0), int64(0)
	for _, x := range all {
		if x.at >= from && x.at < to {
			sum, count = sum+c.time(x), count+1
		}
	}
	if count == 0 {
		return 0
	}
	return sum / count
}

// saw is the registers in cycle t, which count the CTAs that ended before it.
func (c *nCounts) saw(t model.Time) (n, nCon, tCTA, tWarp int64) {
	n = c.entered
	for _, x := range c.ctas {
		if x.at < t {
			n--
		}
	}
	window := t / 1024 * 1024
	for w := window - 1024; w >= 0 && tWarp == 0; w -= 1024 {
		tWarp = c.mean(c.warps, w, w+1024)
	}
	nCon = c.running(window)
	for w := window - 1024; c.keeps && w > 0 && nCon == 0; w -= 1024 {
		nCon = c.running(w)
	}
	return n, nCon, c.mean(c.ctas, 0, t), tWarp
}

// running is the mean number of child CTAs in the window that ends with a cycle.
func (c *nCounts) running(window model.Time) int64 {
	if window == 0 {
		return 0
	}
	sum := model.Time(0)
	for _, s := range c.starts {
		sum += window - max(min(s, window), window-1024)
	}
	for _, x := range c.ctas {
		sum -= window - max(min(x.at, window), window-1024)
	}
	return sum / 1024
}

// spawn is algorithm 1 of the paper; launch is the outcome for a child that pays.
func (n *Machine) spawn(launch nWay, queue int64, work uint32, x int64, r *nRequest) nWay {
	a := &r.answer
	a.n, a.nCon, a.tCTA, a.tWarp = n.kids.saw(n.t)
	if a.tCTA == 0 {
		return launch
	}
	a.tChild = n.apiLatency(1) + (x+a.n)*a.tCTA/max(1, a.nCon)
	a.tParent = int64(work) * a.tWarp
	if a.tChild > a.tParent || a.n+x > queue {
		return nRefuse
	}
	return launch
}
