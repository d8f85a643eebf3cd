package policies

import (
	"gpureplay/model/host"
)

func init() {
	Register(Policy{
		Name: "hyperq", Title: "streams run side by side, as many as there are hardware work queues",
		Source: "DTBL paper, sections 2.2 and 2.3; Pagoda paper, section 2",
		Doc: "Operations of one stream keep their order; operations of different streams may overlap. Streams map to the " +
			"machine's " +
			"hardware work queues (kmu.hwqs); a queue's head holds back all work behind it until it has completed.",
		Tasks: true, Host: host.Streams,
	})
}
