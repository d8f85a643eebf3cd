package convert

import (
	"context"
	"errors"

	"gpureplay/convert/neutral"
)

func init() {
	Register(Format{
		Name:  "tables",
		Title: "tables of a trace: folder with kernels.parquet or kernels.csv, as replay export or your own tool writes it",
		Reads: []Capture{
			{Give: "a folder with `kernels.parquet` or `kernels.csv` and whichever further tables there are, as `replay " +
				"export` or your own tool writes them", Fidelity: "as in the tables", Order: "the tables' order",
				Dependences: "as in the tables", Placement: "if the tables have it"},
		},
		Sniff:   func(in *Input) bool { return in.IsDir() && neutral.Is(in.Path()) },
		Convert: convertNeutral,
	})
}

func convertNeutral(ctx context.Context, in *Input, w Writer, opt Options) error {
	if !in.IsDir() {
		return errors.New("tables are read from a folder: name the folder that holds kernels.parquet or kernels.csv")
	}
	return neutral.Convert(ctx, in.Path(), w, opt.flags)
}
