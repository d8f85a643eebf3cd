package command

import (
	"errors"
	"strconv"

	"github.com/spf13/pflag"
)

// jobs is how many runs go on at once; 0: as many as there are cores and memory for.
type jobs int

func (j *jobs) register(s *pflag.FlagSet) {
	s.Var(j, "jobs", "`N` runs at once (default: the cores, and no more than one for each half gigabyte of free memory)")
}

// Set is of [pflag.Value].
func (j *jobs) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return errors.New("want a number of runs at once")
	}
	*j = jobs(n)
	return nil
}

func (j *jobs) String() string {
	if *j == 0 {
		return ""
	}
	return strconv.Itoa(int(*j))
}

// Type is of [pflag.Value].
func (*jobs) Type() string { return "N" }
