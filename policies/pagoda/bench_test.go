package pagoda

import "testing"

// BenchmarkTasks drives tasks of 128 threads through spawner, table and 48
// threadblocks whose executors end at once: the cost of the data structures.
func BenchmarkTasks(b *testing.B) {
	table := newTable(b, 48, 32)
	mtbs := make([]*MTB, table.Columns())
	for c := range mtbs {
		mtbs[c] = newMTB(b, table, c, PaperMTB())
	}
	s, err := NewSpawner(table, 0)
	if err != nil {
		b.Fatal(err)
	}
	s.Wait(WaitAll)
	for k := range b.N {
		s.Offer(Task{Kernel: uint32(k), Blocks: 1, Threads: 128, SharedBytes: 2048, Sync: true})
	}
	b.ReportAllocs()
	b.ResetTimer()
	var done []ID
	for now := 0; s.Offered()+s.Live() > 0; now++ {
		switch a := s.Next(); a.Act {
		case ActSend:
			table.Arrive()
		case ActPoll:
			s.Polled(table.Ended())
		case ActCopyBack:
			s.Start(a.ID)
			done = s.CopiedBack(done[:0])
		}
		if now%1024 == 0 || s.Offered() == 0 {
			for drain(mtbs) {
			}
		}
	}
}

// drain steps every threadblock until it idles, ending every warp that it
// starts, and reports whether any had something to do: one may release a task of
// another.
func drain(mtbs []*MTB) (any bool) {
	for _, m := range mtbs {
		for !m.Idling() {
			any = true
			m.Next()
			for _, s := range m.Apply() {
				m.WarpDone(s.Slot)
			}
		}
	}
	return any
}
