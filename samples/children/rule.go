package children

import (
	"fmt"

	"gpureplay/samples"
)

// rule says which nested work a program launches, and its shape.
//
//  0. "dense": a thread with at least 16 items launches a child for all of them, in CTAs of 32 whose last may be
//     partly idle. It is the default: the papers' programs launch nearly all nested work ("a small THRESHOLD", SPAWN
//     paper, II.B), some 40 threads a child (DTBL paper, 3.1). They do so on cage15 too, with its 19 items a row,
//     where whole CTAs of 32 or 128 leave nearly nothing to launch.
//  1. "dragonli": a thread with at least `threshold` items launches whole CTAs of `block` threads for them, and does
//     the rest, items mod block, itself.
//  2. "klap": every thread with an item launches a child for all of them, whose last CTA may be partly idle.
//  3. "shownme": as klap, but from 64 items on. The suite's one block of 64 threads that loops over the items is a
//     grid of blocks of 64 here, since a child has one thread for each item.
type rule struct {
	threshold int  // least items of a child
	whole     bool // children take whole CTAs, the rest stays with the thread
	block     int  // threads of a child CTA
	shared    bool // one stream for all children of a parent CTA
	bytes     uint32
	sync      bool // parents wait for their children before they end
}

// shape is a threshold and a block of a rule.
type shape struct{ threshold, block int }

// rules are the shapes of the authors' rules for one workload, where they differ
// from the usual ones.
type rules struct {
	dragonli, klap shape
	arguments      int // of the child, 8 bytes each
}

var dense = shape{16, 32}

// params are the parameters of a launch rule, with these defaults.
func (r rules) params() []samples.Param {
	return append([]samples.Param{
		samples.Choice("rule", fmt.Sprintf("whose launch rule: dense (%d items or more, CTAs of %d), dragonli (%d items "+
			"or more, in whole CTAs of %d), klap (all, CTAs of %d), shownme (64 or more, CTAs of 64)",
			dense.threshold, dense.block, r.dragonli.threshold, r.dragonli.block, r.klap.block), "dense", "dragonli", "klap",
			"shownme"),
		samples.Int("threshold", 0, 0, 1<<30, "least items of a child; 0: the rule's own"),
		samples.Int("child-block", 0, 0, 256, "threads of a child CTA, 32 to 256; 0: the rule's own"),
	}, launchParams(r.arguments)...)
}

// launchParams are the parameters of a launch whatever the rule; the child takes
// that many arguments of 8 bytes.
func launchParams(arguments int) []samples.Param {
	return []samples.Param{
		samples.Choice("swq", "streams of children: one each, or one for all of a parent CTA", "child", "cta"),
		samples.Int("param-bytes", int64(8*arguments), 1, 4096, "bytes of a child's parameters"),
		samples.Choice("sync", "parents wait for their children before they end (SPAWN's figure 3); DTBL's "+
			"programs do not", "no", "yes"),
	}
}

// parse reads the parameters.
func (r rules) parse(p samples.Params) (rule, error) {
	out := launchRule(p)
	s := dense
	switch p.Text("rule") {
	case "dragonli":
		s, out.whole = r.dragonli, true
	case "klap":
		s = r.klap
	case "shownme":
		s = shape{64, 64}
	}
	out.threshold, out.block = s.threshold, s.block
	if n := p.Int("threshold"); n > 0 {
		out.threshold = n
	}
	if n := p.Int("child-block"); n > 0 {
		out.block = n
	}
	if out.block < samples.WarpSize || out.block > 256 {
		return rule{}, fmt.Errorf("child-block=%d: want 0, or 32 to 256", out.block)
	}
	return out, nil
}

// launchRule reads the parameters of [launchParams] for a program that launches
// all nested work.
func launchRule(p samples.Params) rule {
	return rule{threshold: 1, shared: p.Text("swq") == "cta", bytes: uint32(p.Int("param-bytes")),
		sync: p.Text("sync") == "yes"}
}

// child returns how many of a thread's items the rule gives to a child.
func (r *rule) child(items int) int {
	switch {
	case items < r.threshold:
		return 0
	case r.whole:
		return items / r.block * r.block
	}
	return items
}

// badParam is the error of a parameter that does not fit the others.
func badParam(name string, value int, why string) error {
	return fmt.Errorf("%s=%d: %s", name, value, why)
}

// most is the largest number of elements of an array that a program allocates.
const most = 1 << 27

// fits reports an error if n elements are too many for an array.
func fits(what string, n int) error {
	if n < 0 || n > most {
		return fmt.Errorf("%d %s, more than the limit of %d; choose a smaller input", n, what, most)
	}
	return nil
}
