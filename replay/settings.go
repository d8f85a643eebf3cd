package replay

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/policies"
	"gpureplay/replay/table"
)

// preset is the machine before settings.
func (job *Job) preset() *hardware.Config {
	if job.Preset != nil {
		return job.Preset
	}
	if shipped, err := hardware.Preset(job.Config.Name); err == nil {
		return shipped
	}
	return job.Config
}

// maxWords is the longest text of settings that names folders; a longer one is cut,
// and ends in its hash.
const maxWords = 120

// set names the settings of the machine and of the trace, as the run's key has them: words with commas, "" if there
// are none.
func (job *Job) set(v Variant) string {
	words := append(slices.Clone(job.words), job.runSettings(v)...)
	text := strings.Join(words, ",")
	if len(text) > maxWords {
		text = fmt.Sprintf("%s~%.4x", text[:maxWords-9], sha256.Sum256([]byte(text)))
	}
	return text
}

// machineSettings are the settings of the machine. A machine that is no preset is known by its hash.
func (job *Job) machineSettings() []string {
	var words []string
	base := job.preset()
	if shipped, err := hardware.Preset(base.Name); err != nil || !shipped.Equal(base) {
		words = append(words, fmt.Sprintf("file.%.4x", sha256.Sum256([]byte(base.TOML()))))
	}
	if job.Config.Equal(base) {
		return words
	}
	for _, key := range hardware.Keys() {
		was, _ := base.Value(key)
		is, _ := job.Config.Value(key)
		if was != is && key != "name" && key != "description" {
			words = append(words, key+"="+word(is))
		}
	}
	return words
}

// runSettings are those that are neither of the machine nor of the policy.
func (job *Job) runSettings(v Variant) []string {
	var words []string
	if job.AsTasks != host.NotTasks {
		words = append(words, "as_tasks="+job.AsTasks.String())
	}
	if job.Storage != nil {
		words = append(words, "io=storage")
	}
	words = append(words, job.Part...)
	if job.Approximate > 0 {
		words = append(words, fmt.Sprintf("approximate=%g", job.Approximate))
	}
	if job.MaxCycles > 0 {
		words = append(words, fmt.Sprintf("max_cycles=%d", job.MaxCycles))
	}
	if v.Key != "" {
		words = append(words, v.Key+"="+v.Value)
	}
	return words
}

// settings are the rows of the table settings of a run on a machine, which has the changes of the variant and of the
// policy.
func (job *Job) settings(c *policies.Choice, v Variant, machine *hardware.Config) []table.Setting {
	var all []table.Setting
	shipped, err := hardware.Preset(job.preset().Name)
	for _, key := range hardware.Keys() {
		if key == "name" || key == "description" {
			continue
		}
		is, _ := machine.Value(key)
		x := table.Setting{Kind: table.OfMachine, Key: key, Value: word(is)}
		if err == nil {
			was, _ := shipped.Value(key)
			x.Default = word(was)
		}
		all = append(all, x)
	}
	defaults := map[string]string{}
	if plain, err := policies.Parse(c.Policy.Name, nil); err == nil {
		for _, s := range plain[0].Settings() {
			key, value, _ := strings.Cut(s, "=")
			defaults[key] = value
		}
	}
	for _, s := range c.Settings() {
		key, value, _ := strings.Cut(s, "=")
		all = append(all, table.Setting{Kind: table.OfPolicy, Key: key, Value: value, Default: defaults[key]})
	}
	for _, w := range job.runSettings(v) {
		key, value, _ := strings.Cut(w, "=")
		all = append(all, table.Setting{Kind: table.OfRun, Key: key, Value: value})
	}
	return all
}

// word writes a value as --set takes it.
func word(v any) string {
	if f, ok := v.(float64); ok {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

// command makes this run again: the command of the call, with the one policy.
func (job *Job) command(c *policies.Choice) string {
	if job.Output.Command == "" {
		return ""
	}
	return fmt.Sprintf(job.Output.Command, c.Label)
}

// seed returns the seed of the policy's random choices; a policy without them has none.
func seed(c *policies.Choice) string {
	all := c.Settings()
	if i := slices.IndexFunc(all, func(s string) bool {
		key, _, _ := strings.Cut(s, "=")
		return strings.HasSuffix(key, "seed")
	}); i >= 0 {
		_, value, _ := strings.Cut(all[i], "=")
		return value
	}
	return "none"
}
