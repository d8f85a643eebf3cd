//go:build !linux && !darwin

package replay

func systemPeakRSS() uint64 { return 0 }
