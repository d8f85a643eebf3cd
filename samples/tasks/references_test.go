package tasks

import (
	"math"
	"math/rand/v2"
	"testing"

	"gpureplay/samples"
	"gpureplay/samples/samplestest"
)

// results runs a kind on full and irregular inputs and hands what it computed to
// check.
func results(t *testing.T, k *kind, generator string, check func(result any), settings ...string) {
	t.Helper()
	g, err := samples.Get(generator)
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.Parse(with(generator, settings...)...)
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(&samplestest.Recording{}, k, p, 1)
	if k.sizes != nil {
		if b.largest, _, err = k.sizes(p); err != nil {
			t.Fatal(err)
		}
	}
	m := k.prepare(b)
	rng := rand.New(rand.NewPCG(9, 9))
	for range 3 {
		_, result := m(k.draw(p, rng))
		check(result)
	}
}

// near reports the first value that is off by more than a part in 1e4 of scale.
func near(t *testing.T, what string, got []float32, scale float64, want func(i int) float64) {
	t.Helper()
	for i, g := range got {
		if w := want(i); math.Abs(float64(g)-w) > 1e-4*scale {
			t.Fatalf("%s: value %d is %g, want %g", what, i, g, w)
		}
	}
}

func TestMandelbrotCounts(t *testing.T) {
	results(t, mandelbrotKind, "tasks-mb", func(result any) {
		r := result.(mandelbrotResult)
		least, most := r.counts[0], r.counts[0]
		for i, got := range r.counts {
			cx, cy := r.view.point(i)
			var x, y float32
			n := int32(0)
			for n < 40 && float32(x*x)+float32(y*y) <= 4 {
				x, y = float32(float32(x*x)-float32(y*y))+cx, float32(float32(2*x)*y)+cy
				n++
			}
			if got != n {
				t.Fatalf("pixel %d of %+v: %d iterations, want %d", i, r.view, got, n)
			}
			least, most = min(least, got), max(most, got)
		}
		if least == most {
			t.Errorf("%+v shows %d iterations everywhere: no irregular work", r.view, most)
		}
	}, "sizes=irregular")
}

func TestFilterbankSignal(t *testing.T) {
	results(t, filterbankKind, "tasks-fb", func(result any) {
		s := result.(signal)
		convolved := func(x func(i int) float64, h []float32, n int) (sum float64) {
			for k := range h {
				if n-k >= 0 {
					sum += x(n-k) * float64(h[k])
				}
			}
			return sum
		}
		up := func(i int) float64 {
			if i%8 != 0 {
				return 0
			}
			return convolved(func(j int) float64 { return float64(s.x[j]) }, s.h, i)
		}
		near(t, "filter bank", s.y, 10, func(i int) float64 { return convolved(up, s.f, i) })
	}, "sizes=irregular")
}

func TestBeamformerMagnitudes(t *testing.T) {
	results(t, beamformerKind, "tasks-bf", func(result any) {
		b := result.(beam)
		at := func(v []float32, i int) complex128 { return complex(float64(v[2*i]), float64(v[2*i+1])) }
		near(t, "beam former", b.y, 10, func(n int) float64 {
			var sum complex128
			for k := 0; k < len(b.h)/2 && k <= n; k++ {
				sum += at(b.x, n-k) * at(b.h, k)
			}
			sum *= complex(float64(b.weight[0]), float64(b.weight[1]))
			return math.Hypot(real(sum), imag(sum))
		})
	})
}

func TestConvolvedImage(t *testing.T) {
	results(t, convolutionKind, "tasks-conv", func(result any) {
		img := result.(image)
		near(t, "convolution", img.y, 10, func(i int) (sum float64) {
			for dy := range 7 {
				for dx := range 7 {
					x, y := i%img.side+dx-3, i/img.side+dy-3
					if x >= 0 && y >= 0 && x < img.side && y < img.side {
						sum += float64(img.x[y*img.side+x]) * float64(img.filter[7*dy+dx])
					}
				}
			}
			return sum
		})
	}, "sizes=irregular", "blocks=2")
}

// The definition: c(u)·c(v)/4 times the sum of cosines.
func TestDCTByDefinition(t *testing.T) {
	for _, form := range []string{"shared=on", "shared=off"} {
		results(t, dctKind, "tasks-dct", func(result any) {
			img := result.(image)
			cos := func(x, u int) float64 {
				c := math.Cos(float64(2*x+1) * float64(u) * math.Pi / 16)
				if u == 0 {
					return c / math.Sqrt2 / 2
				}
				return c / 2
			}
			near(t, "dct "+form, img.y, 8, func(i int) (sum float64) {
				u, v := i%img.side, i/img.side
				for y := range 8 {
					for x := range 8 {
						sum += float64(img.x[(v/8*8+y)*img.side+u/8*8+x]) * cos(x, u%8) * cos(y, v%8)
					}
				}
				return sum
			})
		}, form, "sizes=irregular", "threads=96")
	}
}

func TestMatrixProduct(t *testing.T) {
	for _, form := range []string{"tiles=shared", "tiles=device"} {
		results(t, matmulKind, "tasks-mm", func(result any) {
			m := result.(product)
			near(t, "product "+form, m.c, 10, func(i int) (sum float64) {
				for k := range m.n {
					sum += float64(m.a[i/m.n*m.n+k]) * float64(m.b[k*m.n+i%m.n])
				}
				return sum
			})
		}, form, "sizes=irregular", "threads=64")
	}
}
