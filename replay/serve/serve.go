package serve

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"gpureplay/replay/report"
	"gpureplay/replay/table"
)

//go:embed page
var page embed.FS

// policy forbids everything that the page itself does not bring. Plots and tables set styles of their elements.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// site is the handler of one folder.
type site struct {
	dir    string
	opt    report.Options
	tables []string

	once   sync.Once // of the report
	report []byte
	err    error
}

// New returns the page about the tables under dir. It fails if dir has no table runs that a report can be made of.
func New(dir string, opt report.Options) (http.Handler, error) {
	s := &site{dir: dir, opt: opt}
	for _, name := range table.Names() {
		files, err := filesOf(dir, name)
		if err != nil {
			return nil, err
		}
		if len(files) > 0 {
			s.tables = append(s.tables, name)
		}
	}
	if !slices.Contains(s.tables, "runs") {
		return nil, fmt.Errorf("serve: no table runs lies under %s: replay or sweep with -o %s first", dir, dir)
	}
	assets, err := fs.Sub(page, "page")
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServerFS(assets))
	mux.HandleFunc("GET /report", s.showReport)
	mux.HandleFunc("GET /tables", func(w http.ResponseWriter, _ *http.Request) { reply(w, s.tables) })
	mux.HandleFunc("GET /tables/{name}", s.showTable)
	return guard(mux), nil
}

// guard refuses requests that name another host than this machine, and sets the headers of every reply.
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isLocal(r) {
			http.Error(w, "this page answers 127.0.0.1 and localhost alone", http.StatusForbidden)
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// isLocal reports whether the Host header names the loopback address and the port that the request came to.
func isLocal(r *http.Request) bool {
	at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	_, port, err := net.SplitHostPort(at.String())
	if err != nil {
		return false
	}
	return r.Host == net.JoinHostPort("127.0.0.1", port) || r.Host == net.JoinHostPort("localhost", port) ||
		port == "80" && (r.Host == "127.0.0.1" || r.Host == "localhost")
}

// showReport replies with the static report, which the first request makes.
func (s *site) showReport(w http.ResponseWriter, r *http.Request) {
	s.once.Do(func() {
		var text bytes.Buffer
		_, s.err = report.Write(context.WithoutCancel(r.Context()), &text, s.dir, s.opt)
		s.report = text.Bytes()
	})
	if s.err != nil {
		http.Error(w, s.err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(s.report)
}

// showTable replies with the rows of a table.
func (s *site) showTable(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if !slices.Contains(s.tables, name) {
		http.Error(w, "no such table: there are "+strings.Join(s.tables, ", "), http.StatusNotFound)
		return
	}
	rows, err := read(r.Context(), s.dir, name, r.URL.Query())
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	reply(w, rows)
}

func reply(w http.ResponseWriter, what any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(what)
}

// file is a file of a table with the run that its path names.
type file struct {
	path string
	keys []string // values of keyNames; nil for a merged table, whose rows have them
}

var keyNames = []string{"trace", "gpu", "set", "policy"}

// filesOf returns the files of a table under dir. It fails if one lies outside dir.
func filesOf(dir, name string) ([]file, error) {
	var files []file
	merged, err := table.FindMerged(dir, name)
	if err != nil {
		return nil, err
	}
	if merged != "" {
		files = append(files, file{path: merged})
	} else {
		parts, err := table.Find(dir, name)
		if err != nil {
			return nil, err
		}
		for _, p := range parts {
			set := p.Set
			if set == "" {
				set = table.Unset
			}
			files = append(files, file{p.Path, []string{p.Trace, p.GPU, set, p.Policy}})
		}
	}
	for _, f := range files {
		if err := inside(dir, f.path); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// inside returns an error if a file of the folder is a link to a place outside it.
func inside(dir, path string) error {
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(root, real); err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("serve: %s is a link to a place outside %s: copy the file into the folder", path, dir)
	}
	return nil
}
