package command

import (
	"fmt"

	recorded "gpureplay/replay/capture"
	"gpureplay/trace/container"
)

// verdict ends the description of a capture: whether its records can be believed, and why.
func (a *app) verdict(r *container.Reader) error {
	v, ok, err := recorded.Judge(r)
	if err != nil || !ok {
		return err
	}
	fmt.Fprintf(a.out, "can the capture be believed? %s\n", v.Trust)
	for _, f := range v.Findings {
		mark := ""
		if f.Trust > recorded.Believable {
			mark = "  <- " + f.Trust.String()
		}
		fmt.Fprintf(a.out, "  %-20s %s%s\n", f.Name, f.Value, mark)
	}
	return nil
}

// doubt is one line about a new capture that is to be taken with care; "" for others.
func doubt(r *container.Reader) (string, error) {
	v, ok, err := recorded.Judge(r)
	if err != nil || !ok {
		return "", err
	}
	for _, f := range v.Findings {
		if f.Trust == v.Trust && f.Trust > recorded.Believable {
			return fmt.Sprintf("can it be believed? %s: %s: %s (replay inspect has the rest)", v.Trust, f.Name, f.Value), nil
		}
	}
	return "", nil
}

// addVerdict adds the verdict to the row of a capture.
func addVerdict(row map[string]any, r *container.Reader) error {
	row["believable"], row["findings"] = "", []map[string]any{}
	v, ok, err := recorded.Judge(r)
	if err != nil || !ok {
		return err
	}
	var findings []map[string]any
	for _, f := range v.Findings {
		findings = append(findings, map[string]any{"name": f.Name, "value": f.Value, "believable": f.Trust.String()})
	}
	row["believable"], row["findings"] = v.Trust.String(), findings
	return nil
}
