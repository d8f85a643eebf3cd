package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A fault is one change of the source, behind its switch.
type fault struct {
	Number int    `json:"number"`
	File   string `json:"file"` // as it lies on this machine
	Line   int    `json:"line"`
	Kind   string `json:"kind"`
	Right  string `json:"right"`
	Wrong  string `json:"wrong"`

	from, to int    // bytes of the file that it takes the place of
	with     string // their replacement; § stands for the number
}

func (f fault) String() string {
	return fmt.Sprintf("%s/%s:%d: %s: %s -> %s", filepath.Base(filepath.Dir(f.File)), filepath.Base(f.File), f.Line,
		f.Kind, f.Right, f.Wrong)
}

// finder looks for faults to plant in a file.
type finder struct {
	set    *token.FileSet
	c      *checked
	src    []byte
	path   string
	faults []fault
}

// sample returns some of the faults that only matches (nil: of all), none within another, by the seed.
func (h *house) sample(count int, seed uint64, only *regexp.Regexp) []fault {
	var all []fault
	for _, c := range h.packages {
		for _, f := range c.files {
			all = append(all, faultsOf(h.set, c, f)...)
		}
	}
	if only != nil {
		all = slices.DeleteFunc(all, func(f fault) bool { return !only.MatchString(f.String()) })
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	var taken []fault
	for _, f := range all {
		if len(taken) == count {
			break
		}
		if !slices.ContainsFunc(taken, func(o fault) bool { return o.File == f.File && o.from < f.to && f.from < o.to }) {
			taken = append(taken, f)
		}
	}
	slices.SortFunc(taken, func(a, b fault) int {
		if a.File != b.File {
			return strings.Compare(a.File, b.File)
		}
		return a.from - b.from
	})
	for i := range taken {
		taken[i].Number = i
	}
	return taken
}

// faultsOf finds the faults of a file, in functions that do more than print.
func faultsOf(set *token.FileSet, c *checked, f *ast.File) []fault {
	x := &finder{set: set, c: c, src: c.src[f], path: c.paths[f]}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil || fn.Name.Name == "String" || fn.Name.Name == "Error" || fn.Name.Name == "init" {
			continue
		}
		ast.Inspect(fn.Body, x.visit)
	}
	return x.faults
}

// visit adds the faults of a node; within messages there are none.
func (x *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		if x.message(n) {
			return false
		}
		x.call(n)
	case *ast.BinaryExpr:
		x.binary(n)
	case *ast.IfStmt:
		if strings.HasPrefix(x.text(n.Cond), "err ") {
			return true
		}
		x.add(n.Cond, "branch", "!("+x.text(n.Cond)+")", x.lazy(n.Cond, "!("+x.text(n.Cond)+")"))
	case *ast.BlockStmt:
		x.statements(n.List)
	case *ast.CaseClause:
		x.statements(n.Body)
	}
	return true
}

func (x *finder) text(n ast.Node) string {
	return string(x.src[x.set.Position(n.Pos()).Offset:x.set.Position(n.End()).Offset])
}

func (x *finder) add(n ast.Node, kind, wrong, with string) {
	at := x.set.Position(n.Pos())
	x.faults = append(x.faults, fault{File: x.path, Line: at.Line, Kind: kind, Right: x.text(n), Wrong: wrong,
		from: at.Offset, to: x.set.Position(n.End()).Offset, with: with})
}

// lazy evaluates one of two conditions.
func (x *finder) lazy(right ast.Expr, wrong string) string {
	return "(plantedFaults.On(§) && (" + wrong + ") || !plantedFaults.On(§) && (" + x.text(right) + "))"
}

// message says whether a call makes an error's or a panic's text.
func (x *finder) message(n *ast.CallExpr) bool {
	name := x.text(n.Fun)
	return name == "panic" || strings.HasPrefix(name, "fmt.") || strings.HasPrefix(name, "errors.")
}

// call turns min and max into each other.
func (x *finder) call(n *ast.CallExpr) {
	id, ok := n.Fun.(*ast.Ident)
	if !ok || !x.typed(n) || !x.pure(n) {
		return
	}
	if other := map[string]string{"min": "max", "max": "min"}[id.Name]; other != "" {
		wrong := other + x.text(n)[len(id.Name):]
		x.add(n, "limit", wrong, "plantedFaults.Sel(§, "+x.text(n)+", "+wrong+")")
	}
}

