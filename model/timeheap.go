package model

// timeHeap is a binary min-heap of times.
type timeHeap []Time

func (h *timeHeap) push(t Time) {
	*h = append(*h, t)
	s := *h
	i := len(s) - 1
	for i > 0 {
		p := (i - 1) / 2
		if s[p] <= t {
			break
		}
		s[i] = s[p]
		i = p
	}
	s[i] = t
}

func (h *timeHeap) pop() Time {
	s := *h
	top, n := s[0], len(s)-1
	t := s[n]
	*h = s[:n]
	i := 0
	for {
		c := 2*i + 1
		if c >= n {
			break
		}
		if c+1 < n && s[c+1] < s[c] {
			c++
		}
		if t <= s[c] {
			break
		}
		s[i] = s[c]
		i = c
	}
	if n > 0 {
		s[i] = t
	}
	return top
}
