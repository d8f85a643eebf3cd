package command

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
)

// Our packages make little before main: a start of any command pays for it. Tables, generators and papers that only
// some commands need are made when they are requested.
func TestStartMakesLittle(t *testing.T) {
	c := exec.Command(os.Args[0], "-test.run=^$")
	c.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^init (gpureplay/\S+) .* (\d+) bytes, \d+ `+
		`allocs$`).FindAllStringSubmatch(string(out), -1) {
		seen[m[1]] = true
		if n, _ := strconv.Atoi(m[2]); n > 24<<10 {
			t.Errorf("%s takes %d bytes before main, more than %d: make them when they are asked for", m[1], n, 24<<10)
		}
	}
	if !seen["gpureplay/policies"] || !seen["gpureplay/replay/table"] || len(seen) < 20 {
		t.Errorf("the runtime told of %d of our packages alone:\n%s", len(seen), out)
	}
}
