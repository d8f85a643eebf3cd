package gpgpusim

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// small is a configuration with each option that has no usable default.
const small = `# a comment
-gpgpu_n_clusters 6
-gpgpu_n_cores_per_cluster 1   # one SM
-gpgpu_compute_capability_major 8
-gpgpu_compute_capability_minor 6
-gpgpu_clock_domains 1000:1100:900.5:3500
-gpgpu_shader_core_pipeline 1536:32
-gpgpu_shader_registers 65536
-gpgpu_shmem_size 102400
-gpgpu_num_sched_per_core 4
-gpgpu_scheduler lrr
-gpgpu_max_insn_issue_per_warp 1
-gpgpu_sub_core_model 1
-gpgpu_enable_specialized_operand_collector 0
-gpgpu_operand_collector_num_units_gen 8
-gpgpu_reg_file_port_throughput 2
-gpgpu_pipeline_widths 4,4,4,4,4,4,4,4,4,4,8,4,4
-gpgpu_inst_fetch_throughput 4
-gpgpu_perfect_inst_const_cache 1
-gpgpu_adaptive_cache_config 1
-gpgpu_shmem_option 0,8,100
-gpgpu_unified_l1d_size 128
-gpgpu_l1_banks 4
-gpgpu_cache:dl1 S:4:128:256,L:T:m:L:L,A:384:48,16:0,32
-gpgpu_l1_cache_write_ratio 25
-gpgpu_flush_l1_cache 1
-gpgpu_smem_latency 29
-gpgpu_shmem_num_banks 32
-gpgpu_shmem_limited_broadcast 0
-gpgpu_shmem_warp_parts 1
-gpgpu_coalesce_arch 86
-gpgpu_cache:dl2 S:64:128:16,L:B:m:L:P,A:192:4,32:0,32
-gpgpu_cache:dl2_texture_only 0
-gpgpu_dram_partition_queues 64:64:64:64
-gpgpu_memory_partition_indexing 2
-network_mode 2
-icnt_flit_size 40
-gpgpu_n_mem 8
-gpgpu_n_sub_partition_per_mchannel 2
-gpgpu_dram_buswidth 2
-gpgpu_dram_burst_length 16
-dram_data_command_freq_ratio 4
-gpgpu_mem_address_mask 1
-gpgpu_mem_addr_mapping dramid@8;00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS
-gpgpu_frfcfs_dram_sched_queue_size 64
-gpgpu_dram_return_queue_size 192
-gpgpu_dram_timing_opt "nbk=16:CCD=4:RRD=12:RCD=24:RAS=55:RP=24:RC=78:
	CL=24:WL=8:CDLR=10:WR=24:nbkgrp=4:CCDL=6:RTPL=4"
-dram_bnkgrp_indexing_policy 1
-dram_bnk_indexing_policy 1
-dram_seperate_write_queue_enable 1
-dram_write_queue_size 128:108:32
-power_simulation_enabled 0
`

const latencies = `-trace_opcode_latency_initiation_int 2,2
-trace_opcode_latency_initiation_sp 2,2
-trace_opcode_latency_initiation_dp 64,64
-trace_opcode_latency_initiation_sfu 21,8
-specialized_unit_1 1,4,4,4,4,BRA
-trace_opcode_latency_initiation_spec_op_1 4,3
-specialized_unit_3 1,4,32,4,4,TENSOR
-trace_opcode_latency_initiation_spec_op_3 32,31
`

// configuration writes a folder with both files, in which some text is replaced.
func configuration(t testing.TB, from, to string) string {
	t.Helper()
	if !strings.Contains(small+latencies, from) {
		t.Fatalf("there is no %q", from)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"gpgpusim.config": small, "trace.config": latencies} {
		text = strings.ReplaceAll(text, from, to)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "gpgpusim.config")
}

