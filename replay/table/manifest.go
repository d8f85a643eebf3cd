package table

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Manifest lists a run's files in a folder of tables. It lies there as .runs/<id>/manifest.json and is written
// last, so that the files that it names are whole.
type Manifest struct {
	Trace      string          `json:"trace"`
	GPU        string          `json:"gpu"`
	Set        string          `json:"set"`
	Policy     string          `json:"policy"`
	TraceHash  string          `json:"trace_hash"`
	Tool       string          `json:"tool"`
	Incomplete bool            `json:"incomplete"` // the run was cut off
	Files      []ManifestEntry `json:"files"`
}

// ManifestEntry is one file of a run.
type ManifestEntry struct {
	Table  string `json:"table"`
	Format string `json:"format"`
	Path   string `json:"path"` // from the folder of tables, with slashes
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

const (
	runsFolder   = ".runs"         // under OUT
	manifestName = "manifest.json" // of a run
	stagedName   = "new.partial"   // of a run: files being written
	committed    = "new"           // of a run: complete files on their way to their places
)

// id names a run's folder under .runs.
func (k Key) id() string {
	h := sha256.New()
	for _, v := range k.values() {
		fmt.Fprintf(h, "%d %s\n", len(v), v) // no value can pass for the next
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// key returns the run's key.
func (m *Manifest) key() Key { return Key{m.Trace, m.GPU, m.Set, m.Policy} }

// readManifest reads one; nil if there is none.
func readManifest(path string) (*Manifest, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	m := &Manifest{}
	if err == nil {
		err = json.Unmarshal(data, m)
	}
	if err != nil {
		return nil, fmt.Errorf("tables: %s: %w", path, err)
	}
	for _, e := range m.Files {
		if !filepath.IsLocal(filepath.FromSlash(e.Path)) {
			return nil, fmt.Errorf("tables: %s: the path %q leads out of the folder", path, e.Path)
		}
	}
	return m, nil
}

// runFolders are the folders of the runs of a folder of tables; none where it has none, or
// they cannot be read.
func runFolders(dir string) []string {
	found, _ := os.ReadDir(filepath.Join(dir, runsFolder))
	var runs []string
	for _, e := range found {
		if !e.Type().IsRegular() {
			runs = append(runs, filepath.Join(dir, runsFolder, e.Name()))
		}
	}
	return runs
}

// Manifests returns the manifests of all runs of a folder, in the order of their keys. It returns an error if one
// cannot be read.
func Manifests(dir string) ([]*Manifest, error) {
	var all []*Manifest
	for _, run := range runFolders(dir) {
		m, err := readManifest(filepath.Join(run, manifestName))
		if err != nil {
			return nil, err
		}
		if m != nil {
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b *Manifest) int { return a.key().Compare(b.key()) })
	return all, nil
}

// Verify checks the sizes and checksums of all files of the runs in a folder. It returns their number and a line
// for each changed file. It fails if the folder cannot be read.
func Verify(dir string) (files int, wrong []string, err error) {
	if err := Recover(dir); err != nil {
		return 0, nil, err
	}
	all, err := Manifests(dir)
	if err != nil {
		return 0, nil, err
	}
	for _, m := range all {
		for _, e := range m.Files {
			files++
			if why := e.check(dir); why != "" {
				wrong = append(wrong, e.Path+": "+why)
			}
		}
	}
	return files, wrong, nil
}

// check returns a file's fault; "" if it has none.
func (e *ManifestEntry) check(dir string) string {
	f, err := os.Open(filepath.Join(dir, filepath.FromSlash(e.Path)))
	if err != nil {
		return "cannot be read: " + err.Error()
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	switch {
	case err != nil:
		return "cannot be read: " + err.Error()
	case n != e.Bytes:
		return fmt.Sprintf("has %d bytes, was written with %d", n, e.Bytes)
	case hex.EncodeToString(h.Sum(nil)) != e.SHA256:
		return "has another content than was written"
	}
	return ""
}

// TraceName returns the name under which a folder has the runs of a trace: its own, or, where the folder has runs of
// another trace of that name, the name with the beginning of its hash. It returns an error if the folder cannot be
// read.
func TraceName(dir, name, hash string) (string, error) {
	if err := Recover(dir); err != nil {
		return "", err
	}
	all, err := Manifests(dir)
	if err != nil {
		return "", err
	}
	for _, m := range all {
		if m.Trace == name && m.TraceHash != hash {
			return name + "~" + hash[:min(8, len(hash))], nil
		}
	}
	return name, nil
}
