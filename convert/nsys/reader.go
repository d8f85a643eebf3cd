package nsys

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"gpureplay/convert/sqlite"
	"gpureplay/convert/timeline"
	"gpureplay/trace"
)

// Info has an export's facts apart from its events.
type Info struct {
	GPUs       map[uint32]trace.Machine
	Version    string   // of Nsight Systems
	Migrations uint64   // pages moved by unified memory, left out
	Faults     uint64   // groups of page faults, left out
	BadRows    uint64   // rows whose times are no numbers, left out
	Unnamed    uint64   // kernels whose name id is unknown
	Complaints []string // of Nsight Systems about the capture
}

const (
	maxGPUs     = 1 << 12
	maxContexts = 1 << 20
	maxStrings  = 1 << 20
)

type context struct{ process, context, green int64 }

type reader struct {
	db       *sqlite.DB
	b        *timeline.Builder
	info     Info
	contexts map[context]uint64
	names    map[int64]uint32 // StringIds.id: name of a kernel
	calls    map[int64]call   // StringIds.id: the function's kind
	api      timeline.API
	noPid    bool // activities do not say their process: correlation ids count alone
}

type call struct {
	kind  timeline.CallKind
	async bool
}

// Is reports whether the file is an export of Nsight Systems.
func Is(db *sqlite.DB) bool {
	return db.Has("StringIds") && (db.Has("CUPTI_ACTIVITY_KIND_KERNEL") || db.Has("CUPTI_ACTIVITY_KIND_RUNTIME") ||
		db.Has("CUPTI_ACTIVITY_KIND_GRAPH_TRACE") || db.Has("TARGET_INFO_GPU") || db.Has("META_DATA_EXPORT"))
}

// Read adds the export's events to b.
func Read(db *sqlite.DB, b *timeline.Builder) (*Info, error) {
	r := &reader{
		db: db, b: b, info: Info{GPUs: map[uint32]trace.Machine{}}, contexts: map[context]uint64{},
		names: map[int64]uint32{}, calls: map[int64]call{},
	}
	if db.Has(kernelTable) {
		has, err := db.HasColumn(kernelTable, "globalPid")
		if err != nil {
			return &r.info, err
		}
		r.noPid = !has
	}
	for _, part := range []func() error{
		r.about, r.complaints, r.gpus, r.kernels, r.graphs, r.copies, r.memsets, r.events, r.syncs, r.runtime, r.ranges,
		r.faults,
	} {
		if err := part(); err != nil {
			return &r.info, err
		}
	}
	return &r.info, nil
}

func (r *reader) about() error {
	return r.db.Each("META_DATA_EXPORT", []string{"name", "value"}, func(v []sqlite.Value) error {
		if v[0].Text == "EXPORT_PRODUCT_VERSION" {
			r.info.Version = v[1].Text
		}
		return nil
	})
}

// maxComplaints bounds the texts that are kept.
const maxComplaints = 3

// warning is the least severity of a text that is kept.
const warning = 2

// aboutGPU tells the texts about missing kernels from the others.
var aboutGPU = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`CUDA|CUPTI|GPU|driver`) })

// complaints reads the warnings and errors that Nsight Systems had about the capture.
func (r *reader) complaints() error {
	return r.db.Each("DIAGNOSTIC_EVENT", []string{"severity", "text"}, func(v []sqlite.Value) error {
		text := strings.Join(strings.Fields(v[1].Text), " ")
		if v[0].Int >= warning && aboutGPU().MatchString(text) && len(r.info.Complaints) < maxComplaints {
			r.info.Complaints = append(r.info.Complaints, text)
		}
		return nil
	})
}

// text returns a string of StringIds, and whether it is there.
func (r *reader) text(id int64) (out string, found bool, err error) {
	err = r.db.Where("StringIds", []string{"value"}, "id", id, "", func(v []sqlite.Value) error {
		out, found = v[0].Text, true
		if v[0].IsInt {
			out = strconv.FormatInt(v[0].Int, 10)
		}
		return nil
	})
	return out, found, err
}

func (r *reader) name(v sqlite.Value) (uint32, error) {
	if !v.IsInt && !v.Null { // some exports hold the text itself
		return r.b.Name([]byte(v.Text))
	}
	id, ok := r.names[v.Int]
	if ok {
		return id, nil
	}
	text, found, err := r.text(v.Int)
	if err != nil {
		return 0, err
	}
	if !found {
		r.info.Unnamed++
	}
	id, err = r.b.Name([]byte(text))
	if len(r.names) < maxStrings {
		r.names[v.Int] = id
	}
	return id, err
}

func (r *reader) call(v sqlite.Value) (call, error) {
	text := []byte(v.Text)
	if v.IsInt {
		if c, ok := r.calls[v.Int]; ok {
			return c, nil
		}
		s, _, err := r.text(v.Int)
		if err != nil {
			return call{}, err
		}
		text = []byte(s)
	}
	var c call
	c.kind, c.async = r.api.Classify(text)
	if v.IsInt && len(r.calls) < maxStrings {
		r.calls[v.Int] = c
	}
	return c, nil
}

const kernelTable = "CUPTI_ACTIVITY_KIND_KERNEL"

// pid is the process part of a globalPid or globalTid.
func pid(global int64) uint64 { return uint64(global) / 0x1000000 % 0x1000000 }

// unknown32 is how CUPTI writes that there is none.
const unknown32 = 0xffffffff

func known(v sqlite.Value) bool { return v.IsInt && v.Int >= 0 && v.Int != unknown32 }

// columns that every activity has: where[0:7].
var where = []string{"start", "end", "deviceId", "contextId", "greenContextId", "streamId", "correlationId",
	"globalPid"}

const rest = 8 // index of the first column after those

// activity reads the columns in where.
func (r *reader) activity(v []sqlite.Value) (a timeline.Activity, ok bool) {
	if !v[0].IsInt || !v[1].IsInt {
		r.info.BadRows++
		return a, false
	}
	a = timeline.Activity{
		Process: pid(v[7].Int), Correlation: uint64(v[6].Int),
		StartNs: v[0].Int, DurationNs: v[1].Int - v[0].Int,
		Stream: r.stream(v),
	}
	if known(v[2]) {
		a.Device = uint32(v[2].Int)
	}
	return a, true
}

func (r *reader) stream(v []sqlite.Value) uint64 {
	key := context{v[7].Int, v[3].Int, v[4].Int}
	index, ok := r.contexts[key]
	if !ok {
		index = uint64(len(r.contexts))
		if len(r.contexts) < maxContexts {
			r.contexts[key] = index
		}
	}
	return index<<32 | uint64(uint32(v[5].Int))
}

func small(v sqlite.Value) uint32 {
	return uint32(min(max(v.Int, 0), 1<<32-1))
}

func dim(v []sqlite.Value) trace.Dim3 { return trace.Dim3{small(v[0]), small(v[1]), small(v[2])} }
