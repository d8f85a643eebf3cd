package replay

import (
	"cmp"

	"gpureplay/trace"
)

// knownGPUs has the facts of GPUs without a preset, for captures that give no more than a name. They are SMs (AMD:
// compute units), compute capability and boost clock, from the vendors' specifications (0: several products have
// the name), and the nearest preset.
var knownGPUs = []knownGPU{
	{"gtx1070", 15, 61, 1683, "titanx-maxwell"},
	{"gtx1080", 20, 61, 1733, "titanx-maxwell"},
	{"gtx1080ti", 28, 61, 1582, "titanx-maxwell"},
	{"titanxp", 30, 61, 1582, "titanx-maxwell"},
	{"p40", 30, 61, 1531, "titanx-maxwell"},
	{"p100", 56, 60, 0, "v100"},
	{"titanv", 80, 70, 1455, "v100"},
	{"rtx2060", 30, 75, 1680, "t4"},
	{"rtx2070", 36, 75, 1620, "t4"},
	{"rtx2080", 46, 75, 1710, "t4"},
	{"rtx2080ti", 68, 75, 1545, "t4"},
	{"titanrtx", 72, 75, 1770, "t4"},
	{"a30", 56, 80, 1440, "a100"},
	{"a40", 84, 86, 1740, "a10"},
	{"rtx3060", 28, 86, 1777, "rtx3090"},
	{"rtx3060ti", 38, 86, 1665, "rtx3090"},
	{"rtx3070ti", 48, 86, 1770, "rtx3070"},
	{"rtx3080", 0, 86, 1710, "rtx3090"},
	{"rtx3080ti", 80, 86, 1665, "rtx3090"},
	{"rtx3090ti", 84, 86, 1860, "rtx3090"},
	{"rtxa5000", 64, 86, 1695, "rtx3090"},
	{"rtxa6000", 84, 86, 1800, "rtx3090"},
	{"rtx4060", 24, 89, 2460, "rtx4090"},
	{"rtx4060ti", 34, 89, 2535, "rtx4090"},
	{"rtx4070", 46, 89, 2475, "rtx4090"},
	{"rtx4070ti", 60, 89, 2610, "rtx4090"},
	{"rtx4080", 76, 89, 2505, "rtx4090"},
	{"l4", 58, 89, 2040, "l40s"},
	{"l40", 142, 89, 2490, "l40s"},
	{"gh200", 132, 90, 1980, "h100"},
	{"rtx5090", 170, 120, 2407, "rtx4090"},
	{"mi100", 120, 0, 1502, "mi250x"},
	{"mi210", 104, 0, 1700, "mi250x"},
	{"mi250", 0, 0, 1700, "mi250x"},
	{"mi300a", 228, 0, 2100, "mi300x"},
	{"mi325x", 304, 0, 2100, "mi300x"},
}

type knownGPU struct {
	name    string // words of the name, as [presetNamed] joins them
	sms, cc uint32
	mhz     uint64
	preset  string
}

// presetOfArchitecture maps AMD's architectures to presets.
var presetOfArchitecture = map[string]string{"gfx90a": "mi250x", "gfx940": "mi300x", "gfx941": "mi300x",
	"gfx942": "mi300x", "gfx950": "mi300x", "amd": "mi250x"}

// known finds the facts of a name: of the longest known name in it. Other GPUs of AMD are taken to be like the last
// one.
func known(gpu string) (best knownGPU) {
	words := joinedWords(gpu)
	if words["instinct"] {
		best.preset = "mi300x"
	}
	for _, k := range knownGPUs {
		if words[k.name] && len(k.name) > len(best.name) {
			best = k
		}
	}
	return best
}

// fromName completes a capture's facts about its GPU from the GPU's name. Presets know theirs.
func fromName(gpu trace.Machine) trace.Machine {
	k := known(gpu.Name)
	if len(presetNamed(gpu.Name)) >= len(k.name) {
		return gpu
	}
	gpu.SMs, gpu.SMVersion, gpu.ClockHz = cmp.Or(gpu.SMs, k.sms), cmp.Or(gpu.SMVersion, k.cc),
		cmp.Or(gpu.ClockHz, k.mhz*1e6)
	return gpu
}

// presetOfWaves is the preset of a GPU with no more known facts than that its warps are AMD's waves of 64 threads,
// and how many compute units it has; "": they are not.
func presetOfWaves(gpu *trace.Machine) string {
	switch {
	case gpu.WarpSize != 64:
		return ""
	case gpu.SMs > 150: // more than any die of CDNA 2 has
		return "mi300x"
	}
	return "mi250x"
}
