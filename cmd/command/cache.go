package command

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gpureplay/replay"
)

// cacheVariable names the folder of converted captures; "off" keeps none. By default the
// folder lies in the user's cache.
const cacheVariable = "REPLAY_CACHE"

// cacheBytes bounds the folder: beyond it the traces that were not used for the longest
// time are removed.
const cacheBytes = 4 << 30

// cached is the path of the trace that the cache has, or will have, of a capture; "":
// there is no cache. The path depends on the capture's place, size and time, on the build
// of replay, and, unless the capture is one file alone, on the files beside it.
func cached(capture string, alone bool) string {
	dir := os.Getenv(cacheVariable)
	if dir == "off" {
		return ""
	}
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(user, "replay")
	}
	whole, err := filepath.Abs(capture)
	if err != nil {
		return ""
	}
	h := sha256.New()
	if own, err := os.Executable(); err == nil {
		stamp(h, own)
	}
	fmt.Fprintln(h, version())
	info, err := os.Stat(whole)
	if err != nil {
		return ""
	}
	stamp(h, whole)
	if folder := filepath.Dir(whole); info.IsDir() {
		err = stampFolder(h, whole)
	} else if !alone {
		err = stampFolder(h, folder)
	}
	if err != nil {
		return ""
	}
	return filepath.Join(dir, fmt.Sprintf("%s-%.8x.trace.zst", replay.TraceName(whole), h.Sum(nil)))
}

// mostStamped bounds how many files of a folder the cache looks at.
const mostStamped = 1 << 14

// oneFile are the formats whose capture is one file, whatever lies beside it.
var oneFile = []string{"chakra", "kineto", "ncu", "nsys", "nvprof"}

// stampFolder writes which files a folder has, with the folders in it: a capture may lie in
// several files.
func stampFolder(h io.Writer, folder string) error {
	n := 0
	return filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != folder && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case d.IsDir():
			return nil
		}
		if n++; n > mostStamped {
			return fmt.Errorf("%s has more than %d files", folder, mostStamped)
		}
		stamp(h, path)
		return nil
	})
}

// stamp writes a file's path, size and time.
func stamp(h io.Writer, path string) {
	if info, err := os.Stat(path); err == nil {
		fmt.Fprintln(h, path, info.Size(), info.ModTime().UnixNano())
	}
}

// touch marks a file as used now.
func touch(path string) {
	now := time.Now()
	_ = os.Chtimes(path, now, now) // the order of removal is a matter of speed alone
}

// prune removes the traces of the cache that were not used for the longest time, until
// the others fit. The newest stays.
func prune(dir, newest string) {
	names, _ := filepath.Glob(filepath.Join(dir, "*.trace.zst"))
	type file struct {
		path  string
		bytes int64
		used  time.Time
	}
	var files []file
	sum := int64(0)
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			files = append(files, file{name, info.Size(), info.ModTime()})
			sum += info.Size()
		}
	}
	slices.SortFunc(files, func(a, b file) int { return cmp.Or(a.used.Compare(b.used), strings.Compare(a.path, b.path)) })
	for _, f := range files {
		if sum <= cacheBytes {
			return
		}
		if f.path != newest && os.Remove(f.path) == nil {
			sum -= f.bytes
		}
	}
}
