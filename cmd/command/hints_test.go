package command

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A value that a flag does not take ends in one line that says which values it takes, without Go's own words.
func TestFlagValues(t *testing.T) {
	fails(t, 2, []string{"--port=99999: want a whole number from 0 to 65535"}, "serve", "--port=99999", t.TempDir())
	fails(t, 2, []string{"--number=x: want a whole number"}, "top", "-n", "x", "out")
	tried := 0
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			for _, value := range []string{"\x00x", "-99999999999999999999999"} {
				err := c.ParseFlags([]string{"--" + f.Name + "=" + value})
				if err == nil {
					continue
				}
				tried++
				text := nearFlag(c, err).Error()
				for _, word := range []string{"strconv", "parsing", "%!", "want \n"} {
					if strings.Contains(text, word) || strings.HasSuffix(text, "want ") {
						t.Errorf("%s --%s=%q: %s", c.CommandPath(), f.Name, value, text)
					}
				}
			}
		})
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit((&app{}).root())
	if tried < 20 {
		t.Errorf("%d values were refused", tried)
	}
}
