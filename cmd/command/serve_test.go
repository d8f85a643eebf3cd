package command

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gpureplay/replay/report"
	"gpureplay/replay/serve"
)

// served is the page about two policies on a small vecadd, and its folder.
func served(t *testing.T) (url, dir string) {
	t.Helper()
	dir = t.TempDir()
	path, out := filepath.Join(dir, "v.trace.zst"), filepath.Join(dir, "out")
	must(t, "sample", "vecadd", "-o", path, "--param=n=65536")
	must(t, "--policy=serial,ppcs", "--gpu=gk110-ppcs", "-o", out, path)
	page, err := serve.New(out, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(page)
	t.Cleanup(server.Close)
	return server.URL, out
}

// The page answers this machine alone, by the names of tables alone; a link out of the folder is refused.
func TestServe(t *testing.T) {
	url, out := served(t)
	get := func(path, host string) (int, string) {
		r, err := http.NewRequest(http.MethodGet, url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer reply.Body.Close()
		text, err := io.ReadAll(reply.Body)
		if err != nil {
			t.Fatal(err)
		}
		return reply.StatusCode, string(text)
	}
	for _, c := range []struct {
		path, host string
		status     int
		says       string
	}{
		{"/", "", 200, "<title>replay</title>"}, {"/report", "", 200, "Content-Security-Policy"},
		{"/tables", "", 200, `"kernels"`}, {"/tables/kernels?policy=ppcs", "", 200, `"total":2`},
		{"/tables/kernels", "", 200, `"total":4`}, {"/tables/nothing", "", 404, "no such table"},
		{"/tables/..%2f..%2fv.trace.zst", "", 404, "no such table"}, {"/v.trace.zst", "", 404, ""},
		{"/", "example.org", 403, "127.0.0.1"}, {"/tables/runs", "example.org:80", 403, "127.0.0.1"},
	} {
		if status, text := get(c.path, c.host); status != c.status || !strings.Contains(text, c.says) {
			t.Errorf("%s of %q: status %d, want %d: %.200s", c.path, c.host, status, c.status, text)
		}
	}
	if _, err := serve.New(t.TempDir(), report.Options{}); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("a folder without tables gives %v", err)
	}
	files, err := filepath.Glob(filepath.Join(out, "kernels", "*", "*", "*", "*", "part-0.parquet"))
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	away := filepath.Join(t.TempDir(), "away.parquet")
	if err := os.Rename(files[0], away); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(away, files[0]); err != nil {
		t.Skip(err)
	}
	if status, text := get("/tables/kernels", ""); status != 500 || !strings.Contains(text, "outside") {
		t.Errorf("a link out of the folder: status %d, %.200s", status, text)
	}
}

// A browser filters, sorts and zooms as the address says, without a word in its console.
func TestServeInABrowser(t *testing.T) {
	path := browser(t)
	url, _ := served(t)
	dumped := func(theme string) string {
		c := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(),
			"--enable-logging=stderr", "--virtual-time-budget=8000", "--blink-settings=preferredColorScheme="+theme,
			"--dump-dom", url+
				"/#table=ctas&policy=ppcs&sort=end_cycles&dir=desc&f.sm=%3C3&x=start_cycles&from=50000&to=90000")
		var log strings.Builder
		c.Stderr = &log
		text, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(log.String(), "CONSOLE") {
			t.Errorf("the console says %s", log.String())
		}
		return string(text)
	}
	const light, dark = "solid rgb(31, 111, 181)", "solid rgb(95, 168, 238)" // of the first policy
	if night := dumped("0"); !strings.Contains(night, dark) || strings.Contains(night, light) {
		t.Error("the plot has not the colours of the dark theme")
	}
	dom := dumped("1")
	if !strings.Contains(dom, light) {
		t.Error("the plot has not the colours of the light theme")
	}
	if !strings.Contains(dom, "of 512 rows") || strings.Contains(dom, "512 of 512 rows") {
		t.Errorf("the filter of sm is without effect: %.2000s", dom[max(0, strings.Index(dom, `id="count"`)):])
	}
	cells := strings.Split(dom, `tabulator-field="start_cycles"`)
	for _, cell := range cells[1:] {
		_, after, _ := strings.Cut(cell, ">")
		value, _, _ := strings.Cut(after, "<")
		if n, err := strconv.Atoi(value); err == nil && (n < 50000 || n > 90000) {
			t.Errorf("the row of start_cycles %d is outside the zoom", n)
		}
	}
	last := ""
	for _, cell := range strings.Split(dom, `tabulator-field="end_cycles"`)[1:] {
		_, after, _ := strings.Cut(cell, ">")
		value, _, _ := strings.Cut(after, "<")
		if last != "" && value != "" && (len(value) > len(last) || len(value) == len(last) && value > last) {
			t.Errorf("%s comes after %s", value, last)
		}
		if value != "" {
			last = value
		}
	}
	if last == "" || !strings.Contains(dom, "<canvas") {
		t.Error("no rows or no plot are shown")
	}
}
