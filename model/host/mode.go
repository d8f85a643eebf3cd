package host

// Mode is how the host runs its program.
type Mode uint8

const (
	Streams  Mode = iota // as the program says: streams, events and waits
	Serial               // every operation waits for the one before it
	Bound                // as Serial, but the prelude hides the first kernel and the postlude the last
	Captured             // as Streams, but work begins no earlier than it was recorded to
	Graph                // as Streams, but all work between two waits of the host is launched in one call
	Freed                // as Streams, but a kernel waits for events and copies before it in its stream, not for kernels
	AtOnce               // as Streams, but no recorded time lies between a call and the begin of its work
)

func (h Mode) String() string {
	return [...]string{"streams", "serial", "bound", "captured", "graph", "freed", "at-once"}[h]
}

// Serial reports whether every operation waits for the one before it.
func (h Mode) Serial() bool { return h == Serial || h == Bound }
