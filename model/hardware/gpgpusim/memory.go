package gpgpusim

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// cache is the value of an option gpgpu_cache:
// sectors:sets:line:ways,replacement:write:allocation:write allocation:index,mshr:entries:merge,queue:...
type cache struct {
	sets, line, ways, mshrs, merge, queue     int
	write, allocate, writeAllocate, setsIndex string
}

var cacheText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([A-Z]):(\d+):(\d+):(\d+),([A-Z]):([A-Z]):([a-z]):([A-Z]):([A-Z]),` +
		`([A-Z]):(\d+):(\d+),(\d+)(:\d+)?(,\d+)?$`)
})

func (m *machine) cache(option string) (c cache) {
	w := cacheText().FindStringSubmatch(m.file.get(option).text)
	if w == nil {
		m.fail(option, "want sectors:sets:line:ways,replacement:write:allocation:write allocation:index,"+
			"mshr:entries:merge,queue")
		return cache{sets: 1, line: 128, ways: 1}
	}
	n := func(i int) int { v, _ := strconv.Atoi(w[i]); return v }
	switch {
	case w[1] != "S":
		m.fail(option, "the cycle-level engine needs sectors (S)")
	case w[5] != "L":
		m.fail(option, "the cycle-level engine needs LRU replacement (L)")
	case w[7] != "m":
		m.fail(option, "the cycle-level engine allocates lines on a miss (m); streaming caches (s) are not modelled")
	case w[10] != "A":
		m.fail(option, "the cycle-level engine needs associative MSHRs (A)")
	}
	return cache{sets: n(2), line: n(3), ways: n(4), mshrs: n(11), merge: n(12), queue: n(13), write: w[6], allocate: w[7],
		writeAllocate: w[8], setsIndex: w[9]}
}

// list writes whole numbers as TOML.
func list(all []int) string {
	var words []string
	for _, n := range all {
		words = append(words, strconv.Itoa(n))
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// l1 writes the L1. An adaptive one shares a store with shared memory, whose ways it has.
func (m *machine) l1() {
	const option, shared, all = "gpgpu_cache:dl1", "gpgpu_shmem_option", "gpgpu_unified_l1d_size"
	c := m.cache(option)
	bytes, ways := c.sets*c.line*c.ways, c.ways
	if m.file.get("gpgpu_adaptive_cache_config").text == "0" {
		m.set("l1.bytes", strconv.Itoa(bytes), option)
		m.set("l1.unified", "0", "gpgpu_adaptive_cache_config")
		m.set("l1.carveouts", "[]", "gpgpu_adaptive_cache_config")
	} else {
		carveouts, unified := m.ints(shared, ",", 1), m.int(all)<<10
		for i := range carveouts {
			carveouts[i] <<= 10
		}
		bytes = unified - carveouts[0]
		if ways = bytes / (c.sets * c.line); ways < 1 {
			m.fail(all, "want more KB than the least of -%s", shared)
		}
		m.set("l1.bytes", strconv.Itoa(bytes), all)
		m.set("l1.unified", strconv.Itoa(unified), all)
		m.set("l1.carveouts", list(carveouts), shared)
	}
	m.set("l1.line_bytes", strconv.Itoa(c.line), option)
	m.set("l1.ways", strconv.Itoa(ways), option)
	m.number("l1.latency", "gpgpu_l1_latency")
	m.number("l1.banks", "gpgpu_l1_banks")
	m.set("l1.mshrs", strconv.Itoa(c.mshrs), option)
	m.set("l1.merge", strconv.Itoa(c.merge), option)
	m.set("l1.miss_queue", strconv.Itoa(c.queue), option)
	m.set("l1.global_loads", strconv.FormatBool(m.int("gpgpu_gmem_skip_L1D") == 0), "gpgpu_gmem_skip_L1D")
	m.set("l1.write_allocate", strconv.FormatBool(c.writeAllocate != "N"), option)
	if c.write != "T" {
		m.fail(option, "the cycle-level engine needs an L1 that writes through (T)")
	}
	if c.setsIndex != "L" {
		m.fail(option, "the cycle-level engine needs linear sets of the L1 (L)")
	}
	m.number("l1.write_ratio_pct", "gpgpu_l1_cache_write_ratio")
}

func (m *machine) l2() {
	const option, hash = "gpgpu_cache:dl2", "gpgpu_memory_partition_indexing"
	c := m.cache(option)
	slices := m.int("gpgpu_n_mem") * m.int("gpgpu_n_sub_partition_per_mchannel")
	m.set("l2.bytes", strconv.Itoa(c.sets*c.line*c.ways*slices), option)
	m.set("l2.slices", strconv.Itoa(slices), "gpgpu_n_sub_partition_per_mchannel")
	m.set("l2.line_bytes", strconv.Itoa(c.line), option)
	m.set("l2.write_back", strconv.FormatBool(c.write == "B"), option)
	m.set("l2.ways", strconv.Itoa(c.ways), option)
	m.number("l2.latency", "gpgpu_l2_rop_latency")
	m.set("l2.mshrs", strconv.Itoa(c.mshrs), option)
	m.set("l2.merge", strconv.Itoa(c.merge), option)
	m.set("l2.miss_queue", strconv.Itoa(c.queue), option)
	queues := m.ints("gpgpu_dram_partition_queues", ":", 4)
	for _, n := range queues {
		if n != queues[0] {
			m.fail("gpgpu_dram_partition_queues", "the cycle-level engine needs queues of one length")
		}
	}
	m.set("l2.queue", strconv.Itoa(queues[0]), "gpgpu_dram_partition_queues")
	hashes := map[string]string{"0": "linear", "2": "ipoly"}
	if hashes[m.file.get(hash).text] == "" {
		m.fail(hash, "the cycle-level engine needs 0 (linear) or 2 (IPOLY)")
	}
	m.set("l2.hash", strconv.Quote(hashes[m.file.get(hash).text]), hash)
	if c.setsIndex != "P" {
		m.fail(option, "the cycle-level engine needs sets of the L2 by IPOLY (P)")
	}
	m.set("l2.set_hash", `"ipoly"`, option)
}

// dram writes the channels: layout, bus and timings.
func (m *machine) dram() {
	const bus, burst, layout, timing = "gpgpu_dram_buswidth", "gpgpu_dram_burst_length", "gpgpu_mem_addr_mapping",
		"gpgpu_dram_timing_opt"
	bytes := m.int(bus) * m.int(burst)
	if bytes < 8 || bytes > 256 || bytes&(bytes-1) != 0 {
		m.fail(burst, "times -%s %d: the cycle-level engine needs bursts of 8, 16, 32, 64, 128 or 256 bytes", bus, m.int(bus))
	}
	m.number("dram.channels", "gpgpu_n_mem")
	m.layout(layout)
	m.choose("dram.bank_hash", "dram_bnk_indexing_policy", "linear", "xor", "ipoly")
	m.number("dram.bus_bytes", bus)
	m.number("dram.data_rate", "dram_data_command_freq_ratio")
	m.set("dram.burst_bytes", strconv.Itoa(bytes), burst)
	m.set("dram.dual_bus", strconv.FormatBool(m.int("dram_dual_bus_interface") != 0), "dram_dual_bus_interface")
	m.number("dram.latency", "dram_latency")
	m.number("dram.window", "gpgpu_frfcfs_dram_sched_queue_size")
	m.set("dram.return", strconv.Itoa(max(1, m.int("gpgpu_dram_return_queue_size")-1)), "gpgpu_dram_return_queue_size")
	m.writeQueue("dram_seperate_write_queue_enable", "dram_write_queue_size")
	of := map[string]string{"nbk": "banks", "nbkgrp": "bank_groups", "CCD": "tccd", "CCDL": "tccdl", "RRD": "trrd",
		"RCD": "trcd", "RAS": "tras", "RP": "trp", "RC": "trc", "RTPL": "trtpl", "CL": "tcl", "WL": "twl", "CDLR": "tcdlr",
		"WR": "twr"}
	for _, word := range strings.Split(strings.Trim(m.file.get(timing).text, ":"), ":") {
		name, text, ok := strings.Cut(word, "=")
		n, err := strconv.Atoi(text)
		if key := of[name]; !ok || err != nil || key == "" {
			m.fail(timing, "%q: want nbk=, nbkgrp=, CCD= and the other timings", word)
		} else {
			m.set("dram."+key, strconv.Itoa(n), timing)
		}
		delete(of, name)
	}
	if len(of) > 0 && m.err == nil {
		m.fail(timing, "%d timings are missing; GPGPU-Sim's defaults are not known here", len(of))
	}
}

// choose writes the word that an option's number names.
func (m *machine) choose(key, option string, words ...string) {
	n := m.int(option)
	if n >= len(words) {
		m.fail(option, "the cycle-level engine needs 0 to %d (%s)", len(words)-1, strings.Join(words, ", "))
		return
	}
	m.set(key, strconv.Quote(words[n]), option)
}

// writeQueue writes the queue of write-backs: its size, and from when to when a channel serves it.
func (m *machine) writeQueue(enable, size string) {
	queue := []int{0, 0, 0}
	option := enable
	if m.int(enable) != 0 {
		queue, option = m.ints(size, ":", 3), size
	}
	for i, key := range []string{"queue", "high", "low"} {
		m.set("dram.write_"+key, strconv.Itoa(queue[i]), option)
	}
}

// layout writes where rows, banks and columns lie in an address.
func (m *machine) layout(option string) {
	rule, bits, ok := strings.Cut(m.file.get(option).text, ";")
	if !ok || !strings.HasPrefix(rule, "dramid@") {
		m.fail(option, "want dramid@BIT;LAYOUT")
		return
	}
	if rule != "dramid@8" {
		m.fail(option, "the cycle-level engine needs dramid@8: channels change each 256 bytes")
	}
	bits = strings.TrimLeft(bits, "0.")
	columns := strings.Count(bits, "C") + strings.Count(bits, "S")
	m.set("dram.mapping", fmt.Sprintf("%q", bits), option)
	m.set("dram.row_bytes", strconv.Itoa(1<<min(columns, 30)), option)
}
