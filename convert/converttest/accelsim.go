package converttest

import (
	"testing"
)

const accelsimHeader = `-kernel name = scale
-kernel id = 1
-grid dim = (2,1,1)
-block dim = (64,1,1)
-shmem = 0
-nregs = 8
-binary version = 80
-cuda stream id = 0
-accelsim tracer version = 5

#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] ` +
	`[mem_addresses] immediate

`

// AccelsimRaw is a raw capture of two warps that take turns.
const AccelsimRaw = accelsimHeader + `1 0 0 0 0000 ffffffff 1 R2 S2R 0 0 0
0 0 0 1 0000 ffffffff 1 R2 S2R 0 0 0
0 0 0 1 0010 ffffffff 1 R4 LDG.E 1 R2 4 1 0x7f0000000080 4 0
1 0 0 0 0010 0000ffff 1 R4 LDG.E 1 R2 4 2 0x7f0000000100 8 4 4 4 4 4 4 4 4 4 4 4 4 4 4 0
1 0 0 0 0020 ffffffff 0 EXIT 0 0 0
0 0 0 1 0020 ffffffff 0 EXIT 0 0 0
`

// accelsimFolderOf is a folder with a list, a copy and a kernel of one warp.
func accelsimFolderOf(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	Put(t, dir, "kernelslist.g", "MemcpyHtoD,0x00007f0000000000,512\nkernel-1.traceg\n")
	Put(t, dir, "INFO", "HostName: secret\nCommand: /home/someone/scale\n")
	Put(t, dir, "kernel-1.traceg", accelsimHeader+"#BEGIN_TB\nthread block = 1,0,0\nwarp = 1\ninsts = 2\n"+
		"0010 ffffffff 1 R4 LDG.E 1 R2 4 1 0x7f0000000080 4 0\n0020 ffffffff 0 EXIT 0 0 0\n#END_TB\n")
	return dir
}
