package hyfiss

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// Exec is one execution of an instruction.
type Exec struct {
	PC   uint32
	Mask uint32
	Warp uint64 // counted over the whole grid
}

// ReadExecs calls use for each instruction of a kernel_N.sass: a hexadecimal
// PC, a hexadecimal mask or "!" for all lanes, a hexadecimal warp.
func ReadExecs(in io.Reader, use func(Exec) error) error {
	return eachFields(in, 3, func(f [][]byte) error {
		var e Exec
		pc, err := hex(f[0], 32)
		if err != nil {
			return err
		}
		mask := uint64(1<<32 - 1)
		if string(f[1]) != "!" {
			if mask, err = hex(f[1], 32); err != nil {
				return err
			}
		}
		e.PC, e.Mask = uint32(pc), uint32(mask)
		if e.Warp, err = hex(f[2], 48); err != nil {
			return err
		}
		return use(e)
	})
}

// Ref is the addresses of one execution.
type Ref struct {
	CTA, PC uint32
	Mask    uint32
	Addrs   []uint64 // of the active lanes, ascending; reused
}

// ReadRefs calls use for each record of a kernel_N.mem: CTA, PC, opcode, mask,
// clock delta, number of references, then base, number of runs, and
// stride:count for each run, which the lanes after the first walk.
func ReadRefs(in io.Reader, use func(*Ref) error) error {
	var r Ref
	return eachFields(in, 8, func(f [][]byte) error {
		var v [3]uint64
		for i, field := range []int{0, 1, 3} {
			text := f[field]
			if string(text) == "!" {
				text = []byte("ffffffff")
			}
			var err error
			if v[i], err = hex(text, 32); err != nil {
				return err
			}
		}
		r.CTA, r.PC, r.Mask = uint32(v[0]), uint32(v[1]), uint32(v[2])
		base, err := hex(f[6], 64)
		if err != nil {
			return err
		}
		runs, err := hex(f[7], 16)
		if err != nil || int(runs) > len(f)-8 {
			return fmt.Errorf("%s runs of addresses announced, %d there", f[7], len(f)-8)
		}
		var lanes [32]uint64
		n, err := walk(&lanes, base, f[8:8+runs])
		if err != nil {
			return err
		}
		r.pick(lanes[:n])
		return use(&r)
	})
}

// walk expands stride:count runs behind base.
func walk(lanes *[32]uint64, base uint64, runs [][]byte) (int, error) {
	lanes[0] = base
	n := 1
	for _, run := range runs {
		text, times, ok := bytes.Cut(run, []byte(":"))
		stride, err := strconv.ParseInt(string(text), 10, 64)
		count, err2 := strconv.ParseUint(string(times), 10, 8)
		if !ok || err != nil || err2 != nil || n+int(count) > len(lanes) {
			return 0, fmt.Errorf("%q is no stride:count that fits 32 lanes", run)
		}
		for range count {
			lanes[n] = lanes[n-1] + uint64(stride)
			n++
		}
	}
	return n, nil
}

// pick keeps the addresses of the active lanes: those at their places if all 32
// lanes are recorded, else in order.
func (r *Ref) pick(lanes []uint64) {
	r.Addrs = r.Addrs[:0]
	next := 0
	for lane := range 32 {
		if r.Mask>>lane&1 == 0 {
			continue
		}
		at := lane
		if len(lanes) < 32 {
			at, next = next, next+1
		}
		if at < len(lanes) {
			r.Addrs = append(r.Addrs, lanes[at])
		}
	}
}

func hex(text []byte, size int) (uint64, error) {
	text = bytes.TrimPrefix(text, []byte("0x"))
	v, err := strconv.ParseUint(string(text), 16, size)
	if err != nil {
		return 0, fmt.Errorf("%.40q is no hexadecimal number of %d bits", text, size)
	}
	return v, nil
}

// eachFields calls use with the blank-separated fields of each line that has
// any; they must be least or more.
func eachFields(in io.Reader, least int, use func([][]byte) error) error {
	s := bufio.NewScanner(in)
	s.Buffer(make([]byte, 64<<10), maxLine)
	for n := 1; s.Scan(); n++ {
		f := bytes.Fields(s.Bytes())
		if len(f) == 0 || f[0][0] == '#' {
			continue
		}
		if len(f) < least {
			return fmt.Errorf("line %d: %d fields, where %d or more belong", n, len(f), least)
		}
		if err := use(f); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return s.Err()
}
