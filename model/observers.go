package model

// Observers passes every record to each of its observers, in order.
type Observers []Observer

// Kernel passes it on.
func (all Observers) Kernel(r *KernelRecord) {
	for _, o := range all {
		o.Kernel(r)
	}
}

// CTA passes it on.
func (all Observers) CTA(r *CTARecord) {
	for _, o := range all {
		o.CTA(r)
	}
}

// Stage passes it on.
func (all Observers) Stage(r *StageRecord) {
	for _, o := range all {
		o.Stage(r)
	}
}

// Launch passes it on.
func (all Observers) Launch(r *LaunchRecord) {
	for _, o := range all {
		o.Launch(r)
	}
}

// Page passes it on.
func (all Observers) Page(r *PageRecord) {
	for _, o := range all {
		o.Page(r)
	}
}

// Task passes it on.
func (all Observers) Task(r *TaskRecord) {
	for _, o := range all {
		o.Task(r)
	}
}

// Sample passes it on.
func (all Observers) Sample(r *SampleRecord) {
	for _, o := range all {
		o.Sample(r)
	}
}

// Dispatched makes it a [PlacementObserver], for the observers that are one.
func (all Observers) Dispatched(r *KernelRecord) {
	for _, o := range all {
		if p, ok := o.(PlacementObserver); ok {
			p.Dispatched(r)
		}
	}
}

// Released passes it to each [PlacementObserver].
func (all Observers) Released(r *KernelRecord) {
	for _, o := range all {
		if p, ok := o.(PlacementObserver); ok {
			p.Released(r)
		}
	}
}

// Placed passes it to each [PlacementObserver].
func (all Observers) Placed(r *CTARecord) {
	for _, o := range all {
		if p, ok := o.(PlacementObserver); ok {
			p.Placed(r)
		}
	}
}

// Suspended makes it a [SuspensionObserver], for the observers that are one.
func (all Observers) Suspended(r *CTARecord, t Time) {
	for _, o := range all {
		if s, ok := o.(SuspensionObserver); ok {
			s.Suspended(r, t)
		}
	}
}

// Resumed passes it to each [SuspensionObserver].
func (all Observers) Resumed(r *CTARecord, t Time) {
	for _, o := range all {
		if s, ok := o.(SuspensionObserver); ok {
			s.Resumed(r, t)
		}
	}
}
