package reference

import (
	"slices"

	"gpureplay/model"
	"gpureplay/trace"
)

// nWriteback is the write-back register of a load/store unit of the cycle engine, with the results that wait for
// it. They come from shared memory, from requests that bypass the L1, and from fills.
type nWriteback struct {
	entering []nResult // loads of shared memory that keep the unit
	waiting  [3][]nResult
	asked    int // first
	has      *nResult
	queue    []nResponse // replies that have not gone on, where the first had to wait
	last     model.Time  // when the last of them went on
}

// nResponse is a reply to an SM, which goes on from a cycle on.
type nResponse struct {
	from model.Time
	k    *nPacket
}

// past reports whether a reply goes past the L1 to the register.
func (x *nResponse) past() bool { return x.k.kind != trace.InstStore && x.k.fetch == nil }

// respond takes a reply that comes to an SM. One that goes past the L1 waits while another of
// them waits for the register, and holds those that come later.
func (w *nWriteback) respond(k *nPacket, from model.Time) {
	x := nResponse{from, k}
	if len(w.queue) > 0 || x.past() && len(w.waiting[1]) > 0 {
		w.queue = append(w.queue, x)
		return
	}
	if from = max(from, w.last+1); from > x.from {
		w.last = from
	}
	w.goOn(k, from)
}

func (w *nWriteback) goOn(k *nPacket, from model.Time) {
	k.lsu.n.mem.net.flying--
	k.back(from)
}

// nResult may be written from a cycle on.
type nResult struct {
	from model.Time
	h    *nHeld
	left []int // banks that are not written
	mshr *nMSHR
}

// written gives the banks of an instruction's results, the first eight registers.
func (n *Machine) written(in *trace.Inst) (banks []int) {
	var seen []trace.Reg
	for _, r := range in.Dst {
		if r < trace.RegUniform && !slices.Contains(seen, r) && len(seen) < 8 {
			seen = append(seen, r)
			banks = append(banks, int(r)%(n.cfg.SM.RegisterBanks/n.cfg.SM.Schedulers))
		}
	}
	return banks
}

// writes has a result of an access wait for the register, in the order of time.
func (u *nLSU) writes(client int, from model.Time, h *nHeld, mshr *nMSHR) {
	q := &u.register.waiting[client]
	i := len(*q)
	for i > 0 && (*q)[i-1].from > from {
		i--
	}
	*q = slices.Insert(*q, i, nResult{from: from, h: h, left: h.banksWritten, mshr: mshr})
}

// step has a load of shared memory enter that at the end of a cycle, if there is room: one
// that does not keeps the unit. Then the register acts for the fourth cycle behind. Its result
// is written, unless arithmetic writes into a bank then that it needs. If the register is
// empty, it gets another result, of its clients in turn.
func (w *nWriteback) step(u *nLSU) {
	shared := u.n.cfg.Shared
	if len(w.entering) > 0 && w.entering[0].from <= u.n.t && len(w.waiting[0]) < max(1, shared.Latency) {
		u.writes(0, u.n.t-1+model.Time(shared.Latency+shared.Writeback), w.entering[0].h, nil)
		w.entering = w.entering[1:]
	}
	if len(w.entering) > 0 && w.entering[0].from <= u.n.t {
		u.free = max(u.free, u.n.t+1)
	}
	t := u.n.t + 4
	if x := w.has; x != nil {
		for len(x.left) > 0 {
			banks := u.s.coll.scheds[x.h.sched].writes
			if banks[nWrite{t, x.left[0]}] {
				break
			}
			banks[nWrite{t, x.left[0]}] = true
			x.left = x.left[1:]
		}
		if len(x.left) == 0 {
			w.has = nil
			u.answered(x.h, t)
		}
	}
	for i := range w.waiting {
		c := (w.asked + i) % len(w.waiting)
		if q := &w.waiting[c]; w.has == nil && len(*q) > 0 && (*q)[0].from <= t+1 {
			x := (*q)[0]
			*q = (*q)[1:]
			w.has, w.asked = &x, c+1
			if x.h.release != nil && x.h.closed && x.h.open == 1 {
				x.h.release(t + 1)
			}
			if x.mshr != nil {
				x.mshr.waiting--
				x.mshr.free = max(x.mshr.free, u.n.t)
			}
			break
		}
	}
	if len(w.queue) > 0 && w.queue[0].from <= t+2 && (!w.queue[0].past() || len(w.waiting[1]) == 0) {
		k := w.queue[0].k
		w.queue, w.last = w.queue[1:], t+2
		w.goOn(k, t+2)
	}
}
