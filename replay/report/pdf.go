package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/gofont/goregular"
)

// points is how many of PDF a pixel of a drawing has.
const points = 0.75

// pdf draws a figure's file of SVG as one of PDF, with its font in it. It reads the elements of the page's
// template, and its style.
func pdf(title string, svg []byte) ([]byte, error) {
	d := &drawing{}
	in := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := in.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("report: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			d.begin(t, title)
		case xml.EndElement:
			d.end()
		case xml.CharData:
			d.text(string(t))
		}
	}
	var out bytes.Buffer
	if err := d.Output(&out); err != nil {
		return nil, fmt.Errorf("report: the plot %q as PDF: %w", title, err)
	}
	return out.Bytes(), nil
}

// drawing is a page that is being drawn.
type drawing struct {
	*fpdf.Fpdf
	rules []rule
	open  []element
}

// element is an open element, with the values that it inherits.
type element struct {
	tag     string
	attrs   map[string]string
	classes []string
	style   map[string]string
	moved   bool
}

func (e *element) num(name string) float64 {
	x, _ := strconv.ParseFloat(e.attrs[name], 64)
	return x
}

func (d *drawing) begin(t xml.StartElement, title string) {
	e := element{tag: t.Name.Local, attrs: map[string]string{}, style: map[string]string{}}
	for _, a := range t.Attr {
		e.attrs[a.Name.Local] = a.Value
	}
	e.classes = strings.Fields(e.attrs["class"])
	if n := len(d.open); n > 0 {
		for k, v := range d.open[n-1].style {
			e.style[k] = v
		}
	} else {
		d.page(&e, title)
	}
	d.open = append(d.open, e)
	for _, r := range d.rules {
		if r.fits(d.open) {
			e.style[r.property] = r.value
		}
	}
	d.draw(&d.open[len(d.open)-1])
}

// page begins the document, with the size of the drawing.
func (d *drawing) page(svg *element, title string) {
	box := strings.Fields(svg.attrs["viewBox"])
	left, _ := strconv.ParseFloat(box[0], 64)
	top, _ := strconv.ParseFloat(box[1], 64)
	d.Fpdf = fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: svg.num("width") * points,
		Ht: svg.num("height") * points}})
	then := time.Unix(0, 0).UTC() // the same tables give the same bytes
	d.SetCreationDate(then)
	d.SetModificationDate(then)
	d.SetCatalogSort(true)
	d.SetTitle(title, true)
	d.SetMargins(0, 0, 0)
	d.SetAutoPageBreak(false, 0)
	d.AddUTF8FontFromBytes("go", "", goregular.TTF)
	d.AddPage()
	d.SetFont("go", "", 12)
	d.rules = rules(paperStyle())
	d.TransformBegin()
	d.TransformScale(100*points, 100*points, 0, 0)
	d.TransformTranslate(-left, -top)
	svg.moved = true
	svg.style["fill"], svg.style["stroke-width"] = "#000000", "1"
}

func (d *drawing) end() {
	n := len(d.open) - 1
	if d.open[n].moved {
		d.TransformEnd()
	}
	d.open = d.open[:n]
}

var numbers = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`-?\d+(\.\d+)?`)
})

// numbersOf are the numbers of an attribute, in order.
func numbersOf(text string) (all []float64) {
	for _, n := range numbers().FindAllString(text, -1) {
		x, _ := strconv.ParseFloat(n, 64)
		all = append(all, x)
	}
	return all
}

func (d *drawing) draw(e *element) {
	if move, ok := strings.CutPrefix(e.attrs["transform"], "translate"); ok {
		by := numbersOf(move)
		d.TransformBegin()
		d.TransformTranslate(by[0], by[1])
		e.moved = true
	}
	switch e.tag {
	case "line":
		if d.pen(e) {
			d.Line(e.num("x1"), e.num("y1"), e.num("x2"), e.num("y2"))
		}
	case "rect":
		if how := d.brush(e); how != "" {
			d.Rect(e.num("x"), e.num("y"), e.num("width"), e.num("height"), how)
		}
	case "circle":
		if how := d.brush(e); how != "" {
			d.Circle(e.num("cx"), e.num("cy"), e.num("r"), how)
		}
	case "path": // M and L alone
		at := numbersOf(e.attrs["d"])
		if len(at) < 4 || !d.pen(e) {
			return
		}
		d.MoveTo(at[0], at[1])
		for i := 2; i+1 < len(at); i += 2 {
			d.LineTo(at[i], at[i+1])
		}
		d.DrawPath("D")
	}
}

