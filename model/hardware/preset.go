package hardware

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"gpureplay/internal/nearest"
	"gpureplay/model/hardware/gpgpusim"
)

//go:embed presets/*.toml
var presetFiles embed.FS

// Presets returns the names of the built-in machines, sorted.
func Presets() []string {
	entries, err := presetFiles.ReadDir("presets")
	if err != nil {
		panic("model: " + err.Error())
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".toml")
	}
	slices.Sort(names)
	return names
}

// Preset returns a fresh copy of the built-in machine of that name. An unknown name fails with a list of the
// presets.
func Preset(name string) (*Config, error) { return preset(name, 0) }

// parsed are the presets that have been read, by name.
var parsed sync.Map

func preset(name string, depth int) (*Config, error) {
	if c, ok := parsed.Load(name); ok {
		return c.(*Config).clone(), nil
	}
	data, err := presetFiles.ReadFile(path.Join("presets", name+".toml"))
	if err != nil || strings.ContainsAny(name, `/\`) {
		known := Presets()
		hint := nearest.Hint(name, known)
		if hint == "" {
			hint = ": there are " + strings.Join(known, ", ")
		}
		return nil, fmt.Errorf("unknown GPU preset %q%s", name, hint)
	}
	c, err := readConfig(name, uncommented(data), depth)
	if err == nil {
		parsed.Store(name, c.clone())
	}
	return c, err
}

// uncommented is a preset without its comments, most of its bytes: the decoder looks at
// them letter by letter, which takes most of its time.
func uncommented(data []byte) []byte {
	bare := make([]byte, 0, len(data)/2)
	for line := range bytes.Lines(data) {
		if i := bytes.IndexByte(line, '#'); i >= 0 && bytes.Count(line[:i], []byte(`"`))%2 == 0 { // else it is in a text
			bare = append(append(bare, bytes.TrimRight(line[:i], " ")...), '\n')
			continue
		}
		bare = append(bare, line...)
	}
	return bare
}

// Equal reports whether two machines are the same in every value.
func (c *Config) Equal(d *Config) bool {
	return reflect.DeepEqual(c, d) || c.TOML() == d.TOML() // an empty list may be nil
}

// FindConfig returns the machine that a user requested: a file if the argument has a path separator or ends in .toml
// or .config, otherwise a preset. It returns an error if there is no such preset or file.
func FindConfig(arg string) (*Config, error) {
	if IsConfigFile(arg) {
		return LoadConfig(arg)
	}
	return Preset(arg)
}

// IsConfigFile reports whether [FindConfig] takes an argument for a file.
func IsConfigFile(arg string) bool {
	return strings.HasSuffix(arg, ".toml") || strings.HasSuffix(arg, ofGPGPUSim) || strings.ContainsAny(arg, `/\`)
}

// ofGPGPUSim ends the name of a configuration file of GPGPU-Sim.
const ofGPGPUSim = ".config"

// LoadConfig reads a machine from a TOML file (see [ReadConfig]) or from a gpgpusim.config (package gpgpusim). It
// returns an error if the file cannot be read or has a wrong value.
func LoadConfig(file string) (*Config, error) {
	if strings.HasSuffix(file, ofGPGPUSim) {
		text, err := gpgpusim.TOML(file)
		if err != nil {
			return nil, err
		}
		return ReadConfig(file, text)
	}
	data, err := ReadTOML(file)
	if err != nil {
		return nil, err
	}
	return ReadConfig(file, data)
}

// ReadConfig reads a machine from the bytes of a TOML file; name is used in errors, and names the machine if the
// file does not. A file that says base = "a100" starts from that preset and need only give the differences. Errors
// have the file and, where it is known, the line, and fit on one line: an unknown key comes with the nearest known
// ones, an impossible value with the allowed ones.
func ReadConfig(name string, data []byte) (*Config, error) { return readConfig(name, data, 0) }

func readConfig(name string, data []byte, depth int) (*Config, error) {
	if err := CheckTOML(name, data); err != nil {
		return nil, err
	}
	var head struct {
		Base string `toml:"base"`
	}
	var all toml.Primitive // parsed once, decoded twice
	meta, err := toml.Decode(string(data), &all)
	if err == nil {
		err = meta.PrimitiveDecode(all, &head)
	}
	if err != nil {
		return nil, TOMLError(name, err)
	}
	c := &Config{}
	if head.Base != "" {
		const maxDepth = 8 // presets that build on presets
		if depth == maxDepth {
			return nil, fmt.Errorf("%s: base %q builds on itself", name, head.Base)
		}
		base, err := preset(head.Base, depth+1)
		if err != nil {
			return nil, fmt.Errorf("%s: base: %w", TOMLPosition(name, data, "base"), err)
		}
		c = base
		c.Name = ""
	}
	if err := meta.PrimitiveDecode(all, c); err != nil {
		return nil, TOMLError(name, err)
	}
	if rest := meta.Undecoded(); len(rest) > 0 {
		key := strings.Join(rest[0], ".")
		return nil, fmt.Errorf("%s: %w", TOMLPosition(name, data, key), unknownKey(key))
	}
	if c.Name == "" {
		c.Name = strings.TrimSuffix(filepath.Base(name), ".toml")
	}
	if err := c.Validate(); err != nil {
		var bad *ValueError
		if errors.As(err, &bad) {
			if head.Base == "" && lineOf(data, bad.Key) == 0 {
				return nil, fmt.Errorf("%s: there is no %s: give it, or begin the file with base = %q, or another preset, to "+
					"take over what it leaves out", name, bad.Key, "a100")
			}
			name = TOMLPosition(name, data, bad.Key)
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// TOML returns the machine as TOML text with every key in the order of its
// declaration: equal machines give equal bytes, and [ReadConfig] reads it back.
func (c *Config) TOML() string {
	var b bytes.Buffer
	e := toml.NewEncoder(&b)
	e.Indent = ""
	if err := e.Encode(c); err != nil {
		panic("model: " + err.Error()) // a Config is plain data
	}
	return b.String()
}
