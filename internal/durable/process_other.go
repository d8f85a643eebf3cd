//go:build !unix

package durable

// alive cannot tell here, so that nothing is ever taken for abandoned.
func alive(int) bool { return true }