// colour of a property; false if it has none.
func (e *element) colour(property string) (r, g, b int, ok bool) {
	v := e.style[property]
	if v == "currentColor" {
		v = e.style["color"]
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(v, "#"), 16, 32)
	return int(n >> 16), int(n >> 8 & 255), int(n & 255), err == nil && len(v) == 7
}

// pen sets how lines are drawn; false if they are not.
func (d *drawing) pen(e *element) bool {
	r, g, b, ok := e.colour("stroke")
	if !ok {
		return false
	}
	width, _ := strconv.ParseFloat(e.style["stroke-width"], 64)
	d.SetDrawColor(r, g, b)
	d.SetLineWidth(width)
	d.SetDashPattern(numbersOf(e.style["stroke-dasharray"]), 0)
	d.SetLineJoinStyle("round")
	return true
}

// brush sets how an area is drawn, and returns the library's word for it.
func (d *drawing) brush(e *element) (how string) {
	if r, g, b, ok := e.colour("fill"); ok {
		d.SetFillColor(r, g, b)
		how = "F"
	}
	if d.pen(e) {
		how += "D"
	}
	return how
}

func (d *drawing) text(s string) {
	if len(d.open) == 0 || d.open[len(d.open)-1].tag != "text" {
		return
	}
	e := &d.open[len(d.open)-1]
	r, g, b, _ := e.colour("fill")
	d.SetTextColor(r, g, b)
	x, y := e.num("x")+e.num("dx"), e.num("y")+e.num("dy")
	switch e.attrs["text-anchor"] {
	case "middle":
		x -= d.GetStringWidth(s) / 2
	case "end":
		x -= d.GetStringWidth(s)
	}
	turned, ok := strings.CutPrefix(e.attrs["transform"], "rotate")
	if ok {
		by := numbersOf(turned)
		d.TransformBegin()
		d.TransformRotate(-by[0], by[1], by[2])
		defer d.TransformEnd()
	}
	d.Text(x, y, s)
}

// rule is one property of a style, for elements that have a tag or all of some
// classes, within one that has a class.
type rule struct {
	within          string
	tag             string
	classes         []string
	property, value string
}

var block = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([^{}]+)\{([^}]*)\}`)
})

// rules reads the style of plots: selectors of one or two parts.
func rules(css string) (all []rule) {
	for _, m := range block().FindAllStringSubmatch(css, -1) {
		for _, selector := range strings.Split(m[1], ",") {
			parts := strings.Fields(selector)
			r := rule{}
			if len(parts) > 1 {
				r.within = strings.TrimPrefix(parts[0], ".")
			}
			names := strings.Split(parts[len(parts)-1], ".")
			r.tag, r.classes = names[0], names[1:]
			for _, p := range strings.Split(m[2], ";") {
				property, value, ok := strings.Cut(p, ":")
				if r.property, r.value = strings.TrimSpace(property), strings.TrimSpace(value); ok {
					all = append(all, r)
				}
			}
		}
	}
	return all
}

// fits reports whether the rule is for the innermost of the open elements.
func (r *rule) fits(open []element) bool {
	e := &open[len(open)-1]
	if r.tag != "" && r.tag != e.tag {
		return false
	}
	for _, c := range r.classes {
		if !slices.Contains(e.classes, c) {
			return false
		}
	}
	if r.within == "" {
		return true
	}
	return slices.ContainsFunc(open[:len(open)-1], func(e element) bool {
		return e.tag == r.within || slices.Contains(e.classes, r.within)
	})
}
