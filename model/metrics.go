package model

import "sort"

// metrics holds the figures that a policy adds to the summary.
type metrics struct{ values map[string]float64 }

func (m *metrics) set(name string, v float64) {
	if m.values == nil {
		m.values = make(map[string]float64)
	}
	m.values[name] = v
}

func (m *metrics) count(name string) {
	m.set(name, m.values[name]+1)
}

// list returns the metrics sorted by name.
func (m *metrics) list() []Metric {
	var all []Metric
	for name, v := range m.values {
		all = append(all, Metric{name, v})
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all
}
