package command

import (
	"strings"

	"gpureplay/model/hardware"
	"gpureplay/policies"
	"gpureplay/replay"
	"gpureplay/replay/table"
	"gpureplay/samples"

	"github.com/spf13/cobra"
)

// completion of values, which a shell requests behind a flag or a command.
type completion = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective)

// listed completes one of a list, and with commas the last of several.
func listed(names func() []string, commas bool) completion {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := ""
		directive := cobra.ShellCompDirectiveNoFileComp
		if i := strings.LastIndexByte(typed, ','); commas && i >= 0 {
			before, typed = typed[:i+1], typed[i+1:]
		}
		if commas {
			directive |= cobra.ShellCompDirectiveNoSpace
		}
		var all []string
		for _, n := range names() {
			if strings.HasPrefix(n, typed) && !strings.Contains(","+before, ","+n+",") {
				all = append(all, before+n)
			}
		}
		return all, directive
	}
}

// firstOnly completes the first argument alone.
func firstOnly(c completion) completion {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return c(cmd, args, typed)
	}
}

// gpus completes presets, and files of machines.
func gpus(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	var all []string
	for _, p := range hardware.Presets() {
		if strings.HasPrefix(p, typed) {
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		return []string{"toml"}, cobra.ShellCompDirectiveFilterFileExt
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

// settingKeys completes keys of the machine, with the = that follows.
func settingKeys(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	var all []string
	for _, k := range hardware.Keys() {
		if strings.HasPrefix(k, typed) {
			all = append(all, k+"=")
		}
	}
	return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

func sampleNames() []string {
	var all []string
	for _, s := range samples.List() {
		all = append(all, s.Name)
	}
	return all
}

func policyNames() []string { return append(policies.Names(), "all") }

// completeMachine completes the flags that choose policies and machine.
func completeMachine(c *cobra.Command) {
	complete(c, "policy", listed(policyNames, true))
	complete(c, "gpu", gpus)
	complete(c, "set", settingKeys)
}

// completeReplay completes the rest of a replay's flags.
func completeReplay(c *cobra.Command) {
	complete(c, "baseline", listed(policies.Names, false))
	complete(c, "tables", listed(table.Names, true))
	complete(c, "format", listed(table.Formats, false))
	complete(c, "sensitivity", listed(func() []string {
		return append([]string{replay.LaunchSensitivity},
			hardware.Keys()...)
	}, false))
	complete(c, "as-tasks", listed(func() []string { return []string{"independent", "streams"} }, false))
}

// complete registers the completion of a flag of the command. It panics if there is no such flag, which is our
// mistake.
func complete(c *cobra.Command, flag string, values completion) {
	if err := c.RegisterFlagCompletionFunc(flag, values); err != nil {
		panic("command: " + err.Error())
	}
}
