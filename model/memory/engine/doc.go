// Package engine makes the memory system of a machine: the one place that reads memory.engine.
package engine
