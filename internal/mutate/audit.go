package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// audited are the small traces that the auditor sees, one for each kind of program:
// dependent kernels, device-side launches, narrow tasks, and everything an
// instruction can do.
var auditedTraces = []struct {
	sample string
	params []string
	gpu    string
}{
	{"vecadd", []string{"n=8192"}, "gk110-ppcs"},
	{"dp-bfs", []string{"vertices=64"}, "k20c"},
	{"tasks-mm", []string{"tasks=4"}, "titanx-maxwell"},
	{"behaviour", nil, "rtx3070"},
}

// digest is the outcome of an audited trace.
type digest struct {
	status int
	figure [sha256.Size]byte
}

// audited makes the traces, and their outcomes without a fault.
func (b *bench) audited(ctx context.Context) error {
	b.sound = map[string]digest{}
	for _, t := range auditedTraces {
		path := b.at(t.sample + ".trace.zst")
		if _, err := os.Stat(path); err != nil {
			args := []string{"sample", t.sample, "-o", path}
			for _, p := range t.params {
				args = append(args, "--param="+p)
			}
			if out, _, err := limited(ctx, 60, "", nil, b.replay(), args...); err != nil {
				return fmt.Errorf("replay %s: %w\n%s", strings.Join(args, " "), err, out)
			}
		}
		d, rule, err := b.audits(ctx, t.sample, t.gpu, nil, 0)
		if err != nil {
			return err
		}
		if rule != "" {
			return fmt.Errorf("%s: without a fault the auditor says %s", t.sample, rule)
		}
		b.sound[t.sample] = d
	}
	return nil
}

func (b *bench) replay() string {
	path, err := filepath.Abs(b.at("replay"))
	if err != nil {
		return b.at("replay")
	}
	return path
}

// audit notes the auditor's verdict on a fault, and whether a figure moves.
func (b *bench) audit(ctx context.Context, on []string, v *verdict, place int) error {
	for _, t := range auditedTraces {
		d, rule, err := b.audits(ctx, t.sample, t.gpu, on, place)
		if err != nil {
			return err
		}
		if d != b.sound[t.sample] {
			v.Moved = true
		}
		if v.Auditor = rule; rule != "" {
			break
		}
	}
	return nil
}

var rule = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`the first: .*?, cycle -?\d+, ([^:]+): `) })

// audits replays a trace under the auditor with every policy that it can feed.
func (b *bench) audits(ctx context.Context, name, gpu string, env []string, place int) (d digest, broken string,
	err error) {
	out := b.at("out" + strconv.Itoa(place))
	if err := os.RemoveAll(out); err != nil {
		return d, "", err
	}
	said, late, err := limited(ctx, 2, "", env, b.replay(), "--audit", "--policy=all", "--gpu="+gpu, "--jobs=1",
		"--format=csv",
		"--tables=runs,kernels,ctas,launches,stages,tasks,pages", "--quiet", "-o", out, b.at(name+".trace.zst"))
	if ctx.Err() != nil {
		return d, "", ctx.Err()
	}
	if err != nil {
		d.status = 1
		if m := rule().FindSubmatch(said); m != nil {
			broken = string(m[1])
		} else if late {
			d.status = 2
		}
	}
	d.figure, err = figures(out)
	return d, broken, err
}

// figures hashes the tables of a folder.
func figures(dir string) (sum [sha256.Size]byte, err error) {
	files := map[string]string{}
	err = filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".csv") {
			return err
		}
		text, err := os.ReadFile(path)
		files[path] = string(text)
		return err
	})
	if os.IsNotExist(err) {
		err = nil
	}
	h := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(files)) {
		h.Write([]byte(strings.TrimPrefix(path, dir) + strconv.Itoa(len(files[path])) + files[path]))
	}
	return [sha256.Size]byte(h.Sum(nil)), err
}
