package tasks

import (
	"math"
	"math/rand/v2"
	"testing"

	"gpureplay/samples"
	"gpureplay/samples/samplestest"
)

// results runs a kind on full and irregular inputs and hands the results to check.
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
	for i := range 3 {
		_, result := m(draw(p, rng, i, 3))
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
	members, images := 0, 0
	results(t, mandelbrotKind, "tasks-mb", func(result any) {
		r := result.(mandelbrotResult)
		n, shift := r.view.side, float64(r.view.shift)
		for i, got := range r.counts { // a column of the image after the other
			row, column := i%n, i/n
			cx := float32((float64(column)*(1.25+shift) + float64(n-column-1)*(shift-2.25)) / float64(n-1))
			cy := float32((float64(row)*(1.75+shift) + float64(n-row-1)*(shift-1.75)) / float64(n-1))
			if px, py := r.view.point(row*n + column); math.Abs(float64(px-cx)) > 1e-5 || math.Abs(float64(py-cy)) > 1e-5 {
				t.Fatalf("pixel %d of %+v is (%g, %g), want (%g, %g)", i, r.view, px, py, cx, cy)
			} else {
				cx, cy = px, py
			}
			x, y, want := cx, cy, int32(0)
			for k := int32(1); k <= 40 && want == 0; k++ {
				x, y = float32(x*x)-float32(y*y)+cx, float32(2*float64(x)*float64(y)+float64(cy))
				if math.Abs(float64(x)) > 2 || math.Abs(float64(y)) > 2 {
					want = k
				}
			}
			if got != want {
				t.Fatalf("pixel %d of %+v: %d iterations, want %d", i, r.view, got, want)
			}
			if got == 0 {
				members++
			}
		}
		images++
	}, "sizes=irregular")
	if members == 0 {
		t.Errorf("%d images show no member of the set", images)
	}
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

func TestBeamformerFilters(t *testing.T) {
	results(t, beamformerKind, "tasks-bf", func(result any) {
		b := result.(beam)
		at := func(v []float32, i int) complex128 { return complex(float64(v[2*i]), float64(v[2*i+1])) }
		sum := func(x func(i int) complex128, h []float32, n int) (sum complex128) {
			for k := 0; k < len(h)/2 && k <= n; k++ {
				sum += x(n-k) * at(h, k)
			}
			return sum
		}
		coarse := func(i int) complex128 { return sum(func(i int) complex128 { return at(b.x, i) }, b.h[0], i) }
		near(t, "beam former", b.fine, 20, func(i int) float64 {
			if y := sum(coarse, b.h[1], 2*(i/2)); i%2 == 0 {
				return real(y)
			} else {
				return imag(y)
			}
		})
	})
}

func TestConvolvedImage(t *testing.T) {
	results(t, convolutionKind, "tasks-conv", func(result any) {
		img := result.(image)
		near(t, "convolution", img.y, 20, func(i int) (sum float64) {
			for dy := -3; dy <= 3; dy++ {
				for dx := -3; dx <= 3; dx++ {
					x, y := i%img.side+dx, i/img.side+dy
					if x >= 0 && y >= 0 && x < img.side && y < img.side {
						sum += float64(img.x[y*img.side+x]) * float64(img.filter[3-dx]) * float64(img.filter[3-dy])
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
			from, to := img.x, img.y
			if form == "shared=off" { // transformed in place, and back into the result
				from, to = img.y, img.x
			}
			near(t, "dct "+form, to, 8, func(i int) (sum float64) {
				u, v := i%img.side, i/img.side
				for y := range 8 {
					for x := range 8 {
						sum += float64(from[(v/8*8+y)*img.side+u/8*8+x]) * cos(x, u%8) * cos(y, v%8)
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
