package timeline

import (
	"bytes"
	"strings"
)

// API classifies the functions of the CUDA runtime, the CUDA driver and HIP by their names. Its zero value is
// ready; it remembers names.
type API struct{ known map[string]apiCall }

type apiCall struct {
	kind  CallKind
	async bool
}

const maxAPINames = 1 << 12

// Classify returns the kind of the named function, and whether it is a copy that does not block. Version suffixes
// (_v7000, _v2, _ptsz, _spt) do not matter.
func (a *API) Classify(name []byte) (CallKind, bool) {
	if c, ok := a.known[string(name)]; ok {
		return c.kind, c.async
	}
	c := classify(string(bytes.TrimSpace(name)))
	if a.known == nil {
		a.known = map[string]apiCall{}
	}
	if len(a.known) < maxAPINames {
		a.known[string(name)] = c
	}
	return c.kind, c.async
}

// apiPrefixes lists the names behind "cuda", "cu" or "hip"; the first match counts.
var apiPrefixes = []struct {
	prefix string
	kind   CallKind
}{
	{"LaunchHostFunc", CallNone},
	{"Launch", CallLaunch},
	{"ModuleLaunch", CallLaunch},
	{"ExtModuleLaunch", CallLaunch},
	{"ExtLaunch", CallLaunch},
	{"HccModuleLaunch", CallLaunch},
	{"GraphLaunch", CallGraph},
	{"Memcpy", CallCopy},
	{"Memset", CallMemset},
	{"EventRecord", CallRecord},
	{"StreamWaitEvent", CallWait},
	{"EventSynchronize", CallSyncEvent},
	{"EventQuery", CallQueryEvent},
	{"StreamSynchronize", CallSyncStream},
	{"DeviceSynchronize", CallSyncDevice},
	{"ThreadSynchronize", CallSyncDevice},
	{"CtxSynchronize", CallSyncDevice},
}

func classify(name string) apiCall {
	rest, ok := strings.CutPrefix(name, "cuda")
	if !ok {
		rest, ok = strings.CutPrefix(name, "cu")
	}
	if !ok {
		rest, ok = strings.CutPrefix(name, "hip")
	}
	if !ok {
		return apiCall{}
	}
	for _, p := range apiPrefixes {
		if strings.HasPrefix(rest, p.prefix) {
			return apiCall{p.kind, strings.Contains(rest, "Async")}
		}
	}
	return apiCall{}
}

// InThreads reports whether a launching function takes its grid in threads.
func InThreads(name []byte) bool {
	return bytes.HasPrefix(name, []byte("hipExtModuleLaunch")) || bytes.HasPrefix(name, []byte("hipHccModuleLaunch"))
}
