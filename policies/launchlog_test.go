package policies_test

import (
	"testing"

	"gpureplay/model"
)

// launchLog keeps child launches too.
type launchLog struct {
	log
	launches []model.LaunchRecord
}

func (l *launchLog) Launch(r *model.LaunchRecord) { l.launches = append(l.launches, *r) }

// launch returns the record of the request for a child.
func (l *launchLog) launch(t testing.TB, child uint32) *model.LaunchRecord {
	t.Helper()
	for i := range l.launches {
		if r := &l.launches[i]; r.Child == child {
			return r
		}
	}
	t.Fatalf("no record of the request for kernel %d", child)
	return nil
}

// kernel returns the record of a kernel.
func (l *launchLog) kernel(t testing.TB, id uint32) *model.KernelRecord {
	t.Helper()
	for i := range l.kernels {
		if r := &l.kernels[i]; r.ID == id {
			return r
		}
	}
	t.Fatalf("kernel %d never ended", id)
	return nil
}

// group returns the record of CTA 0 of an aggregated group.
func (l *launchLog) group(t testing.TB, child uint32) *model.CTARecord {
	t.Helper()
	for i := range l.ctas {
		if r := &l.ctas[i]; r.Child == child && r.CTA == 0 {
			return r
		}
	}
	t.Fatalf("the group of kernel %d never ended", child)
	return nil
}
