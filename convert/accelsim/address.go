package accelsim

import (
	"math"
	"math/bits"

	"gpureplay/trace"
)

const maxTransfer = 1 << 14 // addresses of a bulk transfer

// access reads the address mode and the addresses of an instruction with that mask; rest is the text behind them.
// Addresses that are not a base and a stride go to w.Lists.
func (k *kernel) access(p []byte, mask uint32, w *trace.Warp) (a trace.Access, rest []byte, what string) {
	mode, p, ok := count(p, 4)
	if !ok {
		return a, p, "no address mode (0 to 4) behind the memory width"
	}
	n := bits.OnesCount32(mask)
	switch mode {
	case 0:
		return k.list(p, n, w)
	case 1:
		return k.stride(p, mask)
	case 2:
		return k.deltas(p, n, w)
	}
	return a, p, "address mode 3 or 4 in an instruction that is no bulk transfer"
}

// list reads n addresses.
func (k *kernel) list(p []byte, n int, w *trace.Warp) (a trace.Access, rest []byte, what string) {
	k.addrs = k.addrs[:0]
	for i := range n {
		v, rest, ok := hex64(p)
		if !ok {
			return a, p, "fewer addresses than active lanes (" + ordinal(i) + " is missing or not hexadecimal)"
		}
		p = rest
		k.addrs = append(k.addrs, v)
	}
	return pack(k.addrs, w), p, ""
}

// stride reads a base and a stride; with an empty mask they mean nothing.
func (k *kernel) stride(p []byte, mask uint32) (a trace.Access, rest []byte, what string) {
	base, p, ok := hex64(p)
	if !ok {
		return a, p, "the base address is missing or not hexadecimal"
	}
	if mask == 0 {
		tok, rest := token(p)
		if len(tok) == 0 {
			return a, p, "the stride is missing"
		}
		return a, rest, ""
	}
	stride, p, ok := decimal(p)
	if !ok || stride < math.MinInt32 || stride > math.MaxInt32 {
		return a, p, "the stride is missing or not a decimal number of 32 bits"
	}
	if run := mask >> bits.TrailingZeros32(mask); run&(run+1) != 0 {
		k.n.add(strideWithGaps)
	}
	n := uint32(bits.OnesCount32(mask))
	if n == 1 {
		stride = 0 // whatever the tracer printed, there is no second lane
	}
	return trace.Access{Base: base, Stride: int32(stride), Count: n}, p, ""
}

// deltas reads a base and n-1 differences.
func (k *kernel) deltas(p []byte, n int, w *trace.Warp) (a trace.Access, rest []byte, what string) {
	v, p, ok := hex64(p)
	if !ok {
		return a, p, "the base address is missing or not hexadecimal"
	}
	if n == 0 {
		return a, p, ""
	}
	k.addrs = append(k.addrs[:0], v)
	for i := 1; i < n; i++ {
		d, rest, ok := decimal(p)
		if !ok {
			return a, p, "fewer address differences than active lanes (" + ordinal(i) + " is missing or not decimal)"
		}
		p = rest
		v += uint64(d)
		k.addrs = append(k.addrs, v)
	}
	return pack(k.addrs, w), p, ""
}

// bulk reads the operands of a TMA or bulk transfer: mbarrier, multicast flag
// and mask, bytes, bytes out of bounds, then counted addresses.
func (k *kernel) bulk(p []byte, mask uint32, w *trace.Warp) (a trace.Access, rest []byte, what string) {
	_, p, ok := hex64(p)
	if !ok {
		return a, p, "the mbarrier address of the transfer is missing"
	}
	multicast, p, ok := count(p, 1)
	if !ok {
		return a, p, "the multicast flag of the transfer is missing"
	}
	if multicast == 1 {
		if _, p, ok = hex64(p); !ok {
			return a, p, "the CTA mask of the multicast is missing"
		}
	}
	for _, name := range []string{"byte count", "out-of-bounds count"} {
		if _, p, ok = decimal(p); !ok {
			return a, p, "the " + name + " of the transfer is missing"
		}
	}
	mode, p, ok := count(p, 4)
	if !ok || mode < 3 {
		return a, p, "the address mode of the transfer is missing or not 3 or 4"
	}
	k.addrs = k.addrs[:0]
	if mode == 3 {
		p, what = k.bulkList(p)
	} else {
		p, what = k.bulkDeltas(p)
	}
	if what != "" || mask == 0 || len(k.addrs) == 0 {
		return a, p, what
	}
	return pack(k.addrs, w), p, ""
}

func (k *kernel) bulkList(p []byte) (rest []byte, what string) {
	n, p, ok := count(p, maxTransfer)
	if !ok {
		return p, "the number of addresses of the transfer is missing or too large"
	}
	for i := range n {
		v, rest, ok := hex64(p)
		if !ok {
			return p, "fewer addresses than the transfer says (" + ordinal(i) + " is missing)"
		}
		p = rest
		k.addrs = append(k.addrs, v)
	}
	return p, ""
}

func (k *kernel) bulkDeltas(p []byte) (rest []byte, what string) {
	v, p, ok := hex64(p)
	if !ok {
		return p, "the base address of the transfer is missing"
	}
	n, p, ok := count(p, maxTransfer)
	if !ok {
		return p, "the number of addresses of the transfer is missing or too large"
	}
	for i := range n {
		if i > 0 {
			d, rest, ok := decimal(p)
			if !ok {
				return p, "fewer address differences than the transfer says (" + ordinal(i) + " is missing)"
			}
			p = rest
			v += uint64(d)
		}
		k.addrs = append(k.addrs, v)
	}
	return p, ""
}

// pack makes an access of addresses: base and stride if they have one.
func pack(addrs []uint64, w *trace.Warp) trace.Access {
	a := trace.Access{Count: uint32(len(addrs))}
	if len(addrs) == 0 {
		return a
	}
	a.Base = addrs[0]
	if len(addrs) == 1 {
		return a
	}
	stride := int64(addrs[1] - addrs[0])
	constant := stride >= math.MinInt32 && stride <= math.MaxInt32
	for i := 2; constant && i < len(addrs); i++ {
		constant = int64(addrs[i]-addrs[i-1]) == stride
	}
	if constant {
		a.Stride = int32(stride)
		return a
	}
	a.Base = 0
	a.List = uint32(len(w.Lists)) + 1
	w.Lists = append(w.Lists, addrs...)
	return a
}
