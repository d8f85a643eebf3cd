package text

// LowerLimits keeps a fuzzed text from filling the memory.
func LowerLimits() { maxSteps, maxCTAs = 1<<14, 1<<8 }
