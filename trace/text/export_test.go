package text

// LowerLimits keeps a fuzzed text from filling the memory. The function that it returns sets the limits back.
func LowerLimits() (restore func()) {
	steps, ctas := maxSteps, maxCTAs
	maxSteps, maxCTAs = 1<<14, 1<<8
	return func() { maxSteps, maxCTAs = steps, ctas }
}
