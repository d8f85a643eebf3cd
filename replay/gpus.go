package replay

import "gpureplay/trace"

// knownGPUs has what the names of GPUs without a preset say, for captures that give
// no more than a name: SMs (AMD: compute units), compute capability, both from the
// vendors' specifications, and the preset that stands nearest.
var knownGPUs = []struct {
	name    string // words of the name, as [presetNamed] joins them
	sms, cc uint32
	preset  string
}{
	{"gtx1080ti", 28, 61, "titanx-maxwell"},
	{"rtx3060", 28, 86, "rtx3090"},
	{"rtx4060ti", 34, 89, "rtx4090"},
	{"a40", 84, 86, "a10"},
	{"l40", 142, 89, "l40s"},
	{"mi210", 104, 0, "mi250x"},
	{"mi250", 0, 0, "mi250x"},
	{"mi300a", 228, 0, "mi300x"},
	{"mi325x", 304, 0, "mi300x"},
	{"instinct", 0, 0, "mi300x"},
}

// presetOfArchitecture maps AMD's architectures to presets.
var presetOfArchitecture = map[string]string{"gfx90a": "mi250x", "gfx940": "mi300x", "gfx941": "mi300x", "gfx942": "mi300x", "gfx950": "mi300x"}

// fromName completes what a capture says of its GPU from the GPU's name.
func fromName(gpu trace.Machine) trace.Machine {
	words := joinedWords(gpu.Name)
	for _, k := range knownGPUs {
		if !words[k.name] {
			continue
		}
		if gpu.SMs == 0 {
			gpu.SMs = k.sms
		}
		if gpu.SMVersion == 0 {
			gpu.SMVersion = k.cc
		}
		return gpu
	}
	return gpu
}

// nearestByName is the preset that stands nearest to a known GPU; "": none is known.
func nearestByName(gpu string) string {
	words := joinedWords(gpu)
	for _, k := range knownGPUs {
		if words[k.name] {
			return k.preset
		}
	}
	return ""
}

// presetOfWaves is the preset of a GPU of which no more is known than that its warps
// are AMD's waves of 64 threads, and how many compute units it has; "": they are not.
func presetOfWaves(gpu *trace.Machine) string {
	switch {
	case gpu.WarpSize != 64:
		return ""
	case gpu.SMs > 150: // more than any die of CDNA 2 has
		return "mi300x"
	}
	return "mi250x"
}
