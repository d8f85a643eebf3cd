package command

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// browser is a headless Chromium; the test is skipped where there is none.
func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	t.Skip("no Chromium is here to open the report in: install it, or name it in CHROMIUM")
	return ""
}

// opened is a page as a browser shows it.
type opened struct {
	Page, Width string
	Dark        bool
	Plots       int
	Found       []string // faults that a reader would see
}

// openPages opens pages at a desk's and a phone's width, in a light or a dark theme. It returns their faults and
// the lines of the browser's console.
func openPages(t *testing.T, pages map[string]string, dark bool) (all []opened, console string) {
	t.Helper()
	found := make(chan []opened, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /found", func(_ http.ResponseWriter, r *http.Request) {
		var all []opened
		if err := json.NewDecoder(r.Body).Decode(&all); err != nil {
			t.Error(err)
		}
		found <- all
	})
	mux.HandleFunc("GET /{page}", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("page") == "favicon.ico" {
			return // the browser requests it by itself
		}
		http.ServeFile(w, r, pages[r.PathValue("page")])
	})
	pages["browser"] = filepath.Join("testdata", "browser.html")
	server := httptest.NewServer(mux)
	defer server.Close()
	query := url.Values{"width": {"1280", "360"}}
	for name := range pages {
		if name != "browser" {
			query.Add("page", "/"+name)
		}
	}
	theme := "1" // the reader's preference that pages are told
	if dark {
		theme = "0"
	}
	c := exec.Command(browser(t), "--headless", "--no-sandbox", "--disable-gpu", "--disable-extensions",
		"--window-size=1400,1000", "--user-data-dir="+t.TempDir(),
		"--enable-logging=stderr", "--blink-settings=preferredColorScheme="+theme, "--remote-debugging-port=0",
		server.URL+"/browser?"+query.Encode())
	var log bytes.Buffer
	c.Stderr = &log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case all = <-found:
	case <-time.After(2 * time.Minute):
		t.Error("the browser did not answer")
	}
	time.Sleep(200 * time.Millisecond) // its last words
	c.Process.Kill()
	c.Wait()
	for _, line := range strings.Split(log.String(), "\n") {
		if strings.Contains(line, "CONSOLE") {
			console += line + "\n"
		}
	}
	return all, console
}

// reports makes a page of each kind: many policies, child launches, tasks, a capture.
func reports(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	pages := map[string]string{}
	for name, args := range map[string][]string{
		"settings": {"vecadd", "--policy=serial,ppcs", "--sensitivity=launch", "--gpu=gk110-ppcs"},
		"policies": {"vecadd", "--policy=serial,hyperq,nocopy,crcs,ppcs,oracle,single-overlap", "--gpu=gk110-ppcs"},
		"children": {"dp-bfs", "--policy=flat,cdp,dtbl,spawn"},
		"tasks":    {"tasks-mm", "--policy=hyperq,pagoda"},
	} {
		path, out := filepath.Join(dir, name+".zst"), filepath.Join(dir, name)
		must(t, append([]string{"sample", args[0], "-o", path}, smaller[args[0]]...)...)
		must(t, append([]string{"-o", out, path}, args[1:]...)...)
		pages[name] = out
	}
	write(t, filepath.Join(dir, "kineto.json"),
		strings.Replace(kinetoCapture, "softmax", strings.Repeat("a_long_name_", 30), 1))
	must(t, "convert", filepath.Join(dir, "kineto.json"), "-o", filepath.Join(dir, "capture.zst"))
	long := strings.NewReplacer(`"dur":50,`, `"dur":1234567,`, `"ts":160,`, `"ts":1234700,`).Replace(kinetoCapture)
	write(t, filepath.Join(dir, "long.json"), long)
	pages["long"] = filepath.Join(dir, "long")
	must(t, "--policy=hyperq", "-o", pages["long"], filepath.Join(dir, "long.json"))
	pages["capture"] = filepath.Join(dir, "capture")
	must(t, "--policy=captured,hyperq", "--gpu=a100", "-o", pages["capture"], filepath.Join(dir, "capture.zst"))
	for name, out := range pages {
		pages[name] = filepath.Join(out, "report.html")
		must(t, "report", out, "-o", pages[name])
	}
	return pages
}

// smaller are parameters by which a sample ends soon.
var smaller = map[string][]string{"vecadd": {"--param=n=65536"}, "tasks-mm": {"--param=tasks=32"}}

// The report is shown without a word in the console, nothing is cut, pale, small, or beyond the window, in both
// themes and on small screens. A page with such faults is found.
func TestReportInABrowser(t *testing.T) {
	browser(t)
	pages := reports(t)
	bad := filepath.Join(t.TempDir(), "bad.html")
	text := `<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="script-src ` +
		`'none'"><title>bad</title>
<div style="width:3000px">wide</div><p style="color:#aaa;background:#fff">pale</p><p ` +
		`style="font-size:4px">small</p><script>1</script>
<svg viewBox="0 0 100 100" width="100" style="font-size:12px"><text x="90" y="20">cut off</text><text x="5" ` +
		`y="50">one</text><text x="8" y="52">other</text></svg>`
	if err := os.WriteFile(bad, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, dark := range []bool{false, true} {
		all, console := openPages(t, pages, dark)
		if console != "" || len(all) != 2*(len(pages)-1) {
			t.Errorf("%d pages, the console says %s", len(all), console)
		}
		for _, p := range all {
			if p.Dark != dark || p.Plots < 3 {
				t.Errorf("%s: dark is %v, not %v; %d plots", p.Page, p.Dark, dark, p.Plots)
			}
			if len(p.Found) > 0 {
				t.Errorf("%s at %s px, dark %v: %d faults, %q", p.Page, p.Width, dark, len(p.Found), p.Found[:min(len(p.Found), 8)])
			}
		}
	}
	all, console := openPages(t, map[string]string{"bad": bad}, false)
	if !strings.Contains(console, "Content Security Policy") || len(all) != 2 {
		t.Fatalf("%d pages, the console says %q", len(all), console)
	}
	for _, kind := range []string{"overflow:", "outside:", "pale:", "small:", "cut:", "overlap:"} {
		if !strings.Contains(strings.Join(all[0].Found, "\n"), kind) {
			t.Errorf("a fault of the kind %s was not found: %q", kind, all[0].Found)
		}
	}
}
