package command

import (
	"runtime/debug"
	"sync"
)

// release is the version of the tool.
const release = "0.1.0"

// version is the release with the commit that it was built from, as far as the
// build knows it; every file that the tool writes keeps it.
var version = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return release
	}
	return versionOf(info.Settings)
})

func versionOf(settings []debug.BuildSetting) string {
	commit, changed := "", ""
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			commit = "+" + s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = ".changed"
		}
	}
	if commit == "" {
		return release
	}
	return release + commit + changed
}
