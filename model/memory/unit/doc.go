// Package unit is the load/store unit of an SM up to its L1, and the base of a memory system, for both memory engines.
package unit
