package pagoda

import "gpureplay/model"

// Shape is the size and the choices of a run of Pagoda.
type Shape struct {
	MTB       MTBConfig
	Rows      int // of the TaskTable, per MTB
	MTBs      int // per SM; 0: two, or one where two do not fit
	Registers uint32
	Batch     int // tasks of a batch; 0: no batches
	Copies    model.TaskCopies

	EntryBytes uint64
	SpawnNs    float64 // host time of a spawn in ns; < 0: the time of a copy's call
}

// New returns a runtime of the given shape.
func New(s Shape) *Runtime { return &Runtime{shape: s} }
