package policies

import "gpureplay/model"

func init() {
	Admissions.Register(Option[model.Admission]{
		Name: "hwq", Title: "streams in hardware work queues; the head of a queue holds back those behind it",
		Source: "DTBL paper, section 2.2 (Hyper-Q)",
		New:    func(Args) (model.Admission, error) { return hwq{}, nil },
	})
}

// hwq maps streams to hardware work queues round robin in the order of their
// first use: with more streams than queues, some share one and serialize.
type hwq struct{}

func (hwq) Queue(n, queues int) int { return n % queues }
