// Package gpgpusim reads configuration files of GPGPU-Sim and Accel-Sim, gpgpusim.config with trace.config beside it,
// and writes the machine as TOML with the source of each number.
//
// [Options] is the table of all options: each is mapped to keys of a machine, or ignored for a reason, or needs a
// value, since the cycle-level engine models no other. An option that is not in the table, and another value than one
// that is needed, are errors of one line with the file, the line and the option.
package gpgpusim
