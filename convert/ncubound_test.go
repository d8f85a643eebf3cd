package convert

import (
	"fmt"
	"strings"
	"testing"

	"gpureplay/trace/tracetest"
)

// Names of functions are held up to a bound, each once.
func TestNcuNamesAreBounded(t *testing.T) {
	before := maxNcuNames
	maxNcuNames = 8
	t.Cleanup(func() { maxNcuNames = before })
	for names, fits := range map[string]bool{"abcd efgh abcd": true, "abcd efghi": false} {
		var b strings.Builder
		b.WriteString(strings.ReplaceAll("'ID','Process ID','Process Name','Host Name','Kernel Name','Context','Stream',"+
			"'Block Size','Grid Size','Device','CC','gpu__time_duration.sum'\n'','','','','','','','','','','','ns'\n",
			"'", `"`))
		for i, name := range strings.Fields(names) {
			fmt.Fprintf(&b, `"%d","9","p","h","%s","1","7","(32, 1, 1)","(1, 1, 1)","0","8.6","9"`+"\n", i, name)
		}
		in, err := Open("-", strings.NewReader(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		err = Convert(t.Context(), in, "ncu", &tracetest.Recording{}, Options{Device: -1, TempDir: t.TempDir()})
		if fits && err != nil || !fits && (err == nil || !strings.Contains(err.Error(), "8 bytes of names")) {
			t.Errorf("%s: %v", names, err)
		}
	}
}