// Each number stands in the text with its option as the source.
func TestMachine(t *testing.T) {
	text, err := TOML(configuration(t, "-", "-"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`base = "rtx3070"`, "count = 6 # source: gpgpusim.config: gpgpu_n_clusters 6", "l2_mhz = 900.5 #",
		"max_warps = 48 #", "result_buses = 8 #", "carveouts = [0, 8192, 102400] #", "unified = 131072 #", "ways = 256 #",
		"write_ratio_pct = 25 #", "bytes = 2097152 #", "slices = 16 #", `hash = "ipoly" #`, "row_bytes = 2048 #",
		`mapping = "RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS" #`, "return = 191 #", "burst_bytes = 32 #", "tccdl = 6 #", "twr = 24 #",
		`bank_hash = "xor" # source: gpgpusim.config: dram_bnk_indexing_policy 1`, "write_queue = 128 #",
		"write_high = 108 #", "write_low = 32 # source: gpgpusim.config: dram_write_queue_size 128:108:32",
		"[exec.control]\nlatency = 4 # source: trace.config: trace_opcode_latency_initiation_spec_op_1 4,3\ninitiation = 3 #",
		"[exec.fp16]\nlatency = 2 #", "[exec.tensor]\nlatency = 32 #", "ctas_per_cycle = 6 #",
		"max_ctas = 32 # source: GPGPU-Sim's default: gpgpu_shader_cta 32",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// A value that cannot be modelled or read is an error of one line with its place.
func TestRefused(t *testing.T) {
	for from, want := range map[string][2]string{
		"-gpgpu_n_cores_per_cluster 1":       {"-gpgpu_n_cores_per_cluster x", "config:3: -gpgpu_n_cores_per_cluster x:"},
		"-network_mode 2":                    {"", "GPGPU-Sim's default"},
		"-gpgpu_n_clusters 6":                {"-gpgpu_n_clusterz 6", "did you mean gpgpu_n_clusters"},
		"L:T:m:L:L":                          {"L:L:s:N:L", "streaming"},
		"S:4:128:256":                        {"N:4:128:256", "sectors"},
		"-gpgpu_memory_partition_indexing 2": {"-gpgpu_memory_partition_indexing 4", "indexing 4:"},
		"-dram_bnk_indexing_policy 1":        {"-dram_bnk_indexing_policy 3", "0 to 2 (linear, xor, ipoly)"},
		"128:108:32":                         {"128:108", "at least 3"},
		"burst_length 16":                    {"burst_length 3", "needs bursts of"},
		"nbk=16":                             {"nbk=x", `"nbk=x"`},
		"RTPL=4":                             {"", "missing"},
		"RTPL=4\"":                           {"", "not closed"},
		"1000:1100":                          {"1000", "four clocks"},
		"1536:32":                            {"1536", "at least 2"},
		"dramid@8":                           {"dramid@9", "256 bytes"},
		"-trace_opcode_latency_initiation_int 2,2": {"", "trace.config"},
		"-dram_bnkgrp_indexing_policy 1":           {"-dram_bnkgrp_indexing_policy", `"1": want an option`},
		"-power_simulation_enabled 0":              {"-power_simulation_enabled", "has no value"},
	} {
		_, err := TOML(configuration(t, from, want[0]))
		if err == nil || !strings.Contains(err.Error(), want[1]) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s as %q: %v, want %q in one line", from, want[0], err, want[1])
		}
	}
	if _, err := TOML(filepath.Join(t.TempDir(), "none.config")); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
}

// No text makes the reader panic.
func FuzzTOML(f *testing.F) {
	f.Add(small)
	f.Add(latencies)
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "gpgpusim.config")
		if err := os.WriteFile(path, []byte(text+small+latencies), 0o644); err != nil {
			t.Fatal(err)
		}
		TOML(path)
	})
}

var update = flag.Bool("update", false, "write docs/accelsim-configs.md anew")

// The document is the table of the options.
func TestDocument(t *testing.T) {
	path := filepath.Join("..", "..", "..", "docs", "accelsim-configs.md")
	if *update {
		if err := os.WriteFile(path, []byte(markdown()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != markdown() {
		t.Errorf("%s is not the table of the options (%v): go test ./model/hardware/gpgpusim -update", path, err)
	}
}
