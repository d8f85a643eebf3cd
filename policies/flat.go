package policies

import "gpureplay/model"

func init() {
	LaunchControls.Register(Option[model.LaunchControl]{
		Name: "inline", Title: "the parent's lane does the child's work itself", Source: "DTBL paper, section 5.1 (flat)",
		New: func(Args) (model.LaunchControl, error) { return inline{}, nil },
	})
	Register(Policy{
		Name: "flat", Title: "no dynamic parallelism: nested work runs in the parent's lanes",
		Source: "DTBL paper, section 5.1",
		Doc: "Every request is refused: lane l performs the body of its child's thread t as iteration t, so a warp runs " +
			"as long as its " +
			"longest lane, with the lanes that are done masked off.",
		Launch: "inline", Needs: needsBodies,
	})
}

// inline refuses every launch.
type inline struct{}

// NeverLaunches makes it a [model.NeverLaunches].
func (inline) NeverLaunches() {}

// Decide is of [model.LaunchControl].
func (inline) Decide(*model.LaunchRequest) (model.Decision, string) { return model.Inline, "flat" }
