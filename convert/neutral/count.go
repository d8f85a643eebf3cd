package neutral

import (
	"cmp"
	"slices"

	tables "gpureplay/replay/table/neutral"
	"gpureplay/trace"
)

// count reads the counted instructions of a CTA.
func (c *converter) count(k *trace.Kernel, at tables.Place) (counts []trace.Count, err error) {
	for c.counts.at(at) {
		r := &c.counts.head
		i := r.Instruction
		if i == tables.None {
			if i, err = c.countedInst(k.Function, r); err != nil {
				return nil, err
			}
		}
		if int64(i) >= int64(len(c.code[k.Function])) {
			return nil, c.counts.Errorf("instruction %d, but the function has %d", i, len(c.code[k.Function]))
		}
		if r.Executions > trace.MaxTimes {
			return nil, c.counts.Errorf("%d executions, more than %d", r.Executions, uint64(trace.MaxTimes))
		}
		if r.Executions > 0 {
			counts = addCount(counts, i, r.Executions)
		}
		if err := c.counts.advance(); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// addCount adds executions to an instruction's.
func addCount(counts []trace.Count, inst uint32, times uint64) []trace.Count {
	at, found := slices.BinarySearchFunc(counts, inst, func(n trace.Count, i uint32) int { return cmp.Compare(n.Inst, i) })
	if found {
		counts[at].Times += times
		return counts
	}
	return slices.Insert(counts, at, trace.Count{Inst: inst, Times: times})
}

// countedInst returns the instruction of a function that a row describes.
func (c *converter) countedInst(function uint32, r *tables.CountRow) (uint32, error) {
	key := madeKey{function: function, class: trace.Class(r.Class)}
	if key.class == trace.ClassMemory {
		if r.Width == 0 {
			return 0, c.counts.Errorf("column width_bytes: an access has at least one byte")
		}
		key = madeKey{function: function, operation: r.Operation, space: r.Space, width: r.Width}
	}
	return c.makeInst(key)
}
