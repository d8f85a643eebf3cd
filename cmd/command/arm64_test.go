package command

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gpureplay/samples"
)

// Another processor gives the same bytes: every sample's trace, and the tables of
// every policy that applies to it, from a command built for arm64 and emulated. It
// takes minutes, so that `make arm64` asks for it; Debian's qemu-user-static has the
// emulator.
func TestARM64(t *testing.T) {
	if os.Getenv("REPLAY_ARM64") == "" {
		t.Skip("make arm64 runs this on an emulated processor (REPLAY_ARM64=1)")
	}
	emulator, err := exec.LookPath("qemu-aarch64-static")
	if err != nil {
		t.Skip("there is no qemu-aarch64-static")
	}
	dir := t.TempDir()
	command := filepath.Join(dir, "replay")
	build := exec.Command("go", "build", "-o", command, "gpureplay/cmd/replay")
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	emulated := func(args ...string) {
		if out, err := exec.Command(emulator, append([]string{command}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("replay %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	for _, g := range samples.List() {
		name := g.Name
		t.Run(name, func(t *testing.T) {
			here, there := t.TempDir(), t.TempDir()
			must(t, "sample", name, "-o", filepath.Join(here, "t.trace.zst"))
			emulated("sample", name, "-o", filepath.Join(there, "t.trace.zst"))
			if !slices.Equal(bytesOf(t, here, "t.trace.zst"), bytesOf(t, there, "t.trace.zst")) {
				t.Fatalf("its trace differs on arm64")
			}
			must(t, "--policy=all", "-o", filepath.Join(here, "out"), filepath.Join(here, "t.trace.zst"))
			emulated("--policy=all", "-o", filepath.Join(there, "out"), filepath.Join(here, "t.trace.zst"))
			a, b := contents(t, filepath.Join(here, "out")), contents(t, filepath.Join(there, "out"))
			for _, file := range slices.Sorted(maps.Keys(a)) {
				if a[file] != b[file] {
					t.Errorf("%s differs between %s and arm64", file, runtime.GOARCH)
				}
			}
			if len(a) != len(b) {
				t.Errorf("%d files here, %d there", len(a), len(b))
			}
		})
	}
}

func bytesOf(t *testing.T, dir, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
