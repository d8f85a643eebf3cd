package audit

import (
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/trace/tracetest"
)

// The auditor finds the faults of wrong runs.
func TestTaskBookFindsFaults(t *testing.T) {
	text := "spawn work grid=1 block=32\ncta 0\n warp 0\n  int\nspawn work grid=1 block=32 deps=0\ncta 0\n warp 0\n  int\n"
	good := []model.TaskRecord{
		{Kernel: 0, Spawn: 0, Copied: 5, Schedulable: 6, FirstWarp: 7, End: 10, Back: 20},
		{Kernel: 1, Spawn: 20, Copied: 25, Schedulable: 26, FirstWarp: 27, End: 30, Back: 40},
	}
	for _, c := range []struct {
		rule string
		do   func(a *Auditor, r []model.TaskRecord)
	}{
		{"", func(a *Auditor, r []model.TaskRecord) { a.Task(&r[0]); a.Task(&r[1]) }},
		{"task-once,task-once", func(a *Auditor, r []model.TaskRecord) { a.Task(&r[0]); a.Task(&r[1]); a.Task(&r[1]) }},
		{"task-once", func(a *Auditor, r []model.TaskRecord) { a.Task(&r[0]) }},
		{"task-order", func(a *Auditor, r []model.TaskRecord) { r[0].Schedulable = 4; a.Task(&r[0]); a.Task(&r[1]) }},
		{"task-depends", func(a *Auditor, r []model.TaskRecord) { r[1].Spawn = 9; a.Task(&r[0]); a.Task(&r[1]) }},
		{"copy-order", func(a *Auditor, r []model.TaskRecord) {
			a.Stage(&model.StageRecord{Stage: model.StageH2D, Start: 0, End: 10})
			a.Stage(&model.StageRecord{Stage: model.StageD2H, Start: 5, End: 15})
			a.Stage(&model.StageRecord{Stage: model.StageH2D, Start: 9, End: 19})
			a.Task(&r[0])
			a.Task(&r[1])
		}},
		{"task-order", func(a *Auditor, r []model.TaskRecord) {
			a.tasks.cta(&model.CTARecord{Kernel: 0, Dispatch: 7, End: 12})
			a.Task(&r[0])
			a.Task(&r[1])
		}},
		{"task-limits", func(a *Auditor, r []model.TaskRecord) {
			book := a.book(0, 0)
			book.k.SharedBytes = 600 // a block of 1024
			a.tasks.runtime = fourTasks{}
			for range 3 {
				a.tasks.placed(&model.CTARecord{}, book)
			}
			for range 3 {
				a.tasks.released(&model.CTARecord{}, book)
			}
			delete(a.kernels, 0)
			a.Task(&r[0])
			a.Task(&r[1])
		}},
	} {
		cfg, err := hardware.Preset("titanx-maxwell")
		if err != nil {
			t.Fatal(err)
		}
		a, err := newAuditor(tracetest.FromText(t, text), cfg, &model.Policy{}, host.NotTasks)
		if err != nil {
			t.Fatal(err)
		}
		c.do(a, append([]model.TaskRecord(nil), good...))
		var found []string
		for _, v := range a.Finish(&model.Summary{}) {
			found = append(found, v.Rule)
		}
		if got := strings.Join(found, ","); got != c.rule {
			t.Errorf("found %q, want %q", got, c.rule)
		}
	}
}

// fourTasks is a runtime of four tasks an SM.
type fourTasks struct{}

func (fourTasks) Limits(*hardware.Config) model.ResidentLimits {
	return model.ResidentLimits{CTAs: 4, SharedBytes: 2048, SharedUnit: 512, Barriers: 16}
}
