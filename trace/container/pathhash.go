package container

import "fmt"

// PathHashes returns a number for each kernel that depends on the paths of its warps, in the order of its CTAs, and on
// nothing else. It unpacks every block, but of its CTAs only the paths: neither masks nor addresses. It returns an
// error if a block is damaged.
func (r *Reader) PathHashes() ([]uint64, error) {
	hashes := make([]uint64, r.count[0])
	f := frames.Get().(*frame)
	defer frames.Put(f)
	var h pathHasher
	for _, number := range r.ctaBlocks {
		row := &r.index[number]
		raw, err := r.readFrame(f, row)
		if err != nil {
			return nil, err
		}
		if err := h.block(raw, hashes, r); err != nil {
			return nil, fmt.Errorf("the block at byte %d: %w", row.offset, err)
		}
	}
	return hashes, nil
}

// pathHasher reads the paths of blocks of CTAs.
type pathHasher struct {
	sec   section
	path  []uint32 // room for one
	flows map[uint32]*flow
	left  uint64   // steps of the block that have not been read
	known []uint64 // hashes of the block's paths
	last  uint64   // of the warp before
}

// block adds the paths of a block to the hashes of its kernels.
func (h *pathHasher) block(raw []byte, hashes []uint64, r *Reader) error {
	if len(raw) == 0 {
		return errBlock
	}
	if _, err := h.sec.next(raw); err != nil {
		return err
	}
	var sizes ctaSizes
	lengths, runs := h.sec.values(colSizes), h.sec.values(colRuns)
	for _, f := range sizes.fields() {
		*f = lengths.uint()
	}
	if h.sec.kind != kindCTA || sizes.bytes(h.sec.rows) > maxDecodedBytes {
		return errBlock
	}
	h.flows, h.known, h.last, h.left = map[uint32]*flow{}, h.known[:0], 0, sizes.steps
	warps, paths, steps := h.sec.values(colWarps), h.sec.values(colPath), h.sec.values(colFlow)
	kernel, ctas, left := uint64(0), h.sec.rows, sizes.warps
	for range sizes.runs {
		kernel += runs.uint()
		fn, n := runs.uint(), runs.uint()
		if kernel >= uint64(len(hashes)) || fn >= uint64(len(r.prog.Functions)) || n > ctas {
			return errBlock
		}
		ctas -= n
		for range n {
			count := warps.uint()
			if count > left {
				return errBlock
			}
			left -= count
			hashes[kernel] = mix(hashes[kernel], count)
			for range count {
				if paths.pos < len(paths.b) && paths.b[paths.pos] == 0 && len(h.known) > 0 { // as the warp before, as a rule
					paths.pos++
				} else if !h.next(&paths, &steps, uint32(fn), r) {
					return errBlock
				}
				hashes[kernel] = mix(hashes[kernel], h.last)
			}
		}
	}
	return nil
}

// next reads the path of a warp of a function into h.last.
func (h *pathHasher) next(paths, steps *values, fn uint32, r *Reader) bool {
	switch ref := paths.uint(); {
	case ref == 1:
		table := h.flows[fn]
		if table == nil {
			table = newFlow(len(r.prog.Functions[fn].Insts)).close()
			h.flows[fn] = table
		}
		n := steps.uint()
		if n > h.left || n > 0 && len(table.next) == 0 {
			return false
		}
		h.left -= n
		h.path = grow(h.path, n)[:n]
		if !table.decode(steps, h.path) {
			return false
		}
		h.last = uint64(fn)
		for _, step := range h.path {
			h.last = mix(h.last, uint64(step))
		}
		h.known = append(h.known, h.last)
	case ref > uint64(len(h.known))+1:
		return false
	case ref > 1:
		h.last = h.known[uint64(len(h.known))-(ref-1)]
	}
	return len(h.known) > 0
}

// mix adds a value to a hash.
func mix(hash, value uint64) uint64 {
	hash = (hash + value + 1) * 0x9E3779B97F4A7C15
	return hash ^ hash>>32
}
