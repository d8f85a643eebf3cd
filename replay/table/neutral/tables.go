package neutral

import "gpureplay/replay/table"

// Describe returns all tables, in the order in which they are listed.
func Describe() []table.Description {
	return []table.Description{
		Kernels.Describe(), CTAs.Describe(), Accesses.Describe(), Steps.Describe(), Warps.Describe(), Ranges.Describe(),
		Counts.Describe(),
		Launches.Describe(), Tasks.Describe(), Copies.Describe(), Calls.Describe(), Arrays.Describe(), Functions.Describe(),
		Instructions.Describe(), Scopes.Describe(), Trace.Describe(), Attributes.Describe(), Diagnostics.Describe(),
	}
}

// Names returns the names of all tables, in the order of [Describe].
func Names() []string {
	var names []string
	for _, d := range Describe() {
		names = append(names, d.Name)
	}
	return names
}

// Formats lists the formats of the tables, the default first. Arrow IPC is none:
// it has no checksums.
func Formats() []string { return []string{table.Parquet, table.CSV} }
