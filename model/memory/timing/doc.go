// Package timing has reservations of ports and buses, ratios of clocks, refreshes, unions of busy intervals, turns and
// queues of times: the arithmetic that both memory engines share.
package timing
