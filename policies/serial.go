package policies

import (
	"gpureplay/model/host"
)

func init() {
	Register(Policy{
		Name: "serial", Title: "everything one after another: the baseline of PPCS",
		Source: "CRCS/PPCS paper, figure 1(a)",
		Doc: "Prelude, copies, kernels and postlude follow one another in program order; every operation of the host waits " +
			"for the one before it, whatever its stream, and kernels run one at a time.",
		Tasks: true, Host: host.Serial,
	})
}
