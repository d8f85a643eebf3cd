package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/samples"
)

// emulators are the programs that run a command made for another processor; 386 needs
// none on amd64.
var emulators = map[string]string{"arm64": "qemu-aarch64-static", "arm": "qemu-arm-static",
	"s390x": "qemu-s390x-static", "riscv64": "qemu-riscv64-static"}

// Another processor gives the same bytes: every sample's trace, and the tables of
// every policy that applies to it, from a command built for it and emulated. It
// takes minutes for each, so that `make processors` requests it; Debian's
// qemu-user-static has the emulators.
func TestOtherProcessors(t *testing.T) {
	list := strings.Fields(os.Getenv("REPLAY_PROCESSORS"))
	if len(list) == 0 {
		t.Skip("make processors runs this for other processors (REPLAY_PROCESSORS=\"arm64 386 s390x\")")
	}
	for _, arch := range list {
		t.Run(arch, func(t *testing.T) { sameBytesOn(t, arch) })
	}
}

func sameBytesOn(t *testing.T, arch string) {
	var run []string
	if name := emulators[arch]; name != "" {
		emulator, err := exec.LookPath(name)
		if err != nil {
			t.Skipf("there is no %s", name)
		}
		run = []string{emulator}
	}
	dir := t.TempDir()
	command := filepath.Join(dir, "replay")
	// Arrow has assembly or nothing for some
	build := exec.Command("go", "build", "-tags=noasm", "-o", command, "gpureplay/cmd/replay")
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch, "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	o := other{"on " + arch, append(run, command)}
	t.Chdir(dir)
	for _, g := range samples.List() {
		t.Run(g.Name, func(t *testing.T) { o.sameSample(t, g.Name) })
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
