package accelsim

import (
	"archive/tar"
	"bytes"
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"sync"
)

// Kind is a file's role in a capture.
type Kind int

const (
	Unknown Kind = iota
	KernelFile
	ListFile
	Archive
)

var (
	kernelHead = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*-kernel name = .`)
	})
	listHead = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*(MemcpyHtoD,(0x)?[0-9a-fA-F]+,[0-9]+|kernel\S*\.trace[gz]?(\.xz|\.gz|\.zst)?)\s`)
	})
)

// Recognise returns the kind of a file by its beginning. A list of one line needs its end of line.
func Recognise(head []byte) Kind {
	switch {
	case kernelHead().Match(head):
		return KernelFile
	case listHead().Match(append(head[:len(head):len(head)], '\n')):
		return ListFile
	}
	for r := tar.NewReader(bytes.NewReader(head)); ; {
		h, err := r.Next()
		if err != nil {
			return Unknown
		}
		if name := path.Base(h.Name); isKernelFile(name) || isList(name) {
			return Archive
		}
	}
}

// ListOf returns the name of the list in a folder: kernelslist.g before kernelslist; "" if there are kernels
// without a list. ok is false if the folder has no part of a capture.
func ListOf(names []string) (list string, ok bool, err error) {
	var grouped, raw []string
	for _, name := range names {
		base := path.Base(name)
		switch {
		case isList(base) && path.Ext(base) == ".g":
			grouped = append(grouped, name)
		case isList(base):
			raw = append(raw, name)
		case isKernelFile(base):
			ok = true
		}
	}
	for _, lists := range [][]string{grouped, raw} {
		switch len(lists) {
		case 0:
			continue
		case 1:
			return lists[0], true, nil
		}
		for _, name := range lists {
			if base := path.Base(name); base == "kernelslist.g" || base == "kernelslist" {
				return name, true, nil
			}
		}
		return "", true, fmt.Errorf("%d lists (%s, %s, ...): give the one to convert", len(lists), lists[0], lists[1])
	}
	return "", ok, nil
}

// numberInName is the kernel's id in the name of its file.
var numberInName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`kernel-(\d+)`)
})

// kernelsOf makes a list of the kernels in a folder without one.
func kernelsOf(f Folder) ([]command, error) {
	names, err := f.Names()
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(slices.Clone(names), func(s string) bool { return !isKernelFile(s) })
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(idInName(a), idInName(b)), cmp.Compare(a, b))
	})
	var list []command
	for i, name := range names {
		list = append(list, command{file: name, line: i + 1})
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no kernel trace (.traceg, .trace, .tracez) and no list of them")
	}
	return list, nil
}

func idInName(name string) uint64 {
	m := numberInName().FindStringSubmatch(path.Base(name))
	if m == nil {
		return 0
	}
	n, _ := strconv.ParseUint(m[1], 10, 64) // beyond 64 bits: the name decides
	return n
}

// Recognised reports whether a file of that name belongs to a capture.
func Recognised(name string) bool { return isKernelFile(name) || isList(path.Base(name)) }
