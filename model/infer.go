package model

import (
	"gpureplay/model/clock"
	"gpureplay/model/hardware"
)

// hold returns for how many cycles each of n CTAs holds its place, if the GPU has room for so
// many and their kernel takes a duration from its first CTA to its end. p CTAs are placed in
// a cycle (a fractional p shifts a placement by up to a cycle). A place is free a cycle after
// its CTA has ended, and the kernel ends a cycle after its last CTA. With w waves, the last
// CTA being the s-th of its wave,
//
//	duration = ⌊s/p⌋ + w·(hold + 1)
//
// unless places are free before all have been filled; then the CTAs come at the
// pace of placing, and duration = ⌊(n-1)/p⌋ + hold + 1. The hold includes the start of the
// CTA. No CTA holds its place for less than a cycle, so that a kernel takes at least as long
// as placing its CTAs.
func hold(c *hardware.Config, duration Time, n, room uint64) Time {
	p := clock.NewPace(c.KMU.CTAsPerCycle)
	last := n - 1
	waves := Time(last/room + 1)
	hold := (duration-p.Cycles(last%room))/waves - 1
	if waves > 1 && hold+1 < p.Cycles(room) {
		hold = duration - p.Cycles(last) - 1
	}
	return max(1, hold-Time(c.SM.CTALaunchLatency))
}