var (
	compared = map[token.Token]string{token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=",
		token.NEQ: "=="}
	computed = map[token.Token]string{token.ADD: "-", token.SUB: "+", token.MUL: "+", token.QUO: "*", token.REM: "/",
		token.AND: "|",
		token.OR:  "&", token.SHL: ">>", token.SHR: "<<"}
	joined = map[token.Token]string{token.LAND: "||", token.LOR: "&&"}
)

func (x *finder) binary(n *ast.BinaryExpr) {
	if x.c.info.Types[n].Value != nil || x.text(n.X) == "err" { // errors of files are tested elsewhere
		return
	}
	swap := func(op string) string { return x.text(n.X) + " " + op + " " + x.text(n.Y) }
	if op := joined[n.Op]; op != "" {
		wrong := "(" + x.text(n.X) + ") " + op + " (" + x.text(n.Y) + ")"
		x.add(n, "logic", swap(op), x.lazy(n, wrong))
	}
	if op := compared[n.Op]; op != "" {
		x.add(n, "comparison", swap(op), x.lazy(n, swap(op)))
		if y, ok := x.next(n.Y); ok {
			wrong := x.text(n.X) + " " + n.Op.String() + " " + y
			x.add(n, "constant", wrong, x.lazy(n, wrong))
		}
	}
	if op := computed[n.Op]; op != "" && x.typed(n) && x.pure(n) {
		// operands in parentheses: the new operator may bind less
		wrong := "(" + x.text(n.X) + ") " + op + " (" + x.text(n.Y) + ")"
		x.add(n, "arithmetic", swap(op), "plantedFaults.Sel(§, "+x.text(n)+", "+wrong+")")
		if y, ok := x.next(n.Y); ok && n.Op != token.QUO && n.Op != token.REM {
			wrong := x.text(n.X) + " " + n.Op.String() + " " + y
			x.add(n, "constant", wrong, "plantedFaults.Sel(§, "+x.text(n)+", "+wrong+")")
		}
	}
}

// next returns a whole number with one added.
func (x *finder) next(n ast.Expr) (string, bool) {
	lit, ok := n.(*ast.BasicLit)
	if !ok || lit.Kind != token.INT {
		return "", false
	}
	v, err := strconv.ParseInt(lit.Value, 0, 8)
	return strconv.FormatInt(v+1, 10), err == nil && v < 127 // a value that every type holds
}

// typed says whether an expression is a number that is known when it runs, and
// whose type is its operands'.
func (x *finder) typed(n ast.Expr) bool {
	tv := x.c.info.Types[n]
	b, ok := tv.Type.Underlying().(*types.Basic)
	if !ok || tv.Value != nil || b.Info()&types.IsUntyped != 0 || b.Info()&types.IsInteger == 0 {
		return false
	}
	return true
}

// pure says whether an expression may be evaluated twice, and has a type of its own. A shifted constant takes its
// type from its context.
func (x *finder) pure(n ast.Expr) bool {
	pure := true
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && slices.Contains([]string{"min", "max", "len", "cap"}, id.Name) ||
				x.c.info.Types[n.Fun].IsType() {
				return true
			}
			pure = false
		case *ast.BinaryExpr:
			if (n.Op == token.SHL || n.Op == token.SHR) && x.c.info.Types[n].Value == nil && x.c.info.Types[n.X].Value != nil {
				pure = false
			}
		case *ast.FuncLit, *ast.CompositeLit, *ast.TypeAssertExpr:
			pure = false
		case *ast.UnaryExpr:
			pure = pure && n.Op != token.ARROW
		}
		return pure
	})
	return pure
}

// statements leaves out one statement, or adds where it took away.
func (x *finder) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.IncDecStmt:
			x.without(s)
		case *ast.ExprStmt:
			if c, ok := s.X.(*ast.CallExpr); ok && !x.message(c) {
				x.without(s)
			}
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE || x.text(s.Lhs[0]) == "_" {
				continue
			}
			x.without(s)
			if op := map[token.Token]string{token.ADD_ASSIGN: "-=", token.SUB_ASSIGN: "+="}[s.Tok]; op != "" &&
				x.typed(s.Lhs[0]) {
				wrong := x.text(s.Lhs[0]) + " " + op + " " + x.text(s.Rhs[0])
				x.add(s, "arithmetic", wrong, "if plantedFaults.On(§) { "+wrong+" } else { "+x.text(s)+" }")
			}
		}
	}
}

func (x *finder) without(s ast.Stmt) {
	x.add(s, "removed", "", "if !plantedFaults.On(§) { "+x.text(s)+" }")
}
