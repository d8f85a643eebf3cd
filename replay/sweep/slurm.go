package sweep

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// maxTasks is the most tasks of a job array: Slurm's default MaxArraySize is
// 1001. A larger grid gives each task several cells.
const maxTasks = 1000

// Slurm is a grid as two scripts for sbatch: the array, whose tasks run their cells, and the job that then merges
// their tables.
type Slurm struct {
	Array, Collect string
	Tasks, Cells   int // of the array, and the cells that they run; 0: there is no array
	dir            string
}

// Script makes the scripts for the cells that are not finished in dir. program is
// the path of this tool, on a file system that the nodes share, as the sweep's
// file, the traces and dir must be. Tasks refuse to run if the grid has changed
// since: an index would be another cell.
func (g *Grid) Script(program, dir string) (*Slurm, error) {
	paths := [3]string{program, g.File.path, dir}
	for i := range paths {
		var err error
		if paths[i], err = filepath.Abs(paths[i]); err != nil {
			return nil, fmt.Errorf("sweep: %w", err)
		}
	}
	each := (len(g.Cells) + maxTasks - 1) / maxTasks
	s := &Slurm{dir: paths[2]}
	var tasks []int
	for from := 0; from < len(g.Cells); from += each {
		pending := 0
		for _, c := range g.Cells[from:min(from+each, len(g.Cells))] {
			if c.Err == nil && !g.Finished(paths[2], c) {
				pending++
			}
		}
		if pending > 0 {
			tasks = append(tasks, from/each)
			s.Cells += pending
		}
	}
	s.Tasks = len(tasks)
	command := fmt.Sprintf("exec %s sweep --quiet --output=%s --grid=%s", quote(paths[0]), quote(paths[2]), g.Hash())
	cells := `"$SLURM_ARRAY_TASK_ID"`
	if each > 1 {
		cells = fmt.Sprintf(`"$((SLURM_ARRAY_TASK_ID * %d))-$((SLURM_ARRAY_TASK_ID * %d + %d))"`, each, each, each-1)
	}
	logs := quote(filepath.Join(paths[2], "slurm"))
	if len(tasks) > 0 {
		s.Array = g.script("--array="+ranges(tasks)) +
			fmt.Sprintf("mkdir -p %s\n%s --jobs=1 --cells=%s %s >%s/\"$SLURM_ARRAY_TASK_ID\".log 2>&1\n", logs, command, cells,
				quote(paths[1]), logs)
	}
	s.Collect = g.script("") + fmt.Sprintf("mkdir -p %s\n%s --collect %s >%s/collect.log 2>&1\n", logs, command,
		quote(paths[1]), logs)
	return s, nil
}

// script is the common beginning of both. The tool's messages go to a log under the sweep's folder: a name of
// sbatch's own would be read as a pattern.
func (g *Grid) script(array string) string {
	var b strings.Builder
	b.WriteString("#!/bin/bash\n#SBATCH --job-name=replay-sweep\n#SBATCH --ntasks=1\n#SBATCH " +
		"--cpus-per-task=1\n#SBATCH --output=/dev/null\n")
	if array != "" {
		b.WriteString("#SBATCH " + array + "\n")
	}
	for _, o := range g.File.Slurm.Options {
		b.WriteString("#SBATCH " + o + "\n")
	}
	return b.String()
}

// quote makes one word of the shell of a text.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// ranges writes rising numbers as Slurm's --array takes them: 0-3,7.
func ranges(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		part := strconv.Itoa(numbers[i])
		if j > i {
			part += "-" + strconv.Itoa(numbers[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// Submit hands the scripts to sbatch and returns the ids of the two jobs; the second waits for the first, however
// its tasks end. It returns an error if sbatch does.
func (s *Slurm) Submit(ctx context.Context) (array, collect string, err error) {
	if err := prepare(s.dir); err != nil {
		return "", "", err
	}
	if array, err = sbatch(ctx, s.Array); err != nil {
		return "", "", err
	}
	if collect, err = sbatch(ctx, s.Collect, "--dependency=afterany:"+array); err != nil {
		return array, "", fmt.Errorf("the array is job %s, but the job that merges its tables was not taken (replay "+
			"sweep --collect does that): %w", array, err)
	}
	return array, collect, nil
}

// sbatch hands a script over and returns the job's id.
func sbatch(ctx context.Context, script string, options ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "sbatch", append([]string{"--parsable"}, options...)...)
	cmd.Stdin = strings.NewReader(script)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("sbatch: %w: %s", err, strings.TrimSpace(errs.String()))
	}
	id, _, _ := strings.Cut(strings.TrimSpace(string(out)), ";") // "id;cluster"
	if _, err := strconv.ParseUint(id, 10, 64); err != nil {
		return "", fmt.Errorf("sbatch --parsable printed %q, which is no job id", strings.TrimSpace(string(out)))
	}
	return id, nil
}
