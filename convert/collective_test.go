package convert

import (
	"testing"

	"gpureplay/trace"
)

// Kernels of NCCL and RCCL are known by their names, whichever way a profiler
// writes them; kernels that only speak of them are not.
func TestCollective(t *testing.T) {
	for name, want := range map[string]bool{
		"ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)":          true,
		"ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)":       true,
		"void ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)": true,
		"rcclGenericKernel": true,
		"void at::native::copy_kernel(ncclDevKernelArgsStorage<4096ul>)": false,
		"pynccl_like_gemm": false,
		"gemm":             false,
	} {
		if got := collective(name) == trace.KernelCollective; got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
