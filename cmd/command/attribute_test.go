package command

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The attribute of a programmatic launch changes no byte of any table where no kernel triggers, under any policy that
// knows of graphs or launches; with triggers it changes the tables of pdl alone.
func TestAttributeWithoutTrigger(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, trigger := range []string{"none", "begin"} {
		const path = "sample.trace.zst"
		must(t, append(sampleArgs("llm-decode", path), "--param=trigger="+trigger)...)
		text := must(t, "inspect", "--text", path)
		header := regexp.MustCompile(`(?m)^(kernel .*id=[13579] .*)$`)
		all := map[string]map[string]string{}
		for _, mark := range []string{"", " programmatic"} {
			dir := filepath.Join(trigger, "is"+strings.TrimSpace(mark))
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			trace := filepath.Join(dir, "t.txt")
			if err := os.WriteFile(trace, []byte(header.ReplaceAllString(text, "${1}"+mark)), 0o600); err != nil {
				t.Fatal(err)
			}
			out := filepath.Join(dir, "out")
			must(t, "--quiet", "--no-baseline", "--policy=serial,hyperq,graph,pdl", "--gpu=h100", "--sample=500", "--format=csv",
				"-o", out, trace)
			all[mark] = contents(t, out)
		}
		hash := regexp.MustCompile(`[0-9a-f]{32}|\S+t\.txt`)
		attribute := regexp.MustCompile(`(?m)^((?:[^,]*,)*?\d+,\d+,\d+,)(true|false),`) // the column of table edges
		for name, data := range all[""] {
			if strings.Contains(name, "performance") { // of the run on this machine
				continue
			}
			with := all[" programmatic"][name]
			if strings.Contains(name, "/edges/") {
				data, with = attribute.ReplaceAllString(data, "$1"), attribute.ReplaceAllString(with, "$1")
			}
			same := hash.ReplaceAllString(data, "") == hash.ReplaceAllString(with, "")
			if pdl := trigger == "begin" && strings.Contains(name, "policy=pdl"); !same && !pdl {
				t.Errorf("trigger=%s: %s differs with the attribute", trigger, name)
			} else if same && pdl && strings.Contains(name, "kernels") {
				t.Errorf("trigger=%s: %s is the same with the attribute of every other kernel", trigger, name)
			}
		}
	}
}
