//go:build !unix

package model_test

import "time"

var began = time.Now()

// spent is the time since the tests began, in place of the time of processors.
func spent() time.Duration { return time.Since(began) }
