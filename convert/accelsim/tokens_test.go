package accelsim

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The lexer agrees with strconv wherever that accepts a token.
func TestNumbersAgainstStrconv(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`-?[0-9]{1,21}|(0x)?[0-9a-fA-F]{1,18}|[-x0-9a-g]{1,5}`).Draw(t, "token")
		for _, tail := range []string{"", " 7"} {
			p := []byte("  " + s + tail)
			d, rest, ok := decimal(p)
			want, err := strconv.ParseInt(s, 10, 64)
			if u, uerr := strconv.ParseUint(s, 10, 64); err != nil && uerr == nil {
				want, err = int64(u), nil
			}
			if ok != (err == nil) || ok && (d != want || string(rest) != tail) {
				t.Fatalf("decimal %q: %d, %q, %v; want %d, %v", p, d, rest, ok, want, err)
			}
			h, rest, ok := hex64(p)
			wantHex, err := strconv.ParseUint(strings.TrimPrefix(s, "0x"), 16, 64)
			if digits := len(strings.TrimPrefix(s, "0x")); digits > 16 {
				continue // leading zeros beyond 64 bits are refused
			}
			if ok != (err == nil) || ok && (h != wantHex || string(rest) != tail) {
				t.Fatalf("hex %q: %x, %q, %v; want %x, %v", p, h, rest, ok, wantHex, err)
			}
		}
	})
}
