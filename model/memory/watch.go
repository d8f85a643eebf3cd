package memory

// Watcher observes the hits and the DRAM commands of accesses, in the order in which they are timed.
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
