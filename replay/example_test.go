package replay_test

import (
	"context"
	"fmt"
	"log"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies"
	"gpureplay/replay"
	"gpureplay/trace/container"
)

// A job may call the program at the end of each CTA, launch or window. This one counts the CTAs of each SM.
func ExampleRun() {
	trace, err := container.Open("../samples/two-streams.trace.txt")
	if err != nil {
		log.Fatal(err)
	}
	defer trace.Close()
	machine, err := hardware.FindConfig("k20c")
	if err != nil {
		log.Fatal(err)
	}
	choices, err := policies.Parse("hyperq", nil)
	if err != nil {
		log.Fatal(err)
	}
	ctas := map[int]int{}
	results, err := replay.Run(context.Background(), &replay.Job{
		Trace: trace, Name: "two-streams", Config: machine, Choices: choices,
		CTAEnded: func(r *model.CTARecord) { ctas[int(r.SM)]++ },
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(results[0].Run.CTAs, "CTAs on", len(ctas), "SMs")
	// Output: 39 CTAs on 13 SMs
}
