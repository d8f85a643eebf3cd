package hyfiss

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"gpureplay/trace"
)

const (
	maxLine    = 1 << 20
	maxKernels = 1 << 16
	maxInsts   = 1 << 20
	// MaxCTAs bounds the CTAs whose SM is kept, over all kernels.
	MaxCTAs = 1 << 25
)

// Kernel is one kernel of app.config.
type Kernel struct {
	ID          uint32
	Name        string
	Grid, Block trace.Dim3
	Registers   uint32
	SharedBytes uint32
	Stream      uint64
	SharedBase  uint64
	LocalBase   uint64
	SMs         []int32 // by CTA; nil: not recorded
}

// eachLine reads text without comments and blank lines.
func eachLine(in io.Reader, use func(string) error) error {
	s := bufio.NewScanner(in)
	s.Buffer(nil, maxLine)
	for n := 1; s.Scan(); n++ {
		line := strings.TrimSpace(s.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		if err := use(line); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return s.Err()
}

var option = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^-kernel_(\d+)_([a-z_]+)\s*(.*)$`)
})

// number reads decimal, 0x hexadecimal, or bare hexadecimal.
func number(text string) (uint64, error) {
	if v, err := strconv.ParseUint(text, 0, 64); err == nil {
		return v, nil
	}
	return strconv.ParseUint(text, 16, 64)
}

// ReadApp returns the kernels of an app.config, in the order in which the
// application launched them.
func ReadApp(in io.Reader) ([]*Kernel, error) {
	byID := map[uint32]*Kernel{}
	var order []uint32
	err := eachLine(in, func(line string) error {
		if ids, ok := strings.CutPrefix(line, "-app_kernels_id"); ok {
			for id := range strings.SplitSeq(strings.TrimSpace(ids), ",") {
				v, err := strconv.ParseUint(strings.TrimSpace(id), 10, 32)
				if id == "" {
					continue
				}
				if err != nil || len(order) == maxKernels {
					return fmt.Errorf("-app_kernels_id: %q is no list of at most %d kernels", id, maxKernels)
				}
				order = append(order, uint32(v))
			}
			return nil
		}
		m := option().FindStringSubmatch(line)
		if m == nil {
			return nil
		}
		id, err := strconv.ParseUint(m[1], 10, 32)
		if err != nil {
			return err
		}
		k := byID[uint32(id)]
		if k == nil {
			if len(byID) == maxKernels {
				return fmt.Errorf("more than %d kernels", maxKernels)
			}
			k = &Kernel{ID: uint32(id), Grid: trace.Dim3{1, 1, 1}, Block: trace.Dim3{1, 1, 1}}
			byID[k.ID] = k
		}
		return k.set(m[2], strings.TrimSpace(m[3]))
	})
	if err != nil {
		return nil, err
	}
	if order == nil {
		return nil, errors.New("no -app_kernels_id")
	}
	var out []*Kernel
	for _, id := range order {
		k := byID[id]
		if k == nil {
			return nil, fmt.Errorf("kernel %d is listed but not described", id)
		}
		out = append(out, k)
	}
	return out, nil
}

func (k *Kernel) set(field, value string) error {
	if field == "kernel_name" {
		k.Name = value
		return nil
	}
	small := map[string]*uint32{
		"num_registers": &k.Registers, "shared_mem_bytes": &k.SharedBytes,
		"grid_dim_x": &k.Grid[0], "grid_dim_y": &k.Grid[1], "grid_dim_z": &k.Grid[2],
		"tb_dim_x": &k.Block[0], "tb_dim_y": &k.Block[1], "tb_dim_z": &k.Block[2],
	}[field]
	large := map[string]*uint64{
		"cuda_stream_id": &k.Stream, "shmem_base_addr": &k.SharedBase, "local_base_addr": &k.LocalBase,
	}[field]
	if small == nil && large == nil {
		return nil
	}
	v, err := number(value)
	if err != nil || small != nil && v > 1<<32-1 {
		return fmt.Errorf("-kernel_%d_%s: %q is no number that fits", k.ID, field, value)
	}
	if small != nil {
		*small = uint32(v)
	} else {
		*large = v
	}
	return nil
}

// PC is where an instruction stands.
type PC struct{ Kernel, Offset uint32 }

// ReadCode returns the text of each instruction of an instn.config.
func ReadCode(in io.Reader) (map[PC]string, error) {
	out := map[PC]string{}
	err := eachLine(in, func(line string) error {
		f := strings.Fields(line)
		if len(f) < 3 {
			return fmt.Errorf("%q, where kernel, PC and instruction belong", line)
		}
		kernel, err := strconv.ParseUint(f[0], 10, 32)
		if err != nil {
			return err
		}
		pc, err := strconv.ParseUint(strings.TrimPrefix(f[1], "0x"), 16, 32)
		if err != nil {
			return err
		}
		if len(out) == maxInsts {
			return fmt.Errorf("more than %d instructions", maxInsts)
		}
		out[PC{uint32(kernel), uint32(pc)}] = strings.Join(f[2:], " ")
		return nil
	})
	return out, err
}

// ReadIssue tells the kernels which SM each of their CTAs ran on. Its lines are
// as long as an SM has CTAs, so they are read byte by byte.
func ReadIssue(in io.Reader, kernels []*Kernel) error {
	byID := map[uint32]*Kernel{}
	for _, k := range kernels {
		byID[k.ID] = k
	}
	r := issue{in: bufio.NewReaderSize(in, 64<<10), kernels: byID}
	for {
		if err := r.line(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

type issue struct {
	in      *bufio.Reader
	kernels map[uint32]*Kernel
	kept    uint64
}

const issuePrefix = "-trace_issued_sm_id_"

// line reads "-trace_issued_sm_id_3 2,3,(1,0,5f),(1,80,60)".
func (r *issue) line() error {
	var key []byte
	for {
		c, err := r.in.ReadByte()
		if err != nil {
			return err
		}
		if c == '\n' {
			return nil
		}
		if c == ' ' || c == '\t' {
			break
		}
		if key = append(key, c); len(key) > 64 {
			return r.rest()
		}
	}
	text, ok := strings.CutPrefix(string(key), issuePrefix)
	if !ok {
		return r.rest()
	}
	sm, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return fmt.Errorf("%s: no number of an SM", key)
	}
	return r.tuples(int32(sm))
}

func (r *issue) rest() error {
	for {
		if c, err := r.in.ReadByte(); err != nil || c == '\n' {
			return err
		}
	}
}

// tuples reads (kernel,CTA,clock) up to the end of the line.
func (r *issue) tuples(sm int32) error {
	var tuple []byte
	open := false
	for {
		c, err := r.in.ReadByte()
		if err == io.EOF && open {
			return errors.New("a (kernel,CTA,clock) is cut short")
		}
		if err != nil || c == '\n' {
			return err
		}
		switch {
		case c == '(':
			tuple, open = tuple[:0], true
		case c == ')' && open:
			open = false
			if err := r.place(string(tuple), sm); err != nil {
				return err
			}
		case open:
			if tuple = append(tuple, c); len(tuple) > 64 {
				return fmt.Errorf("(%s...: no kernel, CTA and clock", tuple[:32])
			}
		}
	}
}

func (r *issue) place(tuple string, sm int32) error {
	f := strings.Split(tuple, ",")
	if len(f) < 2 {
		return fmt.Errorf("(%s): no kernel, CTA and clock", tuple)
	}
	kernel, err := strconv.ParseUint(strings.TrimSpace(f[0]), 10, 32)
	if err != nil {
		return fmt.Errorf("(%s): %w", tuple, err)
	}
	cta, err := strconv.ParseUint(strings.TrimSpace(f[1]), 10, 32)
	if err != nil {
		return fmt.Errorf("(%s): %w", tuple, err)
	}
	k := r.kernels[uint32(kernel)]
	if k == nil || cta >= k.Grid.Count() {
		return nil // a kernel that was not traced
	}
	if k.SMs == nil {
		if r.kept += k.Grid.Count(); r.kept > MaxCTAs {
			return fmt.Errorf("more than %d CTAs", MaxCTAs)
		}
		k.SMs = make([]int32, k.Grid.Count())
		for i := range k.SMs {
			k.SMs[i] = -1
		}
	}
	k.SMs[cta] = sm
	return nil
}
