package model

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"gpureplay/model/hardware"
)

// Every key of a machine is read somewhere: one without a reader would be a
// setting that changes nothing. The files that declare and check keys do not count.
func TestEveryKeyIsRead(t *testing.T) {
	var src strings.Builder
	for _, dir := range []string{".", "../policies", "../replay", "../cmd/command"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch name := filepath.Base(path); {
			case err != nil || !strings.HasSuffix(name, ".go"):
				return err
			case strings.HasSuffix(name, "_test.go"), name == "config.go", name == "validate.go":
				return nil
			}
			data, err := os.ReadFile(path)
			src.Write(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
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
