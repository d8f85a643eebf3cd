package approx

import (
	"fmt"
	"strconv"
	"strings"
)

// Share is a relative error that is written in per cent: 2%, or as a number: 0.02.
type Share float64

func (p *Share) String() string { return strconv.FormatFloat(100*float64(*p), 'g', -1, 64) + "%" }

// Type is the word of the help.
func (p *Share) Type() string { return "percent" }

// Set fails unless the value is more than 0 and at most 50 %.
func (p *Share) Set(text string) error {
	number, inPercent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if inPercent {
		v /= 100
	}
	if err != nil || !(v > 0 && v <= 0.5) {
		return fmt.Errorf("want an error of more than 0 and at most 50%%, such as 2%%")
	}
	*p = Share(v)
	return nil
}

// UnmarshalText is Set.
func (p *Share) UnmarshalText(text []byte) error { return p.Set(string(text)) }
