package memory

// Watcher is told of what happens behind an access, in the order in which it is timed.
type Watcher interface {
	Hit(*Hit)
	Activated(*Command) // a row of a bank has been opened
	Column(*Command)    // a sector of it is read or written
}

// Hit is a load of an L1 that finds its sectors there or on their way.
type Hit struct {
	SM     int
	Sector uint64
	Filled Time // when the last of them is there
}

// Command is one of a DRAM channel, in its working cycles: those without refreshes.
type Command struct {
	Channel, Bank int
	Row           uint64
	Refreshes     Time // before its row was opened
	At            Time
	Data          Time // of a column command: when its data is on the bus
	Write         bool
}

// Watch has a watcher told from now on.
func (m *System) Watch(w Watcher) {
	m.watcher = w
	for i := range m.channels {
		m.channels[i].watcher, m.channels[i].number = w, i
	}
}

// tell tells of a column command, and of the opening of its row before it.
func (c *channel) tell(x Command, opened bool) {
	x.Channel = c.number
	if opened {
		act := x
		act.At, act.Data, act.Write = c.banks[x.Bank].lastAct, 0, false
		c.watcher.Activated(&act)
	}
	c.watcher.Column(&x)
}
