package neutral_test

import (
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/convert"
	"gpureplay/convert/converttest"
	"gpureplay/trace"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// The example of docs/neutral.md, with copies, tasks and launches beside it, all with as few columns as there may
// be, is the trace that is written out here.
func TestTablesByHand(t *testing.T) {
	dir := converttest.HandMade(t, map[string]string{
		// floats and empty cells as pandas writes integers of a column with NULL
		"kernels": "name,grid_x,block_x,duration_ns\nscale,2,48.0,1000\nchild,1,32,\njob,1,32,\nscale,1,64,\n",
		"arrays":  "name,address,bytes\na,0x1000,512\nb,8192,512\n",
		"copies":  "kind,array\nd2h,1\nh2d,0\n",
		"tasks":   "kernel,in_bytes\n2,64\n",
		"accesses": "kernel,cta,warp,operation,address,addresses,colour\n0,0,0,,4096,,red\n" +
			"0,0,0,store,8192,,\n0,0,1,atomic,,\"[8,4,16]\",\n" +
			"0,1,0,load,4096,,\n",
		"launches": "kernel,cta,warp,step,child\n0,1,0,5,1\n",
		"notes":    "x\n1\n",
	})
	r, err := fromTables(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	const want = `trace 1
meta source="tables" version="" gpu="" sm=0 sms=0 fidelity=kernel arrays=""
diagnostic unknown_column data_loss count=1 help="columns that no table of a trace has; they are not read"
diagnostic unknown_table data_loss count=1 help="files of the folder that are no table of a trace; they are not read"
array a base=0x1000 bytes=512
array b base=0x2000 bytes=512
function scale
  0000: load.global.4 memory global load w4
  0010: store.global.4 memory global store w4
  0020: atomic.global.4 memory global atomic w4
  0030: LAUNCH devlaunch
function "child"
function job
h2d a bytes=512 addr=0x1000
spawn 2 in=64
launch 0 duration=1000
launch 3
d2h b bytes=512 addr=0x2000
kernel scale id=0 grid=2 block=48 regs=0 shared=0 stream=0 duration=1000
cta 0
 warp 0
  0000 @0x1000+4
  0010 @0x2000+4
 warp 1
  0020 mask=00000007 @0x8,0x4,0x10
cta 1
 warp 0
  0000 @0x1000+4
  0030
   child 1 lane=0 work=0 params=0 marked
kernel "child" id=1 grid=1 block=32 regs=0 shared=0 stream=0 fidelity=kernel child
kernel job id=2 grid=1 block=32 regs=0 shared=0 stream=0 fidelity=kernel task
kernel scale id=3 grid=1 block=64 regs=0 shared=0 stream=0 fidelity=kernel
`
	got, wanted := strings.Split(tracetest.Text(t, r), "\n"), strings.Split(want, "\n")
	for i := range max(len(got), len(wanted)) {
		if converttest.LineAt(got, i) != converttest.LineAt(wanted, i) {
			t.Errorf("line %d:\n got %q\nwant %q", i+1, converttest.LineAt(got, i), converttest.LineAt(wanted, i))
		}
	}
}

// Kernels alone are a trace at kernel fidelity, launched in their order.
func TestTablesKernelsAlone(t *testing.T) {
	r, err := fromTables(t, converttest.HandMade(t, map[string]string{"kernels": "name,stream\na,1\nb,2\na,1\n"}))
	if err != nil {
		t.Fatal(err)
	}
	p := r.Program()
	if p.Totals.Kernels != 3 || p.Totals.HostOps != 3 || len(p.Functions) != 2 || p.Meta.Fidelity != trace.FidelityNone {
		t.Errorf("%+v, %d functions, fidelity %v", p.Totals, len(p.Functions), p.Meta.Fidelity)
	}
}

// Wrong tables are errors that name the file, the row or column, and the fault.
func TestTablesErrors(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"no name":  {map[string]string{"kernels": "grid_x\n1\n"}, []string{"kernels.csv", "lacks the column name"}},
		"no block": {map[string]string{"kernels": "name,grid_x\nk,1\n"}, []string{"lacks the column block_x"}},
		"no number": {map[string]string{"kernels": "name,registers\nk,4\nk,many\n"},
			[]string{"row 1", "registers", "many"}},
		"negative":  {map[string]string{"kernels": "name,stream\nk,-1\n"}, []string{"row 0", "stream"}},
		"too large": {map[string]string{"kernels": "name,registers\nk,4294967296\n"}, []string{"registers", "more than"}},
		"a word":    {map[string]string{"kernels": "name,fidelity\nk,full\n"}, []string{"fidelity", "kernel, cta, warp"}},
		"index":     {map[string]string{"kernels": "kernel,name\n1,k\n"}, []string{"row 0", "kernel 1 where 0 is due"}},
		"function":  {map[string]string{"kernels": "function\n0\n"}, []string{"functions has 0"}},
		"scope": {map[string]string{"kernels": "name,scope\nk,0\n"},
			[]string{"kernels.csv", "row 0", "scopes has 0"}},
		"scope's place": {map[string]string{"kernels": converttest.OneKernel, "scopes": "name,within\na,\nb,1\n"},
			[]string{"scopes.csv", "row 1", "comes after it"}},
		"no address": {map[string]string{"kernels": converttest.OneKernel, "accesses": "kernel,cta\n0,0\n"},
			[]string{"accesses.csv", "lacks the column address"}},
		"order": {map[string]string{"kernels": converttest.OneKernel, "accesses": "kernel,cta,address\n0,1,4\n0,0,4\n"},
			[]string{"row 1", "sort the table"}},
		"kernel": {map[string]string{"kernels": converttest.OneKernel, "accesses": "kernel,cta,address\n3,1,4\n"},
			[]string{"names kernel 3", "has 1"}},
		"outside": {map[string]string{"kernels": converttest.OneKernel, "accesses": "kernel,cta,address\n0,2,4\n"},
			[]string{"outside of its grid"}},
		"twice": {map[string]string{"kernels": converttest.OneKernel, "ctas": "kernel,cta\n0,1\n0,1\n"}, []string{"twice"}},
		"lanes": {map[string]string{"kernels": converttest.OneKernel, "accesses": "kernel,cta,address,lanes\n0,1,4,33\n"},
			[]string{"33 addresses for 32"}},
		"many lanes": {map[string]string{"kernels": converttest.OneKernel,
			"accesses": "kernel,cta,address,lanes\n0,1,4,4000000000\n"}, []string{"more than 4096"}},
		"no width": {map[string]string{"kernels": converttest.OneKernel,
			"accesses": "kernel,cta,address,width_bytes\n0,1,4,0\n"},
			[]string{"width_bytes"}},
		"no list": {map[string]string{"kernels": converttest.OneKernel, "accesses": "kernel,cta,addresses\n0,1,4;5\n"},
			[]string{"addresses", "[1,2]"}},
		"mask": {map[string]string{"kernels": converttest.OneKernel, "accesses": "kernel,cta,address,mask\n0,1,4,-5\n"},
			[]string{"mask"}},
		"step": {map[string]string{"kernels": converttest.OneKernel, "steps": "kernel,cta,warp,instruction\n0,0,0,0\n"},
			[]string{"steps.csv", "the function has 0"}},
		"array": {map[string]string{"kernels": converttest.OneKernel, "copies": "kind,array\nh2d,4\n"},
			[]string{"copies.csv", "arrays has 0"}},
		"kind": {map[string]string{"kernels": converttest.OneKernel, "copies": "kind,bytes\nhtod,4\n"}, []string{"htod",
			"h2d"}},
		"no kind": {map[string]string{"kernels": converttest.OneKernel, "copies": "kind,bytes\n,4\n"}, []string{"kind"}},
		"order alone": {map[string]string{"kernels": converttest.OneKernel, "copies": "kind,bytes,order\nh2d,4,0\n"},
			[]string{"table calls"}},
		"order needed": {map[string]string{"kernels": converttest.OneKernel, "copies": "kind,bytes\nh2d,4\n",
			"calls": "kind,kernel\nlaunch,0\n"}, []string{"lacks the column order"}},
		"order twice": {map[string]string{"kernels": converttest.OneKernel,
			"calls": "order,kind,kernel\n3,launch,0\n3,sync,\n"},
			[]string{"order 3 after 3"}},
		"launched": {map[string]string{"kernels": converttest.OneKernel, "calls": "kind,kernel\nlaunch,0\nlaunch,0\n"},
			[]string{"row 1", "second time"}},
		"cycle": {map[string]string{"kernels": converttest.OneKernel, "launches": "kernel,cta,child\n0,0,0\n"},
			[]string{"not after its parent"}},
		"short row": {map[string]string{"kernels": "name,stream\nk\n"}, []string{"kernels.csv", "fields"}},
		"register": {map[string]string{"kernels": converttest.OneKernel, "functions": "name\nk\n",
			"instructions": "function,class,sources\n0,int,[70000]\n"}, []string{"70000", "register"}},
		"instruction's": {map[string]string{"kernels": converttest.OneKernel, "instructions": "function,class\n0,int\n"},
			[]string{"functions has 0"}},
	} {
		_, err := fromTables(t, converttest.HandMade(t, c.files))
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %q does not say %q on one line", name, err, w)
			}
		}
	}
}

// Whatever tables hold, they come to a trace that keeps the rules, or to an error.
func FuzzTables(f *testing.F) {
	f.Add("name,grid_x,block_x\nk,2,32\n", "kernel,cta,warp,address\n0,1,0,4\n", "kernel,cta,child\n",
		"kind,bytes\nh2d,3\n")
	f.Add("name,grid_x,block_x\nk,2,32\nc,1,1\n", "kernel,cta,addresses\n0,1,\"[1,9]\"\n", "kernel,cta,child\n0,1,1\n",
		"kind,bytes\nmemset,3\n")
	f.Fuzz(func(t *testing.T, kernels, accesses, launches, copies string) {
		dir := converttest.HandMade(t, map[string]string{"kernels": kernels, "accesses": accesses, "launches": launches,
			"copies": copies})
		in, err := convert.Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		target := filepath.Join(t.TempDir(), "a.zst")
		if convert.Run(t.Context(), in, "", target, converttest.AnyDevice) != nil {
			return
		}
		r, err := container.Open(target)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if err := container.Verify(t.Context(), r, func(err error) { t.Error(err) }); err != nil {
			t.Error(err)
		}
	})
}
