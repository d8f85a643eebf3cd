package accelsim

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"gpureplay/trace/tracetest"
)

// However the reader hands out the bytes, the lines are the text's.
func TestLinesAgainstSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([a-c]{0,9}\r?\n){0,30}[a-c]{0,9}`).Draw(t, "text")
		want := strings.Split(text, "\n")
		if last := len(want) - 1; want[last] == "" {
			want = want[:last]
		}
		var l lines
		l.reset(iotest.HalfReader(strings.NewReader(text)), "x")
		l.buf = l.buf[:0:0]
		l.buf = append(l.buf, make([]byte, rapid.IntRange(1, 8).Draw(t, "buffer"))...)
		for i := range want {
			if rapid.Bool().Draw(t, "ahead") {
				checkAhead(t, &l, want[i:])
			}
			line, err := l.next()
			if err != nil || string(line) != strings.TrimSuffix(want[i], "\r") || l.number != i+1 {
				t.Fatalf("line %d: %q, %v; want %q", l.number, line, err, want[i])
			}
			if rapid.Bool().Draw(t, "again") {
				l.unread()
				if again, _ := l.next(); string(again) != strings.TrimSuffix(want[i], "\r") || l.number != i+1 {
					t.Fatalf("again line %d: %q", l.number, again)
				}
			}
		}
		if line, err := l.next(); err != io.EOF {
			t.Fatalf("behind the end: %q, %v", line, err)
		}
	})
}

// checkAhead looks at the complete lines to come without taking them.
func checkAhead(t *rapid.T, l *lines, want []string) {
	i := 0
	err := l.ahead(1<<10, func(line []byte) bool {
		if string(line) != want[i] {
			t.Fatalf("ahead %q, want %q", line, want[i])
		}
		i++
		return true
	})
	if err != nil || i < len(want)-1 {
		t.Fatalf("looked at %d of %d lines, %v", i, len(want), err)
	}
}

func TestLinesReadError(t *testing.T) {
	broken := errors.New("the disk is broken")
	r := io.MultiReader(strings.NewReader(oneWarp(good)), iotest.ErrReader(broken))
	err := ConvertKernel(context.Background(), r, "dir/kernel-1.traceg", &tracetest.Recording{}, Options{})
	if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "kernel-1.traceg:") {
		t.Errorf("%v", err)
	}
}

// A capture that is read byte by byte comes to the same.
func TestOneByteReads(t *testing.T) {
	text := readText(t, "accelsim-atax-v5v6/atax-v5/kernel-1.traceg")
	got := &tracetest.Recording{}
	if err := ConvertKernel(context.Background(), iotest.OneByteReader(strings.NewReader(text)), "k", got,
		Options{}); err != nil {
		t.Fatal(err)
	}
	sameExecution(t, got, mustConvert(t, text))
	whole := binaryOf(t, text, 7, nil)
	got = &tracetest.Recording{}
	slow := iotest.OneByteReader(bytes.NewReader(whole))
	if err := ConvertKernel(context.Background(), slow, "k", got, Options{TempDir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	sameExecution(t, got, mustConvert(t, text))
}
