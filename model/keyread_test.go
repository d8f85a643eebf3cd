package model

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"gpureplay/model/hardware"
)

// Every key of a machine is read somewhere: one that nobody reads would be a
// setting that changes nothing. What declares and checks keys does not count.
func TestEveryKeyIsRead(t *testing.T) {
	var src strings.Builder
	for _, dir := range []string{".", "hardware", "memory", "program", "exec", "host", "../policies", "../policies/crcs", "../policies/pagoda", "../replay", "../cmd/command"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			switch name := filepath.Base(f); {
			case strings.HasSuffix(name, "_test.go"), name == "config.go", name == "validate.go":
				continue
			}
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			src.Write(data)
		}
	}
	eachField(reflect.TypeFor[hardware.Config](), "", func(path, field string) {
		if !regexp.MustCompile(`\.` + field + `\b`).MatchString(src.String()) {
			t.Errorf("%s (%s) is read by nobody", path, field)
		}
	})
}

// eachField calls f for each value of a configuration, with its key and the name
// of its field.
func eachField(t reflect.Type, prefix string, f func(path, field string)) {
	for i := range t.NumField() {
		x := t.Field(i)
		path := prefix + x.Tag.Get("toml")
		if x.Type.Kind() == reflect.Struct {
			eachField(x.Type, path+".", f)
			continue
		}
		f(path, x.Name)
	}
}
