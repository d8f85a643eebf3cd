package hardware

import (
	_ "embed" // the declaration below
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strings"
	"sync"
)

// declaration is the source of [Config]: the comments of its fields are the reference of
// the settings, so that each is described in one place.
//
//go:embed config.go
var declaration []byte

// A Setting is one key of a machine, as the reference has it.
type Setting struct {
	Key      string   // TOML path
	Type     string   // integer, number, boolean, text or list
	Allowed  string   // values, as the rest of "must be"
	Words    []string // of a text; nil: any
	Min, Max float64  // of numbers
	Doc      string   // meaning, with the unit
}

// A Section is a table of a machine's file.
type Section struct {
	Name     string // "" for the keys in front of all tables
	Doc      string
	Settings []Setting
}

// structDoc are the comments of a struct and of its fields, by name.
type structDoc struct {
	doc    string
	fields map[string]string
}

// declared are the comments of the declaration by type.
var declared = sync.OnceValue(func() map[string]structDoc {
	file, err := parser.ParseFile(token.NewFileSet(), "config.go", declaration,
		parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		panic("hardware: config.go: " + err.Error()) // it was compiled
	}
	all := map[string]structDoc{}
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			continue
		}
		spec := g.Specs[0].(*ast.TypeSpec)
		s, ok := spec.Type.(*ast.StructType)
		if !ok {
			continue
		}
		x := structDoc{doc: oneLine(g.Doc.Text()), fields: map[string]string{}}
		for _, f := range s.Fields.List {
			text := f.Doc.Text()
			if text == "" {
				text = f.Comment.Text()
			}
			for _, name := range f.Names {
				x.fields[name.Name] = oneLine(text)
			}
		}
		all[spec.Name.Name] = x
	}
	return all
})

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Reference returns the settings of a machine in the order of their declaration, by
// section.
func Reference() []Section {
	t := reflect.TypeFor[Config]()
	front := Section{Doc: declared()[t.Name()].doc}
	var all []Section
	for i := range t.NumField() {
		f := t.Field(i)
		name := f.Tag.Get("toml")
		if f.Type.Kind() != reflect.Struct {
			front.Settings = append(front.Settings, settingOf(name, declared()[t.Name()].fields[f.Name]))
			continue
		}
		s := Section{Name: name, Doc: afterName(declared()[f.Type.Name()].doc, f.Type.Name())}
		s.collect(f.Type, name+".", "")
		all = append(all, s)
	}
	return append([]Section{front}, all...)
}

// collect adds the settings of a struct. A struct within it lends its comment to its
// settings.
func (s *Section) collect(t reflect.Type, prefix, of string) {
	for i := range t.NumField() {
		f := t.Field(i)
		doc := declared()[t.Name()].fields[f.Name]
		if f.Type.Kind() == reflect.Struct {
			s.collect(f.Type, prefix+f.Tag.Get("toml")+".", doc)
			continue
		}
		if of != "" {
			doc = of + ": " + doc
		}
		s.Settings = append(s.Settings, settingOf(prefix+f.Tag.Get("toml"), doc))
	}
}

// afterName drops the name that the comment of a type begins with: "L2Config is the L2"
// becomes "the L2".
func afterName(doc, name string) string {
	for _, verb := range []string{" is ", " holds ", " are "} {
		if rest, ok := strings.CutPrefix(doc, name+verb); ok {
			return rest
		}
	}
	return doc
}

func settingOf(key, doc string) Setting {
	k, _ := findKey(key)
	s := Setting{Key: key, Allowed: k.allowed(), Words: k.bound.words, Min: k.bound.min, Max: k.bound.max, Doc: doc}
	switch k.kind {
	case reflect.Bool:
		s.Type = "boolean"
	case reflect.String:
		if s.Type = "text"; s.Words == nil {
			s.Allowed = "a text"
		}
	case reflect.Float64:
		s.Type = "number"
	case reflect.Slice:
		s.Type = "list"
	default:
		s.Type = "integer"
	}
	return s
}

// FindSettings returns the settings of a key, or of a table: l2.bytes, or l2. An unknown
// key is an error that names near ones.
func FindSettings(key string) ([]Setting, error) {
	key = strings.TrimSuffix(key, ".")
	var found []Setting
	for _, section := range Reference() {
		for _, s := range section.Settings {
			if s.Key == key || strings.HasPrefix(s.Key, key+".") {
				found = append(found, s)
			}
		}
	}
	if found == nil {
		return nil, unknownKey(key)
	}
	return found, nil
}
