// Package hardware describes a GPU and its host as data: the parameters of a machine, their bounds, presets with a
// source behind every number, and a user's TOML file. It also has a CTA's resources on an SM, and the differences
// of a captured GPU from a preset. Nothing in it acts in time.
package hardware
