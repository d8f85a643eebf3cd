package hardware

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// shipped are settings of the configurations that Accel-Sim ships as tested, in their
// own notation: a cache is sets:line:ways, policies, MSHRs as kind:entries:merges, miss
// queue:...; the opcode settings are latency,initiation.
var shipped = map[string]string{
	"qv100": `gpgpu_clock_domains 1132.0:1132.0:1132.0:850.0
gpgpu_n_clusters 80
gpgpu_shader_core_pipeline 2048:32
gpgpu_shader_cta 32
gpgpu_shader_registers 65536
gpgpu_shmem_size 98304
gpgpu_unified_l1d_size 128
gpgpu_shmem_option 0,8,16,32,64,96
gpgpu_num_sched_per_core 4
gpgpu_max_insn_issue_per_warp 1
gpgpu_scheduler lrr
gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:512:8,16:0,32
gpgpu_l1_latency 20
gpgpu_l1_banks 4
gpgpu_gmem_skip_L1D 0
smem_latency 20
gpgpu_cache:dl2 S:32:128:24,L:B:m:L:P,A:192:4,32:0,32
gpgpu_l2_rop_latency 160
gpgpu_n_mem 32
gpgpu_n_sub_partition_per_mchannel 2
gpgpu_dram_buswidth 16
dram_data_command_freq_ratio 2
dram_latency 100
gpgpu_frfcfs_dram_sched_queue_size 64
gpgpu_dram_timing_opt nbk=16:CCD=1:RRD=3:RCD=12:RAS=28:RP=12:RC=40:CL=12:WL=2:CDLR=3:WR=10:nbkgrp=4:CCDL=2:RTPL=3
dram_dual_bus_interface 1
gpgpu_operand_collector_num_units_gen 8
icnt_flit_size 40
gpgpu_kernel_launch_latency 5000
int 2,2
sp 2,2
dp 8,4
sfu 20,8
spec_op_1 4,4
tensor 2,2
gpgpu_dram_partition_queues 64:64:64:64
gpgpu_max_concurrent_kernel 128
gpgpu_shmem_num_banks 32`,
	"rtx3070": `gpgpu_clock_domains 1132:1132:1132:3500.5
gpgpu_n_clusters 46
gpgpu_shader_core_pipeline 1536:32
gpgpu_shader_cta 32
gpgpu_shader_registers 65536
gpgpu_shmem_size 102400
gpgpu_unified_l1d_size 128
gpgpu_shmem_option 0,8,16,32,64,100
gpgpu_num_sched_per_core 4
gpgpu_max_insn_issue_per_warp 1
gpgpu_scheduler lrr
gpgpu_cache:dl1 S:4:128:256,L:T:m:L:L,A:384:48,16:0,32
gpgpu_l1_latency 39
gpgpu_l1_banks 4
gpgpu_gmem_skip_L1D 0
smem_latency 29
gpgpu_cache:dl2 S:64:128:16,L:B:m:L:P,A:192:4,32:0,32
gpgpu_l2_rop_latency 187
gpgpu_n_mem 16
gpgpu_n_sub_partition_per_mchannel 2
gpgpu_dram_buswidth 2
dram_data_command_freq_ratio 4
dram_latency 254
gpgpu_frfcfs_dram_sched_queue_size 64
gpgpu_dram_timing_opt nbk=16:CCD=4:RRD=12:RCD=24:RAS=55:RP=24:RC=78:CL=24:WL=8:CDLR=10:WR=24:nbkgrp=4:CCDL=6:RTPL=4
dram_dual_bus_interface 0
gpgpu_operand_collector_num_units_gen 8
icnt_flit_size 40
gpgpu_kernel_launch_latency 5000
int 2,2
sp 2,1
dp 64,64
sfu 21,8
spec_op_1 4,4
spec_op_4 4,1
tensor 32,32
gpgpu_dram_partition_queues 64:64:64:64
gpgpu_max_concurrent_kernel 128
gpgpu_shmem_num_banks 32`,
	"kepler-titan": `gpgpu_clock_domains 837.0:837.0:837.0:1502.0
gpgpu_n_clusters 14
gpgpu_shader_core_pipeline 2048:32
gpgpu_shader_cta 16
gpgpu_shader_registers 65536
gpgpu_shmem_size 49152
gpgpu_num_sched_per_core 4
gpgpu_max_insn_issue_per_warp 2
gpgpu_scheduler gto
gpgpu_cache:dl1 S:4:128:32,L:L:s:N:L,A:256:8,16:0,32
gpgpu_l1_latency 82
gpgpu_gmem_skip_L1D 1
smem_latency 24
gpgpu_cache:dl2 S:32:128:16,L:B:m:L:P,A:256:64,16:0,32
gpgpu_l2_rop_latency 120
gpgpu_n_mem 12
gpgpu_n_sub_partition_per_mchannel 2
gpgpu_dram_buswidth 4
dram_data_command_freq_ratio 4
dram_latency 100
gpgpu_frfcfs_dram_sched_queue_size 64
gpgpu_dram_timing_opt nbk=16:CCD=2:RRD=8:RCD=16:RAS=37:RP=16:RC=52:CL=16:WL=6:CDLR=7:WR=16:nbkgrp=4:CCDL=4:RTPL=3
icnt_flit_size 40
int 4,1
sp 4,1
dp 20,2
gpgpu_dram_partition_queues 32:32:32:32
gpgpu_shmem_num_banks 32
sfu 200,4`, // its two SFUs for four schedulers: twice the interval of the file (choice P9)
}

