// Package hardware is what a GPU and its host are, as data: the parameters of a
// machine, their bounds, presets with a source behind every number, a user's TOML
// file, what a CTA takes of an SM, and how a captured GPU differs from a preset.
// Nothing in it acts in time.
package hardware
