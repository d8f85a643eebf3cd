package policies_test

import (
	"fmt"

	"gpureplay/policies"
)

// A list names policies; a part behind a policy replaces one of its decisions or parameters.
func ExampleParse() {
	choices, err := policies.Parse("serial,ppcs,cta=fifo", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range choices {
		fmt.Println(c.Label)
	}
	_, err = policies.Parse("pcps", nil)
	fmt.Println(err != nil)
	// Output:
	// serial
	// ppcs,cta=fifo
	// true
}

// Two policies differ by steps, each of one decision.
func ExampleBetween() {
	choices, err := policies.Parse("serial,ppcs", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, step := range policies.Between(choices[0], choices[1], false) {
		fmt.Println(step.Switched)
	}
	// Output:
	// host: serial → streams
	// dependency: barrier → crcs
	// cta: fifo → ppcs
}
