package reference

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/policies/pagoda"
	"gpureplay/trace"
)

// nPPCS is the pipeline parallelism-aware CTA scheduler (CRCS/PPCS paper, 4.4).
type nPPCS struct {
	n                   *Machine
	then                nFill
	guard, revert, text bool
	kernel              *nKernel // that fills
	sm                  *nSM     // this one
	left                int      // with so many more
}

// Under gives the machine a policy, as --policy names it.
func (n *Machine) Under(t testing.TB, policy string) {
	name, rest, _ := strings.Cut(policy, ",")
	args := map[string]string{}
	name, args["threshold"], _ = strings.Cut(name, "=")
	for arg := range strings.SplitSeq(rest, ",") {
		if k, v, ok := strings.Cut(arg, "="); ok {
			args[k] = v
		}
	}
	number := func(arg string, otherwise int) int {
		if v, err := strconv.Atoi(args[arg]); err == nil {
			return v
		}
		return otherwise
	}
	n.placer = n.roundRobin
	marked := func(way nWay) {
		n.decide = func(l *trace.Launch, _ int64, _ *nRequest) nWay {
			if l.Marked {
				return way
			}
			return nRefuse
		}
	}
	ahead := 8
	if name == "dtbl-ideal" {
		ahead = 0
	}
	n.table = nTable{
		size: number("agt", 1024), ahead: number("ahead", ahead), hashed: args["alloc"] == "hash", used: map[int32]bool{},
		launched: args["match"] != "kde", api: args["fallback"] == "api", way: map[string]*nRequest{},
	}
	for e := range n.table.size {
		n.table.free = append([]int32{int32(e)}, n.table.free...)
	}
	if kde := number("kde", 0); kde > 0 {
		n.table.alone, n.table.size, n.cfg.KMU.Entries = true, 0, kde
	}
	if strings.HasSuffix(name, "-ideal") {
		l := &n.cfg.Launch
		l.StreamCreate, l.ParamBase, l.ParamPerLane, l.DeviceBase, l.DevicePerLane = 0, 0, 0, 0, 0
		n.cfg.KMU.DispatchLatency = 0
	}
	n.tasks.copies = args["task-copies"] != "off"
	phased := args["task-copies"] == "phased"
	marked(nDevice)
	switch name {
	case "cdp", "cdp-ideal":
	case "hyperq":
		n.tasks.rt.(*nTaskStreams).phased = phased
	case "serial":
		n.host.serial = true
		n.tasks.rt = &nTaskStreams{u: n.tasks, most: 1, phased: phased}
	case "fusion":
		n.tasks.rt = &nFusion{u: n.tasks, size: number("batch", -1)}
	case "pagoda", "pagoda-batch":
		n.tasks.rt = &nPagoda{u: n.tasks, rows: number("rows", 32), perSM: number("mtbs", 0), batch: number("batch-size", 0),
			beside: n.tasks.copies && !phased, entry: uint64(number("entry-bytes", 168)), spawnNs: number("spawn-ns", -1),
			mtb: pagoda.MTBConfig{
				Executors: number("executors", 31), Barriers: number("barriers", 16),
				SharedBytes: number("shared", 32768), SmallestBlock: number("block", 512),
				ScanRows: map[bool]int{false: 32, true: 0}[args["scan"] == "entry"], Successor: args["release"] == "successor",
			}}
	case "gemtc":
		n.tasks.rt = &nGeMTC{u: n.tasks, size: number("batch", 0), perSM: number("workers", 0), phased: phased}
	case "flat":
		n.captured = true
		marked(nRefuse)
	case "dtbl", "dtbl-ideal":
		marked(nJoin)
	case "cdp2", "device-graph":
		n.detach(name, args["stream"] == "tail", number("pending", 2048))
	case "klap":
		n.aggregated(args)
		marked(nKeep)
	case "graph":
		n.host.inGraphs = true
	case "freed":
		n.host.loose = true
	case "pdl":
		n.pdl = newNPDL(n, args)
	case "blockmaestro":
		n.gate = newNGate(n, args, number)
		n.opens = n.gate
	case "megakernel":
		n.mega = newNMega(t, n, args, number)
	case "laperm":
		n.laperm = newNLaPerm(n, args, number)
		marked(map[string]nWay{"device-kernel": nDevice, "": nJoin}[args["launch"]])
	case "threshold":
		n.decide = func(l *trace.Launch, _ int64, _ *nRequest) nWay {
			return map[bool]nWay{false: nRefuse, true: nDevice}[int(l.Workload) > number("threshold", 128)]
		}
	case "spawn", "spawn+dtbl":
		n.kids.keeps, n.kids.early = args["idle"] == "last", args["count"] == "decision"
		if args["saturate"] != "off" {
			n.kids.most = 65535
		}
		n.decide = func(l *trace.Launch, x int64, r *nRequest) nWay {
			return n.spawn(map[bool]nWay{false: nDevice, true: nJoin}[name != "spawn"], int64(number("queue", 65536)),
				l.Workload, x, r)
		}
	case "crcs", "ppcs", "oracle":
		n.overlapped(name, args, 1<<number("counter-bits", 10)-1)
	default:
		t.Fatalf("the reference model does not know %s", name)
	}
}

