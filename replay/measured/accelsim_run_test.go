package measured

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gpureplay/convert/accelsim"
)

// simulator is a built Accel-Sim.
type simulator struct {
	root    string               // its folder gpu-simulator
	libs    string               // folder of its libraries
	each    func(cycles float64) // nil, or is told of each kernel, with the latency of its launch
	seconds float64              // of a processor, of the last simulation
}

// simulatorVariable names the folder gpu-simulator of a built Accel-Sim.
const simulatorVariable = "ACCELSIM_ROOT"

// theSimulator finds Accel-Sim, or skips the test.
func theSimulator(t *testing.T) *simulator {
	root := os.Getenv(simulatorVariable)
	if root == "" {
		t.Skipf("%s does not name the folder gpu-simulator of a built Accel-Sim (framework 73f9fac with "+
			"gpgpu-sim 667834c)", simulatorVariable)
	}
	libs, _ := filepath.Glob(filepath.Join(root, "gpgpu-sim", "lib", "*", "*", "release"))
	if _, err := os.Stat(filepath.Join(root, "bin", "release", "accel-sim.out")); err != nil || len(libs) != 1 {
		t.Fatalf("%s=%s: no bin/release/accel-sim.out with its libraries in gpgpu-sim/lib (%v)", simulatorVariable, root, err)
	}
	return &simulator{root: root, libs: libs[0]}
}

// launchLatency is added to each kernel (gpgpu_kernel_launch_latency); cycles of references are without it. It is
// the shipped configurations' latency. Rounding decides there which of two clocks that meet comes first, which
// depends on the length of the run (docs/model, choice 26).
const launchLatency = 5000

// run simulates the program of a reference and fills in its counters.
func (s *simulator) run(ctx context.Context, r *Reference, dir string, options ...string) error {
	t, err := r.Trace(ctx)
	if err != nil {
		return err
	}
	defer t.Close()
	if r.Digest, err = digestOf(t); err != nil {
		return err
	}
	for _, p := range ReferencePresets {
		if p.Preset != r.Preset {
			continue
		}
		done, err := accelsim.Export(ctx, t, dir, p.SM)
		if err != nil {
			return err
		}
		for _, d := range done.Lost {
			if d.Name != "host_operation" {
				return fmt.Errorf("the capture loses %s", d.Name)
			}
		}
		if err := s.simulate(ctx, filepath.Join(dir, "kernelslist.g"), dir, p.Config, &r.Counters, options...); err != nil {
			return err
		}
	}
	return nil
}

// simulate runs a capture in a folder, which it fills with the configuration.
func (s *simulator) simulate(ctx context.Context, list, dir, config string, c *Counters, options ...string) error {
	from := filepath.Join(s.root, "gpgpu-sim", "configs", "tested-cfgs", config)
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, e.Name()), text, 0o644)
		}
		if err != nil {
			return err
		}
	}
	args := append([]string{"-trace", list, "-config", "gpgpusim.config", "-config",
		filepath.Join(s.root, "configs", "tested-cfgs", config, "trace.config"), "-gpgpu_kernel_launch_latency",
		strconv.Itoa(launchLatency)}, options...)
	cmd := exec.CommandContext(ctx, filepath.Join(s.root, "bin", "release", "accel-sim.out"), args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "LD_LIBRARY_PATH="+s.libs)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	kernels, err := parseSimulation(bufio.NewReaderSize(out, 1<<20), c, s.each)
	c.Cycles -= float64(kernels * launchLatency)
	if e := cmd.Wait(); e != nil {
		return fmt.Errorf("accel-sim: %w", e)
	}
	s.seconds = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	return err
}

// figure is a line that names a figure. Figures of all kernels so far are printed behind each kernel, so that the
// last counts.
var (
	figure  = regexp.MustCompile(`^\s*([A-Za-z_0-9 ]+?)\s*=\s*(\d+)\s*$`)
	channel = regexp.MustCompile(`^DRAM\[(\d+)\]`)
	rows    = regexp.MustCompile(`n_act=(\d+) .*n_req=(\d+) `)
)

// parseSimulation reads the counters from the simulator's output.
func parseSimulation(in *bufio.Reader, c *Counters, each func(cycles float64)) (kernels int, err error) {
	to := map[string]*uint64{
		"gpgpu_n_tot_w_icount": &c.WarpInsts, "L1D_total_cache_accesses": &c.L1Accesses,
		"L2_total_cache_accesses": &c.L2Accesses,
		"L2_total_cache_misses":   &c.L2Misses, "total dram reads": &c.DRAMReads, "total dram writes": &c.DRAMWrites,
	}
	acts, reqs := map[string]uint64{}, map[string]uint64{}
	ended, at := false, ""
	for {
		line, err := in.ReadString('\n')
		if m := channel.FindStringSubmatch(line); m != nil {
			at = m[1]
		}
		if m := rows.FindStringSubmatch(line); m != nil {
			acts[at], _ = strconv.ParseUint(m[1], 10, 64)
			reqs[at], _ = strconv.ParseUint(m[2], 10, 64)
		}
		if m := figure.FindStringSubmatch(line); m != nil {
			n, _ := strconv.ParseUint(m[2], 10, 64)
			if p := to[m[1]]; p != nil {
				*p = n
			} else if m[1] == "gpu_sim_cycle" {
				kernels++
				c.Cycles += float64(n)
				if each != nil {
					each(float64(n))
				}
			}
		}
		ended = ended || strings.Contains(line, "*** exit detected ***")
		if err != nil {
			break
		}
	}
	for k := range reqs {
		c.RowMisses, c.Requests = c.RowMisses+acts[k], c.Requests+reqs[k]
	}
	if !ended || kernels == 0 {
		return kernels, fmt.Errorf("accel-sim ended early, after %d kernels", kernels)
	}
	return kernels, nil
}
