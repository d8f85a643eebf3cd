package convert_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"gpureplay/convert/converttest"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
)

// sixteen returns text as Windows writes UTF-16.
func sixteen(text string) string {
	b := []byte("\xff\xfe")
	for _, c := range utf16.Encode([]rune(text)) {
		b = binary.LittleEndian.AppendUint16(b, c)
	}
	return string(b)
}

// padded returns text in gzip with zeros behind it.
func padded(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String() + strings.Repeat("\x00", 512)
}

// A capture says the same in the encodings of Windows, padded, and with the faults that writers make.
func TestEncodings(t *testing.T) {
	for name, text := range map[string]string{"kineto": converttest.KinetoSample, "nsys": converttest.NsysStats,
		"nvprof": converttest.NvprofSample} {
		want := converttest.Text(t, name, text)
		for how, in := range map[string]string{
			"a mark": "\xef\xbb\xbf" + text, "UTF-16": sixteen(text), "line ends of Windows": strings.ReplaceAll(text, "\n",
				"\r\n"),
			"gzip and zeros": padded(t, text),
		} {
			if diff := cmp.Diff(want, converttest.Text(t, "", in), cmp.AllowUnexported(converttest.Recording{})); diff != "" {
				t.Errorf("%s, %s: %.600s", name, how, diff)
			}
		}
	}
	want := converttest.Text(t, "kineto", converttest.KinetoSample)
	for how, in := range map[string]string{
		"zeros behind": converttest.KinetoSample + strings.Repeat("\x00", 100),
		"a comma":      strings.Replace(converttest.KinetoSample, `"computeMinor":6}`, `"computeMinor":6,}`, 1),
	} {
		got := converttest.Text(t, "", in)
		if got.Diag("json_repaired") != want.Diag("json_repaired")+1 || !cmp.Equal(want.Kernels, got.Kernels) {
			t.Errorf("%s: %v", how, got.Diags)
		}
	}
}

// Tables that a spreadsheet saved in another language say the same.
func TestTablesOfSpreadsheets(t *testing.T) {
	want := converttest.Text(t, "nsys", converttest.NsysStats)
	semicolons := strings.NewReplacer(",", ";", ".", ",")
	for how, in := range map[string]string{
		"quoted header": quotedHeader(converttest.NsysStats),
		"semicolons":    semicolons.Replace(unquoted(converttest.NsysStats)),
		"tabs":          strings.ReplaceAll(unquoted(converttest.NsysStats), ",", "\t"),
	} {
		got := converttest.Text(t, "", in)
		if len(got.Kernels) != len(want.Kernels) || len(got.Kernels) == 0 {
			t.Errorf("%s: %d kernels, want %d", how, len(got.Kernels), len(want.Kernels))
			continue
		}
		for i := range want.Kernels {
			if a, b := got.Kernels[i], want.Kernels[i]; a.Grid != b.Grid || *a.Recorded != *b.Recorded {
				t.Errorf("%s: kernel %d: %+v, want %+v", how, i, a, b)
			}
		}
	}
}

// quotedHeader puts each name of the header into quotes.
func quotedHeader(table string) string {
	lines := strings.Split(table, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "Start") {
			lines[i] = `"` + strings.ReplaceAll(line, ",", `","`) + `"`
		}
	}
	return strings.Join(lines, "\n")
}

// unquoted takes the quotes away, and the commas within them.
func unquoted(table string) string {
	parts := strings.Split(table, `"`)
	for i := 1; i < len(parts); i += 2 {
		parts[i] = strings.ReplaceAll(parts[i], ",", "")
	}
	return strings.Join(parts, "")
}

// Events whose begin and end are apart are the same as complete ones, however they nest.
func TestBeginAndEndEvents(t *testing.T) {
	const apart = `[{"ph":"B","cat":"kernel","name":"k","pid":0,"tid":7,"ts":10,` +
		`"args":{"grid":[2,1,1],"block":[32,1,1]}},` +
		`{"ph":"E","pid":0,"tid":7,"ts":15},` +
		`{"ph":"B","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":20},` +
		`{"ph":"B","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":21,` +
		`"args":{"correlation":5}},` +
		`{"ph":"B","cat":"kernel","name":"m","pid":0,"tid":7,"ts":25,` +
		`"args":{"correlation":5,"grid":[2,1,1],"block":[32,1,1]}},` +
		`{"ph":"E","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":23},{"ph":"E","pid":1,"tid":1,"ts":24},` +
		`{"ph":"E","pid":0,"tid":7,"ts":40},{"ph":"E","pid":0,"tid":7,"ts":41}]`
	r := converttest.Text(t, "kineto", apart)
	if len(r.Kernels) != 2 || r.Kernels[0].Recorded.DurationNs != 5000 || r.Kernels[1].Recorded.DurationNs != 15000 ||
		r.Kernels[1].Recorded.HostNs < 0 {
		t.Errorf("%+v", r.Kernels)
	}
	if r.Diag("event_without_end") != 1 {
		t.Errorf("%v, want an end without a begin", r.Diags)
	}
}