// overlapped gives it CRCS, with a CTA scheduler.
func (n *Machine) overlapped(name string, args map[string]string, limit int) {
	page := n.cfg.Host.PageBytes
	if args["grain"] == "sector" {
		page = 32
	}
	n.over = newNOverlap(n, page)
	n.over.exact, n.over.limit = name == "oracle", limit
	n.over.inOrder = args["prelude-order"] == "sequential"
	if args["prelude-order"] == "random-arrays" {
		n.over.random = rand.New(rand.NewPCG(1, 0))
	}
	if n.over.exact {
		n.over.limit = 0
	}
	n.over.cost = args["profiler"] != "off" && !n.over.exact
	n.placer = (&nFill{n: n}).place
	if name != "crcs" {
		n.placer = (&nPPCS{n: n, then: nFill{n: n}, guard: args["guard"] != "off", revert: args["switch"] != "off",
			text: args["pages"]+args["ppcs-pages"] == "text"}).place
	}
	if args["cta"] == "fifo" {
		n.placer = n.roundRobin
	}
}

// roundRobin: the first kernel, SMs in turn.
func (n *Machine) roundRobin(ready []*nKernel) (*nKernel, *nSM) {
	for i := range n.sms {
		s := n.sms[(n.nextSM+i)%len(n.sms)]
		if n.fits(ready[0], s) {
			n.nextSM = (s.id + 1) % len(n.sms)
			return ready[0], s
		}
	}
	return nil, nil
}

// nFill: the first kernel, an SM until it has its share or is full.
type nFill struct {
	n      *Machine
	kernel *nKernel
	sm     *nSM
	left   int
}

func (f *nFill) place(ready []*nKernel) (*nKernel, *nSM) {
	n := f.n
	if f.left--; f.left >= 0 && f.kernel == ready[0] && n.fits(ready[0], f.sm) {
		return ready[0], f.sm
	}
	for _, may := range []func(*nSM) bool{func(s *nSM) bool { return len(s.ctas) == 0 }, func(*nSM) bool { return true }} {
		for i := range n.sms {
			s := n.sms[(n.nextSM+i)%len(n.sms)]
			if n.fits(ready[0], s) && may(s) {
				n.nextSM = s.id + 1
				f.kernel, f.sm, f.left = ready[0], s, n.share(ready[0], may)-1
				return ready[0], s
			}
		}
	}
	f.left = 0
	return nil, nil
}

// share is how many of a kernel's CTAs each SM gets of those that may take some.
func (n *Machine) share(k *nKernel, may func(*nSM) bool) int {
	sms := 0
	for _, s := range n.sms {
		if n.fits(k, s) && may(s) {
			sms++
		}
	}
	return (len(k.items) - k.next + sms - 1) / sms
}

func (p *nPPCS) place(ready []*nKernel) (*nKernel, *nSM) {
	n := p.n
	for _, k := range ready {
		if p.left > 0 && k == p.kernel && n.fits(k, p.sm) {
			p.left--
			return k, p.sm
		}
	}
	p.left = 0
	if p.revert && !n.over.preludeRuns() || n.over.launches == 1 {
		return p.then.place(ready)
	}
	for _, s := range n.sms {
		if len(s.ctas) > 0 {
			continue
		}
		k := p.choose(ready, s)
		if n.fits(k, s) {
			p.kernel, p.sm, p.left = k, s, n.share(k, func(s *nSM) bool { return len(s.ctas) == 0 })-1
			return k, s
		}
	}
	return nil, nil
}

// choose is the kernel that an idle SM goes to. The first one fills all SMs first. Then it is the one with the
// largest page share less SM share, unless the oldest has no SM.
func (p *nPPCS) choose(ready []*nKernel, s *nSM) *nKernel {
	if ready[0].order == 1 && s.order == nil || p.guard && p.holds(ready[0]) == 0 {
		return ready[0]
	}
	best, most := ready[0], model.Time(0)
	for i, k := range ready {
		all, its := p.n.over.owned(k, p.text)
		share := model.Time(its*len(p.n.sms) - p.holds(k)*max(all, 1)) // times all, times SMs
		if i == 0 || share > most {
			best, most = k, share
		}
	}
	return best
}

// holds is on how many SMs k has CTAs.
func (p *nPPCS) holds(k *nKernel) (count int) {
	for _, s := range p.n.sms {
		if len(s.ctas) > 0 && s.order == k {
			count++
		}
	}
	return count
}
