package command

import (
	"fmt"

	"gpureplay/replay"
)

// launches reports whether the program of some runs requests children.
func launches(results []*replay.Result) bool {
	for _, r := range results {
		if r.Run.LaunchesRequested > 0 {
			return true
		}
	}
	return false
}

func (a *app) printLaunchNotes(results []*replay.Result) {
	for _, r := range results {
		if note := launchNote(r); note != "" {
			fmt.Fprintln(a.out, note)
		}
	}
}

// launchNote describes the outcome of a run's child launches in words, where the numbers alone may mislead; "":
// nothing to say.
func launchNote(r *replay.Result) string {
	x := &r.Run
	if x.LaunchesRequested == 0 {
		return ""
	}
	spilled, groups := uint64(0), false
	for _, m := range x.Extra {
		if m.Name == "agt_spilled_groups" {
			spilled, groups = uint64(m.Value), true
		}
	}
	switch {
	case x.LaunchesMade == 0 && r.Policy != "flat":
		return fmt.Sprintf("%s: 0 of %s requests launched: none meets the policy's rule; "+
			"--policy=threshold=0 launches all", r.Policy, commas(x.LaunchesRequested))
	case !groups || x.LaunchesMade == 0:
		return ""
	case x.LaunchesCoalesced == 0:
		return fmt.Sprintf("%s: 0 of %s groups joined: no kernel of their function and CTA size was in the distributor, "+
			"or where dtbl-match allows it on its way there", r.Policy, commas(x.LaunchesMade))
	case spilled > 0:
		return fmt.Sprintf("%s: %s of %s groups joined; %s found no entry of the AGT, their records were read from memory",
			r.Policy,
			commas(x.LaunchesCoalesced), commas(x.LaunchesMade), commas(spilled))
	}
	return ""
}
