package converttest

import (
	"testing"
)

// HyfissFolder is a kernel of two CTAs of two warps whose instructions arrive
// mixed, and one that was not traced.
func HyfissFolder(t testing.TB) string {
	dir := t.TempDir()
	Put(t, dir, "configs/app.config", `######
-app_kernels_id 1,2
-kernel_1_kernel_name _Z5scalePf
-kernel_1_num_registers 20
-kernel_1_shared_mem_bytes 512
-kernel_1_grid_size 2
-kernel_1_block_size 64
-kernel_1_cuda_stream_id 5
-kernel_1_grid_dim_x 2
-kernel_1_grid_dim_y 1
-kernel_1_grid_dim_z 1
-kernel_1_tb_dim_x 64
-kernel_1_tb_dim_y 1
-kernel_1_tb_dim_z 1
-kernel_1_shmem_base_addr 7f0000000000
-kernel_2_kernel_name other
-kernel_2_grid_dim_x 9
-kernel_2_tb_dim_x 32
`)
	Put(t, dir, "configs/issue.config", "# comment\n-trace_issued_sms_num 2\n-trace_issued_sms_vector "+
		"4,7\n-trace_issued_sm_id_7 1,7,(1,0,5f),\n-trace_issued_sm_id_4 1,4,(1,1,60),(3,0,61)")
	Put(t, dir, "configs/instn.config", `# comment
1 0 MOV R1 c[0x0][0x28]
1 10 ISETP.GE.AND P0 PT R0 c[0x0][0x168] PT
1 20 LDG.E.SYS R4 [R2]
1 30 STG.E.SYS [R2] R4
1 40 @P0 EXIT
`)
	// Warps count over the grid: 0 and 1 are of CTA 0, 2 and 3 of CTA 1.
	Put(t, dir, "sass_traces/kernel_1.sass", `0 ! 0
20 f 2
20 ! 0
10 ! 0
20 3 1
20 ! 0
30 f 2
40 1 3
50 1 3
0 ! 9
`)
	Put(t, dir, "memory_traces/kernel_1.mem", `1 20 LDG f 10 1 0x1000 1 4:31
0 20 LDG ffffffff 11 1 0x2000 1 8:31
0 20 LDG 3 12 1 0x3000 2 -4:1 100:30
0 20 LDG ffffffff 13 1 0x4000 2 0:30 7:1
1 30 STG 1 14 1 0x5000 0
1 60 STG 1 15 1 0x5000 0
`)
	return dir
}