// The presets that stand for Accel-Sim's configurations have their values.
func TestShippedConfigurations(t *testing.T) {
	for name, text := range shipped {
		c := mustPreset(t, name)
		for line := range strings.Lines(text) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			got, known := shippedForm(c, key, value)
			if !known {
				t.Errorf("the test does not know %s", key)
			} else if got != value {
				t.Errorf("%s: %s is %s, the configuration has %s", name, key, got, value)
			}
		}
	}
}

// The facts of the GPUs whose files are tuned by users (A100) or known to be off in some lines (H100, H200): SMs;
// core, NoC, L2 and DRAM clock; threads and CTAs an SM; shared memory and its store with the L1, KB; latency of the
// L1, of shared memory, of the L2 and of DRAM, core cycles; L2, MB; channels, bytes of a bus, data rate; peak of
// DRAM, GB/s.
var tuned = map[string]string{
	"a100": "108 1410 1410 1410 1512 2048 32 164 192 37 29 224 198 40 40 16 2 1935",
	"h100": "132 1980 3106 3106 3106 2048 32 228 256 41 29 237 194 50 40 8 2 1988",
	"h200": "132 1980 3106 3106 3106 2048 32 228 256 41 29 237 194 60 48 8 2 2385",
}

func TestTunedConfigurations(t *testing.T) {
	for name, want := range tuned {
		c := mustPreset(t, name)
		s, l, d := c.SM, c.Clock, c.DRAM
		got := fmt.Sprintf("%d %g %g %g %g %d %d %d %d %d %d %d %d %d %d %d %d %.0f", s.Count, l.CoreMHz, l.IcntMHz,
			l.L2MHz, l.DRAMMHz, s.MaxThreads, s.MaxCTAs,
			s.SharedBytes>>10, c.L1.Unified>>10, c.L1.Latency, c.Shared.Latency, c.L2.Latency, d.Latency, c.L2.Bytes>>20,
			d.Channels, d.BusBytes,
			d.DataRate, c.DRAMGBs())
		if got != want {
			t.Errorf("%s is\n%s, want\n%s", name, got, want)
		}
		if s.Registers != 65536 || s.Schedulers != 4 || s.IssueWidth != 1 || c.KMU.Entries != 128 || c.Shared.Banks != 32 {
			t.Errorf("%s: %+v, %d kernels, %d banks", name, s, c.KMU.Entries, c.Shared.Banks)
		}
	}
}

