package convert_test

import (
	"fmt"
	"strings"
	"testing"

	"gpureplay/convert/converttest"
	"gpureplay/trace"
)

func launchesOf(r *converttest.Recording) string {
	var out []string
	for _, op := range r.Ops {
		switch op.Kind {
		case trace.OpLaunch:
			k := &r.Kernels[op.Kernel]
			out = append(out, fmt.Sprintf("%s %vx%v regs %d shared %d local %d on %d at %d for %d",
				r.Functions[k.Function].Name, k.Grid, k.Block,
				k.Registers, k.SharedBytes, k.LocalBytes, k.Stream, k.Recorded.StartNs, k.Recorded.DurationNs))
		default:
			out = append(out, fmt.Sprintf("%s %d bytes on %d at %d", converttest.OpNames[op.Kind], op.Bytes, op.Stream,
				op.Recorded.StartNs))
		}
	}
	return strings.Join(out, "\n")
}

// The table of nsys stats, of two versions, after lines that the tool prints
// before it: units stand in the names of columns.
func TestNsysStats(t *testing.T) {
	want := `copy_h2d 1500000 bytes on 7 at 0
k<int, 4>(int*) 4x32 regs 16 shared 1500 local 0 on 13 at 1500 for 2000
memset 64 bytes on 7 at 4000`
	for version, text := range map[string]string{
		"2024": "Processing [x.sqlite] with [cuda_gpu_trace.py]...\n\n" +
			`Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),` +
			`Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name
1000,700,1,,,,,,,,,,1.5,1.0,Pageable,Device,NVIDIA RTX 3090 (0),1,,7,[CUDA memcpy Host-to-Device]
2500,2000,2,4,1,1,32,1,1,16,0.001,0.0005,,,,,NVIDIA RTX 3090 (0),1,,13,"k<int, 4>(int*)"
5000,10,3,,,,,,,,,,0.000064,,,,NVIDIA RTX 3090 (0),1,,7,[CUDA memset]
6000,10,4,,,,,,,,,,1,,,,NVIDIA RTX 3090 (0),1,,7,[CUDA memcpy HtoH]
`,
		"2021": `Start(nsec),Duration(nsec),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem(B),DymSMem(B),Bytes(B),` +
			`Thru(MB/s),SrcMemKd,DstMemKd,Device,Ctx,Strm,Name
1000,700,1,,,,,,,,,,1500000,1.0,Pageable,Device,NVIDIA RTX 3090 (0),1,7,[CUDA memcpy HtoD]
2500,2000,2,4,1,1,32,1,1,16,1000,500,,,,,NVIDIA RTX 3090 (0),1,13,"k<int, 4>(int*)"
5000,10,3,,,,,,,,,,64,,,,NVIDIA RTX 3090 (0),1,7,[CUDA memset]
`,
	} {
		r := converttest.Text(t, "", text)
		r.Check(t)
		if version == "2024" && r.Diag("host_copy") != 1 {
			t.Errorf("%s: %d copies within the host", version, r.Diag("host_copy"))
		}
		if got := launchesOf(r); got != want || r.Meta.GPU != "NVIDIA RTX 3090" || r.Meta.Source != "nsys" {
			t.Errorf("%s: on %q\n%s\nwant\n%s", version, r.Meta.GPU, got, want)
		}
	}
}

// The table of rocprof v1: grids in work-items, kernels only, a row without times.
func TestRocprofV1(t *testing.T) {
	r := converttest.Text(t, "", `"Index","KernelName","gpu-id","queue-id","queue-index","pid","tid","grd","wgr","lds",`+
		`"scr","arch_vgpr","accum_vgpr","sgpr","wave_size","sig","obj","DispatchNs","BeginNs","EndNs","CompleteNs",`+
		`"DurationNs"
0,"scale(float*) [clone .kd]",1,3,0,77,77,1000,64,512,16,20,4,32,64,0x0,0x7f,900,2000,2500,2600,500
1,"late",1,3,0,77,77,64,64,0,0,8,0,32,64,0x0,0x7f,900,,,,
`)
	r.Check(t)
	if got, want := launchesOf(r), "scale(float*) 16x64 regs 24 shared 512 local 16 on 3 at 0 for 500"; got != want ||
		r.Diag("record_without_time") != 1 {
		t.Errorf("%s, want %s; %v", got, want, r.Diags)
	}
}
