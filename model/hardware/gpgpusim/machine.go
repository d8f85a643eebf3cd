package gpgpusim

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// TOML returns the machine of a gpgpusim.config, with the trace.config beside it, as TOML that begins with a preset
// for the keys that such files lack. Each number has its source in a comment. It returns an error for an unknown
// option, or a value that the cycle-level engine does not model.
func TOML(path string) ([]byte, error) {
	f, err := read(path)
	if err != nil {
		return nil, err
	}
	if err := f.checkNeeds(); err != nil {
		return nil, err
	}
	if !f.has("trace_opcode_latency_initiation_int") {
		return nil, fmt.Errorf("%s: no latencies of units: trace.config of Accel-Sim (gpu-simulator/configs/tested-cfgs) "+
			"belongs beside it", path)
	}
	m := &machine{file: f}
	for _, part := range []func(){m.head, m.clocks, m.sm, m.units, m.shared, m.l1, m.crossbar, m.l2, m.dram, m.launch} {
		if part(); m.err != nil {
			return nil, m.err
		}
	}
	return []byte(m.text.String()), nil
}

// machine is the text that grows.
type machine struct {
	file  *file
	text  strings.Builder
	table string
	err   error
}

// fail keeps the first error.
func (m *machine) fail(name, format string, args ...any) {
	if m.err == nil {
		m.err = m.file.wrong(name, format, args...)
	}
}

// set writes a key that an option sets.
func (m *machine) set(key, value, option string) {
	table, key, _ := strings.Cut(key, ".")
	if i := strings.LastIndex(key, "."); i >= 0 {
		table, key = table+"."+key[:i], key[i+1:]
	}
	if table != m.table {
		m.table = table
		fmt.Fprintf(&m.text, "\n[%s]\n", table)
	}
	v := m.file.get(option)
	from := filepath.Base(v.file)
	if v.line == 0 {
		from = "GPGPU-Sim's default"
	}
	fmt.Fprintf(&m.text, "%s = %s # source: %s: %s %s\n", key, value, from, option, v.text)
}

// number sets a key to an option's whole number.
func (m *machine) number(key, option string) { m.set(key, strconv.Itoa(m.int(option)), option) }

// int reads an option's whole number.
func (m *machine) int(option string) int {
	n, err := strconv.Atoi(m.file.get(option).text)
	if err != nil || n < 0 {
		m.fail(option, "want a whole number")
	}
	return max(0, n)
}

// ints reads an option's list of whole numbers, of which it needs some.
func (m *machine) ints(option, separator string, need int) []int {
	var all []int
	for _, word := range strings.Split(m.file.get(option).text, separator) {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil {
			m.fail(option, "want whole numbers with %q between them", separator)
		}
		all = append(all, n)
	}
	if len(all) < need {
		m.fail(option, "want at least %d numbers", need)
		return make([]int, need)
	}
	return all
}

// capability is the compute capability times ten.
func (m *machine) capability() int {
	return 10*m.int("gpgpu_compute_capability_major") + m.int("gpgpu_compute_capability_minor")
}

// head chooses the preset below: that of the tested configuration nearest in age.
func (m *machine) head() {
	base := "rtx3070"
	if m.capability() < 75 {
		base = "qv100"
	}
	dir, err := filepath.Abs(m.file.name)
	if err != nil {
		m.err = err
		return
	}
	name := filepath.Base(filepath.Dir(dir))
	fmt.Fprintf(&m.text, "# The machine of a configuration of GPGPU-Sim. The base has the keys that such files lack.\n"+
		"base = %q\nname = %q\ndescription = %q\n", base, name, name+" of Accel-Sim's configuration files")
}

func (m *machine) clocks() {
	const option = "gpgpu_clock_domains"
	words := strings.Split(m.file.get(option).text, ":")
	if len(words) != 4 {
		m.fail(option, "want four clocks in MHz with : between them")
		return
	}
	for i, key := range []string{"core", "icnt", "l2", "dram"} {
		mhz, err := strconv.ParseFloat(words[i], 64)
		if err != nil || !(mhz > 0) {
			m.fail(option, "want four clocks in MHz with : between them")
		}
		text := strconv.FormatFloat(mhz, 'f', -1, 64)
		if !strings.Contains(text, ".") {
			text += ".0"
		}
		m.set("clock."+key+"_mhz", text, option)
	}
}

