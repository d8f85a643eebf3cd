package tasks

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"gpureplay/samples"
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// size counts the bytes of a discarded file.
type size int64

func (s *size) Write(p []byte) (int, error) {
	*s += size(len(p))
	return len(p), nil
}

// A trace in its file holds every task, with the spawn that belongs to it.
func TestFilesHoldEveryTask(t *testing.T) {
	for _, name := range names() {
		g, err := samples.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		var file, again bytes.Buffer
		for _, out := range []io.Writer{&file, &again} {
			if err := g.Write(out, small[name]...); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(file.Bytes(), again.Bytes()) {
			t.Errorf("%s: equal settings give different files", name)
		}
		r, err := container.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if err := container.Verify(t.Context(), r, func(err error) { t.Errorf("%s: %v", name, err) }); err != nil {
			t.Fatal(err)
		}
		ops, spawned := r.HostOps(), uint32(0)
		var op trace.HostOp
		var k trace.Kernel
		for err = ops.Next(&op); err == nil; err = ops.Next(&op) {
			if op.Kind != trace.OpSpawn {
				continue
			}
			if op.Kernel != spawned {
				t.Fatalf("%s: spawn %d is of task %d", name, spawned, op.Kernel)
			}
			spawned++
			if err := r.Kernel(op.Kernel, &k); err != nil || k.Flags&trace.KernelTask == 0 || k.WarpInsts == 0 {
				t.Fatalf("%s: task %d: %+v, %v", name, op.Kernel, k, err)
			}
		}
		if err != io.EOF || int(spawned) != r.Kernels() || spawned == 0 {
			t.Errorf("%s: %d of %d tasks are spawned: %v", name, spawned, r.Kernels(), err)
		}
	}
}

// BenchmarkFiles writes the traces of 32 thousand narrow tasks, and of a million.
func BenchmarkFiles(b *testing.B) {
	for _, c := range []struct {
		tasks    int
		name     string
		settings []string
	}{
		{1 << 15, "tasks-mb", []string{"side=16", "threads=64"}},
		{1 << 15, "tasks-mm", []string{"n=16", "threads=64"}},
		{1 << 15, "tasks-fb", []string{"width=256", "threads=64"}},
		{1 << 15, "tasks-3des", []string{"min-bytes=64", "max-bytes=512", "threads=32"}},
		{1 << 20, "tasks-mm", []string{"n=8", "threads=32", "tiles=device"}},
	} {
		b.Run(fmt.Sprintf("%s/%d", c.name, c.tasks), func(b *testing.B) {
			g, err := samples.Get(c.name)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			var file size
			for b.Loop() {
				file = 0
				if err := g.Write(&file, append(c.settings, fmt.Sprintf("tasks=%d", c.tasks))...); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(c.tasks)*float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
			b.ReportMetric(float64(file), "file-bytes")
		})
	}
}
