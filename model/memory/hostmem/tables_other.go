//go:build !linux

package hostmem

// useHugePages leaves it to a host that has no call for it.
func useHugePages([]byte) {}
