package command

import (
	"fmt"
	"strconv"
	"strings"
)

// errorShare is a share that is written in per cent: 2%, or as a number: 0.02.
type errorShare float64

func (p *errorShare) String() string { return strconv.FormatFloat(100*float64(*p), 'g', -1, 64) + "%" }

// Type is the word of the help.
func (p *errorShare) Type() string { return "percent" }

// Set fails unless the value is more than 0 and at most 50 %.
func (p *errorShare) Set(text string) error {
	number, inPercent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if inPercent {
		v /= 100
	}
	if err != nil || !(v > 0 && v <= 0.5) {
		return fmt.Errorf("want an error of more than 0 and at most 50%%, such as 2%%")
	}
	*p = errorShare(v)
	return nil
}
