package kineto_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gpureplay/convert"
	"gpureplay/convert/converttest"
)

// rankOf is a rank's part of a merged Kineto file: n launches from a time on, us, each with a kernel 10 us behind
// its call. Correlation ids count from first; 0: there are none.
func rankOf(pid, device, n, from, first int) string {
	var events []string
	for i := range n {
		id, of := 0, 0
		if first > 0 {
			id, of = first+i, first+i
		}
		if first < 0 { // calls alone have ids
			id = i + 1
		}
		events = append(events,
			fmt.Sprintf(`{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":%d,"tid":%d,"ts":%d,"dur":5,`+
				`"args":{"correlation":%d}}`, pid, pid, from+100*i, id),
			fmt.Sprintf(`{"ph":"X","cat":"kernel","name":"k","pid":%d,"tid":7,"ts":%d,"dur":50,"args":{"device":%d,"stream":7,`+
				`"correlation":%d,"grid":[64,1,1],"block":[128,1,1]}}`, device, from+10+100*i, device, of))
	}
	return strings.Join(events, ",")
}

// delaysOf are the times from the recorded call to the start of each kernel, us.
func delaysOf(r *converttest.Recording) (all []int64) {
	for _, k := range r.Kernels {
		at := int64(-1)
		if k.Recorded.HostNs >= 0 {
			at = (k.Recorded.StartNs - k.Recorded.HostNs) / 1000
		}
		all = append(all, at)
	}
	return all
}

// Two ranks in one file with the same correlation ids have the calls of their own processes, in any order of
// the processes' numbers.
func TestMergedRanks(t *testing.T) {
	for _, pids := range [][2]int{{100, 200}, {200, 100}} {
		text := "[" + rankOf(pids[0], 0, 6, 1000, 1) + "," + rankOf(pids[1], 1, 6, 1007, 1) + "]"
		for device := range 2 {
			in, err := convert.Open("-", strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			r := &converttest.Recording{}
			if err := convert.Convert(t.Context(), in, "", r, convert.Options{Device: device}); err != nil {
				t.Fatal(err)
			}
			if got := delaysOf(r); !slices.Equal(got, []int64{10, 10, 10, 10, 10, 10}) {
				t.Errorf("processes %v, device %d: delays %v", pids, device, got)
			}
		}
	}
}

// Activities without correlation ids go to the calls without activities by their order, if there are as many
// of both; and few of both are left alone.
func TestPairedByOrder(t *testing.T) {
	for _, c := range []struct {
		text   string
		paired uint64
	}{
		{rankOf(9, 0, 6, 1000, 0), 6}, {rankOf(9, 0, 6, 1000, -1), 6}, {rankOf(9, 0, 3, 1000, 0), 0},
		{rankOf(9, 0, 6, 1000, 0) + "," + rankOf(9, 0, 6, 3000, 1), 6},
	} {
		r := converttest.Text(t, "", "["+c.text+"]")
		if got := r.Diag("paired_by_order"); got != c.paired {
			t.Errorf("%d pairs, want %d: %v", got, c.paired, r.Diags)
		}
		for _, d := range delaysOf(r) {
			if c.paired > 0 && d != 10 {
				t.Errorf("delays %v", delaysOf(r))
				break
			}
		}
	}
}

// Correlation ids of 64 bits are read, with and without a sign.
func TestWideCorrelation(t *testing.T) {
	text := strings.NewReplacer(`"correlation":1}`, `"correlation":18446744073709551615}`,
		`"correlation":1,`, `"correlation":-1,`).Replace("[" + rankOf(9, 0, 1, 1000, 1) + "]")
	r := converttest.Text(t, "", text)
	if got := delaysOf(r); !slices.Equal(got, []int64{10}) || r.Diag("bad_value") != 0 {
		t.Errorf("delays %v, %v", got, r.Diags)
	}
}

// A dispatch that the profiler ran once for each group of counters is one kernel.
func TestReplayedDispatches(t *testing.T) {
	table := `"Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name",` +
		`"Correlation_Id","Start_Timestamp","End_Timestamp","Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z",` +
		`"Grid_Size_X","Grid_Size_Y","Grid_Size_Z"` + "\n"
	at := 1000
	for dispatch := range 4 {
		for range 3 {
			table += fmt.Sprintf("\"KERNEL_DISPATCH\",\"Agent 4\",1,1,77,%d,3,\"k\",%d,%d,%d,256,1,1,65536,1,1\n", dispatch,
				dispatch+1, at, at+500)
			at += 1000
		}
	}
	r := converttest.Read(t, converttest.Put(t, t.TempDir(), "9_kernel_trace.csv", table), converttest.AnyDevice)
	if len(r.Kernels) != 4 || r.Diag("replayed_dispatch") != 8 {
		t.Errorf("%d kernels, %v", len(r.Kernels), r.Diags)
	}
}

// A grid of more CTAs than 32 bits count is a damaged record, and the error names its kernel.
func TestImpossibleGrid(t *testing.T) {
	text := strings.Replace("["+rankOf(9, 0, 1, 1000, 1)+"]", "[64,1,1]", "[2147483647,65535,65535]", 1)
	if _, err := converttest.TryText(t, "", text); err == nil ||
		!strings.Contains(err.Error(), `kernel "k": its grid of 2147483647x65535x65535`) {
		t.Error(err)
	}
}