// shippedForm is a setting of c in the notation of GPGPU-Sim; parts that no preset has come from like.
func shippedForm(c *Config, key, like string) (string, bool) {
	ints := map[string]int{
		"gpgpu_n_clusters": c.SM.Count, "gpgpu_shader_cta": c.SM.MaxCTAs, "gpgpu_shader_registers": c.SM.Registers,
		"gpgpu_shmem_size":       c.SM.SharedBytes,
		"gpgpu_unified_l1d_size": c.L1.Unified >> 10, "gpgpu_num_sched_per_core": c.SM.Schedulers,
		"gpgpu_max_insn_issue_per_warp": c.SM.IssueWidth,
		"gpgpu_l1_latency":              c.L1.Latency, "gpgpu_l1_banks": c.L1.Banks,
		"gpgpu_gmem_skip_L1D": map[bool]int{false: 1}[c.L1.GlobalLoads], "smem_latency": c.Shared.Latency,
		"gpgpu_l2_rop_latency": c.L2.Latency, "gpgpu_n_mem": c.DRAM.Channels,
		"gpgpu_n_sub_partition_per_mchannel": c.L2.Slices / c.DRAM.Channels,
		"gpgpu_dram_buswidth":                c.DRAM.BusBytes, "dram_data_command_freq_ratio": c.DRAM.DataRate,
		"dram_latency": c.DRAM.Latency, "gpgpu_frfcfs_dram_sched_queue_size": c.DRAM.Window,
		"gpgpu_operand_collector_num_units_gen": c.SM.OperandCollectors,
		"icnt_flit_size":                        c.Icnt.FlitBytes, "icnt_in_buffer_limit": c.Icnt.Queue,
		"icnt_out_buffer_limit":       c.Icnt.Queue,
		"gpgpu_kernel_launch_latency": c.Host.LaunchLatency,
		"gpgpu_max_concurrent_kernel": c.KMU.Entries, "gpgpu_shmem_num_banks": c.Shared.Banks,
	}
	if v, ok := ints[key]; ok {
		return strconv.Itoa(v), true
	}
	units := map[string]UnitConfig{"int": c.Exec.Int, "sp": c.Exec.FP32, "dp": c.Exec.FP64, "sfu": c.Exec.SFU,
		"tensor": c.Exec.Tensor, "spec_op_1": c.Exec.Control, "spec_op_2": c.Exec.Texture, "spec_op_4": c.Exec.Uniform}
	if u, ok := units[key]; ok {
		return fmt.Sprintf("%d,%d", u.Latency, u.Initiation), true
	}
	d := c.DRAM
	switch key {
	case "gpgpu_dram_partition_queues": // to the L2; the others are as long
		return strings.Repeat(fmt.Sprintf(":%d", c.L2.Queue), 4)[1:], true
	case "gpgpu_scheduler":
		return c.SM.WarpScheduler, true
	case "gpgpu_shader_core_pipeline":
		return fmt.Sprintf("%d:32", c.SM.MaxThreads), true
	case "gpgpu_clock_domains":
		form := "%.1f:%.1f:%.1f:%.1f"
		if !strings.Contains(strings.Split(like, ":")[0], ".") {
			form = "%g:%g:%g:%g"
		}
		return fmt.Sprintf(form, c.Clock.CoreMHz, c.Clock.IcntMHz, c.Clock.L2MHz, c.Clock.DRAMMHz), true
	case "gpgpu_shmem_option":
		var kb []string
		for _, b := range c.L1.Carveouts {
			kb = append(kb, strconv.Itoa(b>>10))
		}
		return strings.Join(kb, ","), true
	case "gpgpu_dram_timing_opt":
		return fmt.Sprintf("nbk=%d:CCD=%d:RRD=%d:RCD=%d:RAS=%d:RP=%d:RC=%d:CL=%d:WL=%d"+
			":CDLR=%d:WR=%d:nbkgrp=%d:CCDL=%d:RTPL=%d",
			d.Banks, d.TCCD, d.TRRD, d.TRCD, d.TRAS, d.TRP, d.TRC, d.TCL, d.TWL, d.TCDLR, d.TWR, d.BankGroups, d.TCCDL,
			d.TRTPL), true
	case "dram_dual_bus_interface":
		return map[bool]string{false: "0", true: "1"}[d.DualBus], true
	case "gpgpu_cache:dl1":
		sets, ways := c.L1.Bytes/c.L1.LineBytes/c.L1.Ways, c.L1.Ways
		if c.L1.Unified > 0 { // the file's ways belong to its smallest size; it adapts to the rest of shared memory
			ways, _ = strconv.Atoi(strings.FieldsFunc(like, func(r rune) bool { return r == ':' || r == ',' })[3])
		}
		return cacheForm(like, sets, c.L1.LineBytes, ways, c.L1.MSHRs, c.L1.Merge, c.L1.MissQueue), true
	case "gpgpu_cache:dl2":
		sets := c.L2.Bytes / c.L2.Slices / c.L2.LineBytes / c.L2.Ways
		return cacheForm(like, sets, c.L2.LineBytes, c.L2.Ways, c.L2.MSHRs, c.L2.Merge, c.L2.MissQueue), true
	}
	return "", false
}

func cacheForm(like string, sets, line, ways, mshrs, merge, queue int) string {
	p := strings.Split(like, ",")
	return fmt.Sprintf("S:%d:%d:%d,%s,A:%d:%d,%d:0,%s", sets, line, ways, p[1], mshrs, merge, queue, p[len(p)-1])
}
