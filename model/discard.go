package model

// Discard is an observer that does nothing. One that needs a few of the records embeds it.
type Discard struct{}

// Kernel does nothing.
func (Discard) Kernel(*KernelRecord) {}

// CTA does nothing.
func (Discard) CTA(*CTARecord) {}

// Stage does nothing.
func (Discard) Stage(*StageRecord) {}

// Launch does nothing.
func (Discard) Launch(*LaunchRecord) {}

// Page does nothing.
func (Discard) Page(*PageRecord) {}

// Task does nothing.
func (Discard) Task(*TaskRecord) {}

// Sample does nothing.
func (Discard) Sample(*SampleRecord) {}
