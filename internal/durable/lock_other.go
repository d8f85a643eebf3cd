//go:build !linux && !darwin

package durable

import "os"

// taken reports whether another process writes to a folder: never, where there
// is no lock that ends with its process.
func taken(*os.File) bool { return false }

// locks reports whether a folder that was not taken is held now.
func locks(*os.File) bool { return false }
