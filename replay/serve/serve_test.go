package serve

import (
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/replay/report"
	"gpureplay/replay/table"
	"gpureplay/trace"
)

// tables writes the tables runs and kernels of two policies; the second has a kernel more.
func tables(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for kernels, policy := range []string{1: "serial", 2: "ppcs"} {
		if policy == "" {
			continue
		}
		s, err := table.Open(table.Options{Dir: dir, Trace: "t", Policy: policy, GPU: "g", ClockMHz: 1000,
			Tables: []string{"runs", "kernels"}})
		if err != nil {
			t.Fatal(err)
		}
		s.Run(&table.Run{Baselines: "serial", Fidelity: trace.FidelityWarp, WaitingMean: math.NaN(),
			Summary: model.Summary{Cycles: model.Time(100 / kernels), Events: 1<<53 + 1}})
		for id := range uint32(kernels) {
			s.Observer().Kernel(&model.KernelRecord{ID: id, Function: "f", Parent: model.NoKernel, End: 100,
				Recorded: &trace.Recorded{HostNs: -1, StartNs: -1, DurationNs: -1}})
		}
		if err := s.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// served returns the function that gets a path of the page about a folder.
func served(t *testing.T, dir string) func(path string, into any) (status int, text string) {
	t.Helper()
	page, err := New(dir, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(page)
	t.Cleanup(server.Close)
	return func(path string, into any) (int, string) {
		reply, err := http.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer reply.Body.Close()
		text, err := io.ReadAll(reply.Body)
		if err == nil && into != nil {
			err = json.Unmarshal(text, into)
		}
		if err != nil {
			t.Fatalf("%s: %v: %.200s", path, err, text)
		}
		return reply.StatusCode, string(text)
	}
}

// The page lists the tables that the folder has, and no others; it refuses other names, and a folder without runs.
func TestTablesOfAFolder(t *testing.T) {
	dir := tables(t)
	get := served(t, dir)
	var names []string
	if get("/tables", &names); !slices.Equal(names, []string{"runs", "kernels"}) {
		t.Errorf("tables %v", names)
	}
	for path, want := range map[string]int{"/tables/ctas": 404, "/tables/runs": 200, "/report": 200,
		"/": 200, "/tables/none": 404} {
		if status, text := get(path, nil); status != want {
			t.Errorf("%s: status %d, want %d: %.100s", path, status, want, text)
		}
	}
	if _, err := New(t.TempDir(), report.Options{}); err == nil || !strings.Contains(err.Error(), "no table runs") {
		t.Errorf("an empty folder: %v", err)
	}
}

// Rows have the run's keys in front, NULL where a number is none, and text where a browser would round.
func TestRowsOfATable(t *testing.T) {
	get := served(t, tables(t))
	var got rows
	get("/tables/kernels", &got)
	if got.Total != 3 || len(got.Rows) != 3 || !slices.Equal(got.Columns[:5], []string{"trace", "gpu", "set", "policy",
		"kernel"}) || got.Numbers[3] || !got.Numbers[4] {
		t.Fatalf("%+v", got)
	}
	for _, c := range []struct {
		query string
		rows  int
	}{{"policy=ppcs", 2}, {"policy=serial", 1}, {"policy=none", 0}, {"trace=t", 3}, {"gpu=other", 0},
		{"trace=t&policy=serial", 1}, {"set=" + table.Unset, 3}} {
		var got rows
		get("/tables/kernels?"+c.query, &got)
		if got.Total != c.rows || len(got.Rows) != c.rows {
			t.Errorf("%s: %d rows of %d, want %d", c.query, len(got.Rows), got.Total, c.rows)
		}
	}
	got = rows{}
	get("/tables/runs?policy=serial", &got)
	cell := func(column string) any { return got.Rows[0][slices.Index(got.Columns, column)] }
	if cell("cycles") != 100.0 || cell("events") != "9007199254740993" || cell("waiting_cycles_mean") != nil ||
		cell("policy") != "serial" || cell("set") != table.Unset {
		t.Errorf("%v: %v", got.Columns, got.Rows)
	}
}

// Of a merged table each row has its own keys, and filters choose among rows. The reply has at most 20,000 rows, and
// says how many there are.
func TestMergedTableIsBounded(t *testing.T) {
	dir := t.TempDir()
	b := &table.Batch{Columns: []table.Column{{Name: "policy", Type: table.String}, {Name: "n", Type: table.Int64}}}
	policies, numbers := &table.Values{Type: table.String}, &table.Values{Type: table.Int64}
	for i := range most + 10 {
		policies.Strings = append(policies.Strings, []string{"a", "b"}[i%2])
		numbers.Ints = append(numbers.Ints, int64(i))
		policies.Null, numbers.Null = append(policies.Null, false), append(numbers.Null, false)
		b.Rows++
	}
	b.Values = []table.Values{*policies, *numbers}
	all, odd := &rows{}, &rows{}
	all.batch(b, nil, nil)
	if all.Total != most+10 || len(all.Rows) != most || all.Rows[most-1][1] != int64(most-1) {
		t.Errorf("%d rows of %d", len(all.Rows), all.Total)
	}
	odd.batch(b, nil, map[string][]string{"policy": {"b"}})
	if odd.Total != most/2+5 || odd.Rows[0][1] != int64(1) || odd.Rows[1][1] != int64(3) {
		t.Errorf("%d rows of %d", len(odd.Rows), odd.Total)
	}
	if _, err := New(dir, report.Options{}); err == nil {
		t.Error("a folder without tables")
	}
}

// Whole numbers beyond 2^53 are texts; what is no number is nothing.
func TestCellsOfABrowser(t *testing.T) {
	for _, c := range []struct{ in, want any }{
		{int64(1 << 53), int64(1 << 53)}, {int64(1<<53 + 1), "9007199254740993"}, {int64(-1 << 53), int64(-1 << 53)},
		{int64(-1<<53 - 1), "-9007199254740993"}, {uint64(1 << 53), uint64(1 << 53)},
		{uint64(math.MaxUint64), "18446744073709551615"}, {1.5, 1.5}, {math.NaN(), nil}, {math.Inf(-1), nil},
		{"x", "x"}, {true, true},
	} {
		if got := value(c.in); got != c.want {
			t.Errorf("%v: %v, want %v", c.in, got, c.want)
		}
	}
}

// A report that cannot be made is an error of the server, in words.
func TestReportThatFails(t *testing.T) {
	dir := tables(t)
	get := served(t, dir)
	if err := os.RemoveAll(filepath.Join(dir, "runs")); err != nil {
		t.Fatal(err)
	}
	if status, text := get("/report", nil); status != 500 || !strings.Contains(text, "runs") ||
		strings.Contains(text, "<html") {
		t.Errorf("status %d: %.200s", status, text)
	}
}

// Only requests to this machine's own address get a reply. A link out of the folder is refused.
func TestOthersAreRefused(t *testing.T) {
	dir := tables(t)
	page, err := New(dir, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(page)
	defer server.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	for host, want := range map[string]int{"": 200, "localhost:" + port: 200, "127.0.0.1:" + port: 200,
		"localhost": 403, "127.0.0.1:1": 403, "example.com:" + port: 403} {
		r, err := http.NewRequest(http.MethodGet, server.URL+"/tables", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		reply.Body.Close()
		if reply.StatusCode != want || want == 200 && !strings.Contains(reply.Header.Get("Content-Security-Policy"),
			"default-src 'none'") {
			t.Errorf("host %s: status %d, want %d", host, reply.StatusCode, want)
		}
	}
	parts, err := table.Find(dir, "runs")
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "runs.parquet")
	if err = os.Rename(parts[0].Path, elsewhere); err == nil {
		err = os.Symlink(elsewhere, parts[0].Path)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(dir, report.Options{}); err == nil || !strings.Contains(err.Error(), "a place outside") {
		t.Errorf("a link out of the folder: %v", err)
	}
}
