package dtbl

import (
	"gpureplay/model"
	"gpureplay/trace"
)

// Match is which kernels a group may join.
type Match uint8

const (
	Distributor Match = iota // those in the kernel distributor (DTBL paper, section 4.2)
	Launched                 // and those that earlier groups have become and that are on their way to it
	None                     // none: each group takes an entry of the distributor of its own (DTBL paper, section 4.3)
)

// Settings are the choices that the paper varies or leaves open.
type Settings struct {
	Entries int  // of the table, a power of two; 0: there is none
	Hashed  bool // the launching hardware thread names the entry; false: any free one
	Match   Match
	// the warp of a group that may join no kernel makes the rest of a device kernel's launch calls; false: the SMX
	// scheduler hands it to the KMU in the next cycle
	API bool
	// records in memory that are read at a time, the next ones of the first kernel that has some; 0: all are at hand
	ReadAhead int
}

// Groups is the unit: all of a [model.GroupUnit] but the decision.
type Groups struct {
	Settings
	m       *model.GroupMachine
	table   *table
	spilled uint64
	coming  map[shape]*coming // groups that have become device kernels and that others may join
}

// shape is the properties that a kernel and a group must share.
type shape struct {
	function uint32
	block    trace.Dim3
	shared   uint32
}

func shapeOf(k *trace.Kernel) shape { return shape{k.Function, k.Block, k.SharedBytes} }

// coming is a group that has become a device kernel, and those that wait for it to enter
// the distributor.
type coming struct {
	first  model.GroupRequest
	joined []model.GroupRequest
}

// Start is of [model.GroupUnit].
func (u *Groups) Start(m *model.GroupMachine) {
	u.m, u.table, u.spilled, u.coming = m, newTable(u.Settings.Entries, u.Hashed), 0, make(map[shape]*coming)
}

// Search is the latency of launching groups in cycles. The parameter buffer and the search for an eligible kernel
// (a cycle per entry, pipelined over the lanes) run in parallel, and the slower counts. Then comes a cycle per
// entry of the table.
func (u *Groups) Search(lanes int) model.Time {
	c := u.m.Config()
	search := c.KMU.Entries + lanes - 1
	return model.Time(max(c.Launch.ParamBase+c.Launch.ParamPerLane*lanes, search) + 1)
}

// Arrived is of [model.GroupUnit]. Where groups may also join kernels on their way, the next groups find one that
// found none.
func (u *Groups) Arrived(g model.GroupRequest, t model.Time) (model.GroupFate, string) {
	if u.Match == None {
		return model.GroupEnters, "entry of its own"
	}
	s := shapeOf(g.Kernel)
	if k, ok := u.eligible(s); ok {
		u.track(g, t)
		u.join(g, k, t)
		return model.GroupJoins, ""
	}
	if u.Match == Launched {
		if c := u.coming[s]; c != nil {
			u.track(g, t)
			c.joined = append(c.joined, g)
			return model.GroupJoins, ""
		}
		u.coming[s] = &coming{first: g}
	}
	return model.GroupRefused, "no eligible kernel"
}

// eligible returns the first kernel of the distributor of a shape.
func (u *Groups) eligible(s shape) (k model.GroupKernel, ok bool) {
	for i := range u.m.Kernels() {
		if k = u.m.Kernel(i); shapeOf(k.Header()) == s && !k.Ending() {
			return k, true
		}
	}
	return k, false
}

// track gives a group an entry of the table.
func (u *Groups) track(g model.GroupRequest, t model.Time) {
	entry := u.table.allocate(g.Thread)
	if entry < 0 {
		u.spilled++
	}
	g.Track(entry, t)
}

// join has a group join a kernel.
func (u *Groups) join(g model.GroupRequest, k model.GroupKernel, t model.Time) {
	if g.Spilled() && u.ReadAhead > 0 {
		g.Join(k, model.Unset, t)
	} else {
		g.Join(k, t+1, t)
	}
}

// Refused is of [model.GroupUnit].
func (u *Groups) Refused(groups int, t model.Time) (arrive model.Time, holds bool) {
	if !u.API {
		return t + 1, false // the launch command has been issued: the SMX scheduler hands the group on
	}
	c := &u.m.Config().Launch
	return t + u.m.Latency(groups) - model.Time(c.ParamBase+c.ParamPerLane*groups), true
}

// Entered lets the groups that wait for a kernel join it as it enters the distributor.
func (u *Groups) Entered(k model.GroupKernel, t model.Time) {
	s := shapeOf(k.Header())
	c := u.coming[s]
	if c == nil || !c.first.Is(k) {
		return
	}
	delete(u.coming, s)
	for _, g := range c.joined {
		u.join(g, k, t)
	}
}

// Look reads records from global memory, from the moment on that they are among the first unplaced ones of the list
// (docs/model, choice 15). Of the first kernel with records it reads as many as are read ahead, and of the others
// one, as there is one place on chip.
func (u *Groups) Look(l *model.GroupList, first bool, t model.Time) (some bool) {
	if u.ReadAhead == 0 {
		return false
	}
	n := 1
	if first {
		n = u.ReadAhead
	}
	for i := 0; i < l.Len() && n > 0; i++ {
		g := l.At(i)
		if g.Placed() {
			continue
		}
		some = true
		n--
		if g.Ready == model.Unset && g.Since < t {
			g.Ready = u.m.Load(g.Child(), t)
		}
	}
	return some
}

// Left is of [model.GroupUnit].
func (u *Groups) Left(entry int32) { u.table.free(entry) }

// Entries is of [model.GroupUnit].
func (u *Groups) Entries() int { return u.Settings.Entries }

// Used is of [model.GroupUnit].
func (u *Groups) Used() int { return u.table.n }

// Finish is of [model.GroupUnit].
func (u *Groups) Finish() {
	if u.Settings.Entries > 0 {
		u.m.Set("agt_spilled_groups", float64(u.spilled))
		u.m.Set("agt_most_used_entries", float64(u.table.most))
	}
}