// sm writes the SM, its schedulers and collectors.
func (m *machine) sm() {
	const clusters, cores = "gpgpu_n_clusters", "gpgpu_n_cores_per_cluster"
	option := clusters
	if m.int(cores) > 1 {
		option = cores
	}
	m.set("sm.count", strconv.Itoa(min(m.int(clusters), 1<<16)*min(m.int(cores), 1<<16)), option)
	cc := m.capability()
	m.set("sm.compute_capability", strconv.Itoa(cc), "gpgpu_compute_capability_major")
	unit := 256
	if cc >= 80 {
		unit = 128
	}
	m.set("sm.shared_unit", strconv.Itoa(unit), "gpgpu_compute_capability_major")
	m.number("sm.schedulers", "gpgpu_num_sched_per_core")
	m.number("sm.issue_width", "gpgpu_max_insn_issue_per_warp")
	m.set("sm.warp_scheduler", strconv.Quote(m.file.get("gpgpu_scheduler").text), "gpgpu_scheduler")
	threads := m.ints("gpgpu_shader_core_pipeline", ":", 2)
	if threads[1] != 32 {
		m.fail("gpgpu_shader_core_pipeline", "want warps of 32 threads")
	}
	m.set("sm.max_warps", strconv.Itoa(threads[0]/32), "gpgpu_shader_core_pipeline")
	m.set("sm.max_threads", strconv.Itoa(threads[0]), "gpgpu_shader_core_pipeline")
	m.number("sm.max_ctas", "gpgpu_shader_cta")
	m.number("sm.registers", "gpgpu_shader_registers")
	m.number("sm.shared_bytes", "gpgpu_shmem_size")
	m.number("sm.operand_collectors", "gpgpu_operand_collector_num_units_gen")
	m.number("sm.register_banks", "gpgpu_num_reg_banks")
	widths := m.ints("gpgpu_pipeline_widths", ",", 11)
	m.set("sm.result_buses", strconv.Itoa(widths[10]), "gpgpu_pipeline_widths")
	m.number("sm.fetch_width", "gpgpu_inst_fetch_throughput")
	m.number("sm.cta_launch_latency", "gpgpu_TB_launch_latency")
}

// unit writes latency and initiation interval.
func (m *machine) unit(key, option string) {
	n := m.ints(option, ",", 2)
	m.set("exec."+key+".latency", strconv.Itoa(n[0]), option)
	m.set("exec."+key+".initiation", strconv.Itoa(n[1]), option)
}

// units writes the execution units. A specialised unit is known by its name.
func (m *machine) units() {
	const ofTrace = "trace_opcode_latency_initiation_"
	special := map[string]string{}
	for i := 1; i <= 8; i++ {
		unit, timing := fmt.Sprintf("specialized_unit_%d", i), fmt.Sprintf("%sspec_op_%d", ofTrace, i)
		words := strings.Split(m.file.get(unit).text, ",")
		switch {
		case !m.file.has(unit) || words[0] == "0":
		case len(words) != 6 || !m.file.has(timing):
			m.fail(unit, "want enabled,units,latency,issue,execute,name, and an option -%s", timing)
		default:
			special[words[5]] = timing
		}
	}
	or := func(name, other string) string {
		if option, ok := special[name]; ok {
			return option
		}
		return ofTrace + other
	}
	m.unit("int", ofTrace+"int")
	sp := m.ints(ofTrace+"sp", ",", 2) // half precision: two a lane (trace_config::set_latency)
	m.set("exec.fp16.latency", strconv.Itoa(sp[0]), ofTrace+"sp")
	m.set("exec.fp16.initiation", strconv.Itoa(max(1, sp[1]/2)), ofTrace+"sp")
	m.unit("fp32", ofTrace+"sp")
	m.unit("fp64", ofTrace+"dp")
	m.unit("sfu", ofTrace+"sfu")
	m.unit("tensor", or("TENSOR", "tensor"))
	m.unit("control", or("BRA", "int"))
	for _, x := range [][2]string{{"UDP", "uniform"}, {"TEX", "texture"}} {
		if option, ok := special[x[0]]; ok {
			m.unit(x[1], option)
		}
	}
}

func (m *machine) shared() {
	m.number("shared.latency", "gpgpu_smem_latency")
	m.number("shared.banks", "gpgpu_shmem_num_banks")
}

func (m *machine) crossbar() {
	m.number("icnt.sms_per_port", "gpgpu_n_cores_per_cluster")
	m.number("icnt.flit_bytes", "icnt_flit_size")
	m.number("icnt.queue", "icnt_in_buffer_limit")
}

func (m *machine) launch() {
	m.number("kmu.entries", "gpgpu_max_concurrent_kernel")
	m.set("kmu.ctas_per_cycle", strconv.Itoa(m.int("gpgpu_n_clusters")), "gpgpu_n_clusters")
	m.number("host.launch_latency", "gpgpu_kernel_launch_latency")
}
