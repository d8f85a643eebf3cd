package hardware

import (
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

const maxList = 64 // entries of a list in a configuration

// A bound is the range of one key, whatever the others are.
type bound struct {
	min, max   float64
	powerOfTwo bool     // of integers
	words      []string // of strings
}

const (
	maxCycles = 1 << 30 // a latency: under a second of any clock
	maxMHz    = 100_000
	maxLines  = 1 << 25 // of an L2, of all L1s, of all TLBs: some hundred megabytes of memory
)

// bounds has every number and every word of a [Config] by its key. Limits are
// far beyond any machine, and such that no product of them overflows.
var bounds = sync.OnceValue(func() map[string]bound {
	return map[string]bound{
		"clock.core_mhz": {min: 1, max: maxMHz},
		"clock.icnt_mhz": {min: 1, max: maxMHz},
		"clock.l2_mhz":   {min: 1, max: maxMHz},
		"clock.dram_mhz": {min: 1, max: maxMHz},

		"sm.count":              {min: 1, max: 4096},
		"sm.compute_capability": {min: 0, max: 999},
		"sm.schedulers":         {min: 1, max: 16},
		"sm.issue_width":        {min: 1, max: 2},
		"sm.warp_scheduler":     {words: []string{"gto", "gty", "lrr"}},
		"sm.max_warps":          {min: 1, max: 64},
		"sm.max_threads":        {min: 32, max: 1 << 15},
		"sm.max_ctas":           {min: 1, max: 1024},
		"sm.registers":          {min: 1024, max: 1 << 24},
		"sm.register_unit":      {min: 1, max: 1 << 16},
		"sm.warp_unit":          {min: 1, max: 64},
		"sm.shared_bytes":       {min: 0, max: 1 << 24},
		"sm.shared_unit":        {min: 1, max: 1 << 16},
		"sm.shared_reserved":    {min: 0, max: 1 << 16},
		"sm.barriers":           {min: 1, max: 1024},
		"sm.pipeline_depth":     {min: 0, max: 1024},
		"sm.operand_collectors": {min: 0, max: 1024},
		"sm.pipeline":           {words: []string{PipelineDirect, PipelineCollector}},
		"sm.register_banks":     {min: 0, max: 128},
		"sm.result_buses":       {min: 0, max: 64},
		"sm.fetch_width":        {min: 0, max: 64},
		"sm.atomic_conflicts":   {words: []string{"merged", "split", "serial"}},
		"sm.cta_launch_latency": {min: 0, max: maxCycles},
		"sm.exit_latency":       {min: 1, max: maxCycles},
		"sm.warp_launch_gap":    {min: 0, max: maxCycles},

		"shared.latency":   {min: 0, max: 1 << 20},
		"shared.banks":     {min: 1, max: 32, powerOfTwo: true},
		"shared.writeback": {min: 0, max: 4096},
		"shared.wide":      {words: []string{"passes", "first"}},

		"memory.engine": {words: []string{EngineReserve, EngineCycle}},

		"l1.bytes":          {min: 128, max: 1 << 26},
		"l1.unified":        {min: 0, max: 1 << 26},
		"l1.carveouts":      {min: 0, max: 1 << 24},
		"l1.line_bytes":     {min: 32, max: 128, powerOfTwo: true},
		"l1.sector_bytes":   {min: 32, max: 128, powerOfTwo: true},
		"l1.ways":           {min: 1, max: 1 << 16},
		"l1.latency":        {min: 0, max: 1 << 20},
		"l1.bypass_latency": {min: 0, max: 1 << 20},
		"l1.banks":          {min: 1, max: 64, powerOfTwo: true},
		"l1.mshrs":          {min: 0, max: 1 << 16},
		"l1.merge":          {min: 0, max: 1 << 16},
		"l1.miss_queue":     {min: 1, max: 1 << 16},

		"l1.write_ratio_pct": {min: 0, max: 100},

		"icnt.latency":    {min: 0, max: 1 << 20},
		"icnt.flit_bytes": {min: 1, max: 1 << 12},
		"icnt.queue":      {min: 0, max: 1 << 16},

		"l2.bytes":          {min: 128, max: 1 << 36},
		"icnt.sms_per_port": {min: 1, max: 64},

		"l2.slices":       {min: 1, max: 4096},
		"l2.line_bytes":   {min: 32, max: 128, powerOfTwo: true},
		"l2.sector_bytes": {min: 32, max: 128, powerOfTwo: true},
		"l2.ways":         {min: 1, max: 1 << 16},
		"l2.latency":      {min: 0, max: 1 << 20},
		"l2.mshrs":        {min: 0, max: 1 << 16},
		"l2.merge":        {min: 0, max: 1 << 16},
		"l2.miss_queue":   {min: 1, max: 1 << 16},
		"l2.queue":        {min: 1, max: 1 << 16},
		"l2.hash":         {words: []string{"linear", "xor", "ipoly"}},
		"l2.set_hash":     {words: []string{"spread", "ipoly"}},

		"dram.bytes":       {min: 1 << 20, max: 1 << 44},
		"dram.channels":    {min: 1, max: 1024},
		"dram.banks":       {min: 1, max: 1024, powerOfTwo: true},
		"dram.row_bytes":   {min: 256, max: 1 << 16, powerOfTwo: true},
		"dram.bus_bytes":   {min: 1, max: 1024},
		"dram.data_rate":   {min: 1, max: 256},
		"dram.burst_bytes": {min: 8, max: 256, powerOfTwo: true},
		"dram.latency":     {min: 0, max: 1 << 20},
		"dram.window":      {min: 1, max: 1 << 16},
		"dram.return":      {max: 1 << 16},
		"dram.bank_hash":   {words: []string{"linear", "xor", "ipoly"}},
		"dram.write_queue": {min: 0, max: 1 << 16},
		"dram.write_high":  {min: 0, max: 1 << 16},
		"dram.write_low":   {min: 0, max: 1 << 16},
		"dram.bank_groups": {min: 1, max: 1024, powerOfTwo: true},
		"dram.tccd":        {min: 0, max: 4096},
		"dram.tccdl":       {min: 0, max: 4096},
		"dram.trtpl":       {min: 0, max: 4096},
		"dram.lead":        {min: 0, max: 4096},
		"dram.trrd":        {min: 0, max: 4096},
		"dram.trcd":        {min: 0, max: 4096},
		"dram.tras":        {min: 0, max: 4096},
		"dram.trp":         {min: 0, max: 4096},
		"dram.trc":         {min: 0, max: 4096},
		"dram.tcl":         {min: 0, max: 4096},
		"dram.twl":         {min: 0, max: 4096},
		"dram.tcdlr":       {min: 0, max: 4096},
		"dram.twr":         {min: 0, max: 4096},
		"dram.trefi":       {min: 0, max: 1 << 20},
		"dram.trfc":        {min: 0, max: 1 << 20},

		"tlb.entries":      {min: 0, max: 1 << 20},
		"tlb.page_bytes":   {min: 512, max: 1 << 30, powerOfTwo: true},
		"tlb.miss_latency": {min: 0, max: maxCycles},

		"kmu.hwqs":             {min: 1, max: 1 << 16},
		"kmu.dispatch_latency": {min: 0, max: maxCycles},
		"kmu.entries":          {min: 1, max: 1 << 16},
		"kmu.ctas_per_cycle":   {min: 0.001, max: 4096},

		"host.launch_latency":     {min: 0, max: maxCycles},
		"host.launch_overhead_ns": {min: 0, max: 1e9},
		"host.copy_call_ns":       {min: 0, max: 1e9},
		"host.work_scale":         {min: 0, max: 1e6},
		"host.copy_latency_ns":    {min: 0, max: 1e9},
		"host.pcie_gb_s":          {min: 0, max: 1e6},
		"host.storage_mb_s":       {min: 0, max: 1e9},
		"host.page_bytes":         {min: 512, max: 1 << 30, powerOfTwo: true},

		"launch.stream_create":   {min: 0, max: maxCycles},
		"launch.param_base":      {min: 0, max: maxCycles},
		"launch.param_per_lane":  {min: 0, max: 1 << 24},
		"launch.device_base":     {min: 0, max: maxCycles},
		"launch.device_per_lane": {min: 0, max: 1 << 24},
		"launch.device_sync":     {min: 0, max: maxCycles},
		"launch.record_bytes":    {min: 0, max: 1 << 20},

		"cpu.cores":     {min: 1, max: 1 << 16},
		"cpu.clock_mhz": {min: 1, max: maxMHz},
		"cpu.ipc":       {min: 0.001, max: 64},
	}
})

// Validate reports whether the machine can exist: every value within its bounds, and the rules between values. It
// fails with a [ValueError] that names the first broken one.
func (c *Config) Validate() error {
	for _, k := range configKeys() {
		if err := c.checkKey(k); err != nil {
			return err
		}
	}
	for _, check := range []func(*Config) error{checkSM, checkCaches, checkLines, checkDRAM} {
		if err := check(c); err != nil {
			return err
		}
	}
	return nil
}

func boundOf(path string) bound {
	if rest, ok := strings.CutPrefix(path, "exec."); ok {
		if strings.HasSuffix(rest, ".latency") {
			return bound{min: 0, max: 1 << 20}
		}
		return bound{min: 1, max: 1 << 16}
	}
	return bounds()[path]
}

func (c *Config) checkKey(k configKey) error {
	v := reflect.ValueOf(c).Elem().FieldByIndex(k.index)
	b, ok := k.bound, true
	switch v.Kind() {
	case reflect.String:
		ok = b.words == nil || slices.Contains(b.words, v.String())
	case reflect.Float64:
		ok = v.Float() >= b.min && v.Float() <= b.max
	case reflect.Int, reflect.Int64:
		ok = b.holds(v.Int())
	case reflect.Slice:
		list := v.Interface().([]int)
		ok = len(list) <= maxList && !slices.ContainsFunc(list, func(n int) bool { return !b.holds(int64(n)) })
	}
	if ok {
		return nil
	}
	text := fmt.Sprint(v.Interface())
	if v.Kind() == reflect.String {
		text = strconv.Quote(text)
	}
	return &ValueError{k.path, text, k.allowed()}
}

func (b bound) holds(n int64) bool {
	return float64(n) >= b.min && float64(n) <= b.max && (!b.powerOfTwo || bits.OnesCount64(uint64(n)) == 1)
}

// allowed says in words which values a key may have.
func (k configKey) allowed() string {
	b := k.bound
	limits := fmt.Sprintf("from %s to %s", number(b.min), number(b.max))
	switch k.kind {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "one of " + strings.Join(b.words, ", ")
	case reflect.Float64:
		return "a number " + limits
	case reflect.Slice:
		return fmt.Sprintf("at most %d integers %s, with commas between", maxList, limits)
	}
	if k.isSize() {
		limits += " bytes (512KiB, 80MiB, or x2 for twice the preset's)"
	}
	if b.powerOfTwo {
		return "a power of two " + limits
	}
	return "an integer " + limits
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// relate returns the error of a rule between keys unless it holds.
func relate(holds bool, key string, value int, allowed string, args ...any) error {
	if holds {
		return nil
	}
	return &ValueError{key, strconv.Itoa(value), fmt.Sprintf(allowed, args...)}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func checkSM(c *Config) error {
	s := &c.SM
	return firstError(
		relate(s.MaxThreads <= s.MaxWarps*32, "sm.max_threads", s.MaxThreads, "at most 32 times sm.max_warps = %d",
			32*s.MaxWarps),
		relate(s.MaxWarps%s.Schedulers == 0, "sm.max_warps", s.MaxWarps, "a multiple of sm.schedulers = %d", s.Schedulers),
		relate(s.Registers%s.WarpUnit == 0, "sm.registers", s.Registers, "a multiple of sm.warp_unit = %d", s.WarpUnit),
		checkCollectors(s),
	)
}

// checkCollectors checks the rule of collectors that serve all pipes: each scheduler has its own.
func checkCollectors(s *SMConfig) error {
	if !s.Collectors() {
		return nil
	}
	each := func(n int) bool { return n >= s.Schedulers && n%s.Schedulers == 0 && n <= mostCollectors*s.Schedulers }
	return firstError(
		relate(each(s.OperandCollectors), "sm.operand_collectors", s.OperandCollectors,
			"1 to %d times sm.schedulers = %d, since sm.pipeline is collector", mostCollectors, s.Schedulers),
		relate(each(s.RegisterBanks), "sm.register_banks", s.RegisterBanks,
			"1 to %d times sm.schedulers = %d, since sm.pipeline is collector", mostCollectors, s.Schedulers),
	)
}

// mostCollectors is how many collectors, and banks of registers, a scheduler has at most.
const mostCollectors = 8

func checkCaches(c *Config) error {
	l1, l2 := &c.L1, &c.L2
	return firstError(
		relate(l1.Bytes%(l1.LineBytes*l1.Ways) == 0, "l1.bytes", l1.Bytes,
			"a multiple of l1.line_bytes x l1.ways = %d (sets x ways x line = bytes)", l1.LineBytes*l1.Ways),
		relate(l2.LineBytes == l1.LineBytes, "l2.line_bytes", l2.LineBytes, "l1.line_bytes = %d", l1.LineBytes),
		relate(l2.SectorBytes <= l2.LineBytes, "l2.sector_bytes", l2.SectorBytes, "at most l2.line_bytes = %d", l2.LineBytes),
		relate(l1.SectorBytes <= l2.SectorBytes, "l1.sector_bytes", l1.SectorBytes,
			"at most l2.sector_bytes = %d, so that a request is for one sector of the L2", l2.SectorBytes),
		relate(l2.Bytes%(l2.LineBytes*l2.Ways*l2.Slices) == 0, "l2.bytes", l2.Bytes,
			"a multiple of l2.line_bytes x l2.ways x l2.slices = %d (sets x ways x line x slices = bytes)",
			l2.LineBytes*l2.Ways*l2.Slices),
		checkKept(c), checkUnified(c),
	)
}

// checkLines bounds the host memory of a machine, which holds all its tags.
func checkLines(c *Config) error {
	line := c.L2.LineBytes
	l1 := max(c.L1.Bytes, c.L1.Unified)
	return firstError(
		relate(c.L2.Bytes/line <= maxLines, "l2.bytes", c.L2.Bytes, "at most %d lines of l2.line_bytes = %d", maxLines, line),
		relate(int64(l1) <= maxLines*int64(line)/int64(c.SM.Count), "l1.bytes", l1,
			"at most %d lines of l1.line_bytes = %d, of all sm.count = %d", maxLines, line, c.SM.Count),
		relate(c.TLB.Entries <= maxLines/c.SM.Count, "tlb.entries", c.TLB.Entries, "at most %d of all sm.count = %d",
			maxLines, c.SM.Count),
	)
}
