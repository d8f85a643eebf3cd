package reference

import (
	"gpureplay/model"
	"gpureplay/model/hardware"
)

// nChannel is a DRAM channel.
type nChannel struct {
	cfg     *hardware.Config
	queue   nQueue // among which FR-FCFS chooses
	held    nQueue // those and requests that wait for a place among them
	bus     *nPort // in bursts
	banks   []nBank
	turn    model.Time
	barred  nCycles      // in which no bank may be activated: trrd from activations of others
	pending nCycles      // with a request
	works   []model.Time // cycles without refresh, as far as anybody looked
	at      int          // that was asked for last
}

// working is the number of cycles before t that have no refresh.
func (c *nChannel) working(t model.Time) model.Time {
	c.look(t)
	for c.at > 0 && c.works[c.at-1] >= t {
		c.at--
	}
	for c.works[c.at] < t {
		c.at++
	}
	return model.Time(c.at)
}

// look finds the cycles without refresh up to the first from t on.
func (c *nChannel) look(t model.Time) {
	d, next := &c.cfg.DRAM, model.Time(0)
	if n := len(c.works); n > 0 {
		next = c.works[n-1] + 1
	}
	for ; len(c.works) == 0 || c.works[len(c.works)-1] < t; next++ {
		if d.TREFI == 0 || int(next)%d.TREFI < d.TREFI-d.TRFC {
			c.works = append(c.works, next)
		}
	}
}

// cycle is where working cycle w is.
func (c *nChannel) cycle(w model.Time) model.Time {
	for t := w; model.Time(len(c.works)) <= w; t += 100 {
		c.look(t)
	}
	return c.works[w]
}

// interval is the interval between refreshes that working cycle w lies in.
func (c *nChannel) interval(w model.Time) model.Time {
	if c.cfg.DRAM.TREFI == 0 {
		return 0
	}
	return c.cycle(w) / model.Time(c.cfg.DRAM.TREFI)
}

type nBank struct {
	rows                    []nRow // as opened, the open one last
	lastAct, lastCol, wrote model.Time
	everCol                 bool
}

type nRow struct {
	row        uint64
	open, last model.Time
	interval   model.Time
}

func newNChannel(c *hardware.Config) *nChannel {
	return &nChannel{
		cfg: c, queue: nQueue{size: c.DRAM.Window}, held: nQueue{size: c.DRAM.Window + c.DRAM.Return},
		bus: port(1, 1), barred: cycles(), banks: make([]nBank, c.DRAM.Banks), pending: cycles(),
	}
}

// access times n sectors from one on, which lie in one row.
func (c *nChannel) access(sector uint64, n int, t model.Time, write bool) (done model.Time, hit bool) {
	d := &c.cfg.DRAM
	clock := port(c.cfg.Clock.DRAMMHz, c.cfg.Clock.CoreMHz)
	now := ceilDiv(c.queue.room(t+model.Time(c.cfg.DRAM.Latency))*clock.clock, clock.against)
	bank, row := nPlace(c.cfg, sector)
	b := &c.banks[bank]
	cmd, hit := c.open(b, row, c.working(now))
	delay := model.Time(d.TCL)
	if write {
		delay = model.Time(d.TWL)
	} else if c.turn > cmd {
		cmd = min(c.turn, cmd) + model.Time(d.TCDLR)
	}
	burst := ceilDiv(32, model.Time(d.BusBytes*d.DataRate))
	data := model.Time(0)
	for range n {
		if gap := cmd - b.lastCol; b.everCol && gap >= 0 && gap < model.Time(d.TCCD) {
			cmd = b.lastCol + model.Time(d.TCCD)
		}
		b.lastCol, b.everCol = max(b.lastCol, cmd), true
		data = max(data, c.bus.reserve(ceilDiv(cmd+delay, burst))*burst)
	}
	r := &b.rows[len(b.rows)-1]
	r.last = max(r.last, data)
	if write {
		c.turn = data + burst
		b.wrote = max(b.wrote, c.turn)
	}
	done = ceilDiv((c.cycle(data+burst-1)+1)*clock.against, clock.clock)
	c.queue.leaves, c.held.leaves = append(c.queue.leaves, done), append(c.held.leaves, done)
	return done, hit
}

// open gives the first column command of a row: at once if it is open, or among
// the last 16 and still served.
func (c *nChannel) open(b *nBank, row uint64, now model.Time) (cmd model.Time, hit bool) {
	d := &c.cfg.DRAM
	for i := len(b.rows) - 1; i >= 0 && i >= len(b.rows)-16; i-- {
		r := &b.rows[i]
		if i < len(b.rows)-1 && r.last < now {
			break
		}
		if r.row == row && r.interval == c.interval(now) {
			if i < len(b.rows)-1 {
				r.last++
			}
			return max(now, r.open), true
		}
	}
	act := now
	if len(b.rows) > 0 && b.rows[len(b.rows)-1].interval == c.interval(now) {
		pre := max(now, b.rows[len(b.rows)-1].last, b.lastAct+model.Time(d.TRAS))
		if b.wrote > 0 {
			pre = max(pre, b.wrote+model.Time(d.TWR))
		}
		act = max(pre+model.Time(d.TRP), b.lastAct+model.Time(d.TRC))
	}
	for c.barred.has(act) {
		act++
	}
	if after := now; c.interval(act+model.Time(d.TRCD)) > c.interval(now) {
		for c.interval(after) == c.interval(now) {
			after++
		}
		return c.open(b, row, after)
	}
	b.lastAct = act
	for near := max(0, act-model.Time(d.TRRD)+1); near < act+model.Time(d.TRRD); near++ {
		if near/64 >= c.barred.latest[near/64%256] {
			c.barred.take(near)
		}
	}
	b.rows = append(b.rows, nRow{row: row, open: act + model.Time(d.TRCD), interval: c.interval(act)})
	return b.rows[len(b.rows)-1].open, false
}
