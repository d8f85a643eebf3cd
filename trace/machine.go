package trace

import (
	"slices"
	"strconv"
	"strings"
)

// Machine is the GPU of a capture, as far as the capture describes it; other fields are zero. In a trace it is the
// GPU, SMVersion and SMs of [Meta], and one attribute for each other fact.
type Machine struct {
	Name         string
	Architecture string // AMD: gfx942
	SMVersion    uint32 // compute capability × 10
	SMs          uint32 // compute units on AMD

	ClockHz              uint64 // highest clock of the SMs
	WarpSize             uint64 // threads
	WarpsPerSM           uint64 // of WarpSize threads
	CTAsPerSM            uint64
	RegistersPerSM       uint64 // of 32 bits, of one thread each
	SharedBytesPerSM     uint64
	SharedBytesPerCTA    uint64 // at most, opted in
	L2Bytes              uint64
	MemoryBytes          uint64
	MemoryBytesPerSecond uint64 // peak
}

// machineFact is one fact and the attribute that holds it.
type machineFact struct {
	key string
	at  *uint64
}

// facts lists where a machine's facts stand among the attributes.
func (m *Machine) facts() []machineFact {
	return []machineFact{
		{"gpu_clock_hz", &m.ClockHz}, {"gpu_warp_size", &m.WarpSize}, {"gpu_warps_per_sm", &m.WarpsPerSM},
		{"gpu_ctas_per_sm", &m.CTAsPerSM}, {"gpu_registers_per_sm", &m.RegistersPerSM},
		{"gpu_shared_bytes_per_sm", &m.SharedBytesPerSM}, {"gpu_shared_bytes_per_cta", &m.SharedBytesPerCTA},
		{"gpu_l2_bytes", &m.L2Bytes}, {"gpu_memory_bytes", &m.MemoryBytes},
		{"gpu_memory_bytes_per_s", &m.MemoryBytesPerSecond},
	}
}

const architectureAttr = "gpu_architecture"

// SetMachine puts a machine into the metadata, in place of the one there.
func (m *Meta) SetMachine(g Machine) {
	m.GPU, m.SMVersion, m.SMs = g.Name, g.SMVersion, g.SMs
	known := g.facts()
	m.Attrs = slices.DeleteFunc(m.Attrs, func(a Attr) bool {
		return a.Key == architectureAttr || slices.ContainsFunc(known, func(k machineFact) bool { return k.key == a.Key })
	})
	if g.Architecture != "" {
		m.Attrs = append(m.Attrs, Attr{architectureAttr, g.Architecture})
	}
	for _, k := range known {
		if *k.at > 0 {
			m.Attrs = append(m.Attrs, Attr{k.key, strconv.FormatUint(*k.at, 10)})
		}
	}
	slices.SortStableFunc(m.Attrs, func(a, b Attr) int { return strings.Compare(a.Key, b.Key) })
}

// Machine returns what the metadata say of the captured GPU; a value that is no
// number counts as not said.
func (m *Meta) Machine() Machine {
	g := Machine{Name: m.GPU, SMVersion: m.SMVersion, SMs: m.SMs}
	at := map[string]*uint64{}
	for _, k := range g.facts() {
		at[k.key] = k.at
	}
	for _, a := range m.Attrs {
		if a.Key == architectureAttr {
			g.Architecture = a.Value
		} else if to := at[a.Key]; to != nil {
			*to, _ = strconv.ParseUint(a.Value, 10, 63)
		}
	}
	return g
}
