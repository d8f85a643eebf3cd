package macsim

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"gpureplay/trace"
)

const (
	maxKernels = 1 << 20
	maxWarps   = 1 << 24
	// warpBits is where a warp's number ends and its CTA's begins.
	warpBits = 16
)

// lines reads a small text file, with a bound on its lines.
func lines(in io.Reader, use func(n int, line string) error) error {
	s := bufio.NewScanner(in)
	s.Buffer(nil, 1<<20)
	for n := 1; s.Scan(); n++ {
		line := strings.TrimSpace(s.Text())
		if line == "" {
			continue
		}
		if err := use(n, line); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return s.Err()
}

// IsKernelList reports whether head is from a kernel_config.txt.
func IsKernelList(head []byte) bool {
	f := strings.Fields(string(head[:min(len(head), 256)]))
	return len(f) >= 4 && f[0] == "nvbit" && f[2] == "-1" && strings.HasSuffix(f[3], ".txt")
}

// IsWarpList reports whether head is from a trace.txt.
func IsWarpList(head []byte) bool {
	f := bytes.Fields(head[:min(len(head), 256)])
	if len(f) < 6 || string(f[0]) != "nvbit" {
		return false
	}
	for _, n := range f[1:6] {
		if _, err := strconv.ParseUint(string(n), 10, 64); err != nil {
			return false
		}
	}
	return true
}

// ReadKernelList returns the paths of a kernel_config.txt, in order.
func ReadKernelList(in io.Reader) ([]string, error) {
	var paths []string
	item := 0
	err := lines(in, func(n int, line string) error {
		if item++; item <= 3 { // "nvbit", version, -1
			if item == 1 && line != "nvbit" {
				return fmt.Errorf("%q, where a MacSim list says nvbit", line)
			}
			return nil
		}
		if len(paths) == maxKernels {
			return fmt.Errorf("more than %d kernels", maxKernels)
		}
		paths = append(paths, line)
		return nil
	})
	return paths, err
}

// Warp is one row of a trace.txt.
type Warp struct{ ID uint64 }

// CTA is the linear index of the warp's CTA.
func (w Warp) CTA() uint64 { return w.ID >> warpBits }

// Index is the warp's index in its CTA.
func (w Warp) Index() uint32 { return uint32(w.ID & (1<<warpBits - 1)) }

// ReadWarpList returns the warps of a trace.txt.
func ReadWarpList(in io.Reader) ([]Warp, error) {
	var warps []Warp
	item, want := 0, uint64(0)
	err := lines(in, func(n int, line string) error {
		if item++; item <= 4 { // "nvbit", version, CTAs per SM, warps
			if item == 1 && line != "nvbit" {
				return fmt.Errorf("%q, where a MacSim list says nvbit", line)
			}
			var err error
			if item == 4 {
				want, err = strconv.ParseUint(line, 10, 64)
			}
			return err
		}
		first, _, _ := strings.Cut(line, " ")
		id, err := strconv.ParseUint(first, 10, 64)
		if err != nil {
			return err
		}
		if id>>warpBits > 1<<32-1 {
			return fmt.Errorf("warp %d is of a CTA beyond 2^32", id)
		}
		if len(warps) == maxWarps {
			return fmt.Errorf("more than %d warps", maxWarps)
		}
		warps = append(warps, Warp{id})
		return nil
	})
	if err == nil && want != uint64(len(warps)) {
		err = fmt.Errorf("%d warps listed, where %d are announced", len(warps), want)
	}
	return warps, err
}

// Shape is a kernel's entry in kernel_names.txt.
type Shape struct {
	Name        string
	Grid, Block trace.Dim3
	Registers   uint32
	SharedBytes uint32
}

var (
	nameLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(\S+) name: (.*)$`)
	})
	shapeLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`Grid size: \((\d+), (\d+), (\d+)\), Block size: \((\d+), (\d+), (\d+)\)`)
	})
	moreLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`# of regs: (\d+), static shared mem: (\d+), dynamic shared mem: (\d+)`)
	})
)

// ReadNames returns the shapes of a kernel_names.txt by the folder's name
// ("Kernel3").
func ReadNames(in io.Reader) (map[string]Shape, error) {
	out := map[string]Shape{}
	current := ""
	err := lines(in, func(n int, line string) error {
		if m := nameLine().FindStringSubmatch(line); m != nil && len(out) < maxKernels {
			current = m[1]
			out[current] = Shape{Name: m[2]}
			return nil
		}
		s := out[current]
		if m := shapeLine().FindStringSubmatch(line); m != nil {
			for i := range 3 {
				s.Grid[i], s.Block[i] = small(m[1+i]), small(m[4+i])
			}
		}
		if m := moreLine().FindStringSubmatch(line); m != nil {
			s.Registers, s.SharedBytes = small(m[1]), small(m[2])+small(m[3])
		}
		if current != "" {
			out[current] = s
		}
		return nil
	})
	return out, err
}

func small(digits string) uint32 {
	v, err := strconv.ParseUint(digits, 10, 32)
	if err != nil {
		return 0
	}
	return uint32(v)
}
