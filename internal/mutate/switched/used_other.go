//go:build !unix

package switched

import "time"

var began = time.Now()

// used is the time so far, in microseconds.
func used() int64 { return time.Since(began).Microseconds() }
