package convert

import "slices"

// Formats returns all formats by name.
func Formats() []Format { return slices.Clone(formats) }
