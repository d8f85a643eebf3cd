package hostmem

import "syscall"

// useHugePages has the host give memory that begins and ends with a huge page in such pages.
// A host that has none gives small ones: nothing else depends on it.
func useHugePages(b []byte) { _ = syscall.Madvise(b, syscall.MADV_HUGEPAGE) }
