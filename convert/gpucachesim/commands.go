package gpucachesim

import (
	"io"

	"gpureplay/convert/decimal"
	"gpureplay/convert/jsonscan"
	"gpureplay/trace"
)

// CommandKind says what a [Command] is.
type CommandKind uint8

const (
	Unknown CommandKind = iota
	Alloc
	CopyToDevice
	Launch
)

// Command is one entry of commands.json. Reused from one to the next.
type Command struct {
	Kind          CommandKind
	Name          string // of the allocation or the function; "": none
	Addr, Bytes   uint64
	TraceFile     string
	Grid, Block   trace.Dim3
	SharedBytes   uint32
	Registers     uint32
	BinaryVersion uint32
	Stream        uint64
	SharedBase    uint64
	LocalBase     uint64
	NVBit         string
}

var kinds = map[string]CommandKind{"MemAlloc": Alloc, "MemcpyHtoD": CopyToDevice, "KernelLaunch": Launch}

// ReadCommands calls use for each entry of a commands.json.
func ReadCommands(in io.Reader, use func(*Command) error) error {
	r := commands{s: jsonscan.New(in)}
	kind, err := r.s.Next()
	if err != nil {
		return err
	}
	if kind != jsonscan.BeginArray {
		return &jsonscan.SyntaxError{Offset: r.s.Offset(), Reason: "commands.json is an array of commands"}
	}
	for {
		kind, err := r.s.Next()
		if err != nil {
			return err
		}
		switch kind {
		case jsonscan.EndArray:
			_, err := r.s.Next()
			return err
		case jsonscan.BeginObject:
			if err := r.command(); err != nil {
				return err
			}
			if err := use(&r.c); err != nil {
				return err
			}
		default:
			return &jsonscan.SyntaxError{Offset: r.s.Offset(), Reason: "a command is an object with one member"}
		}
	}
}

type commands struct {
	s *jsonscan.Scanner
	c Command
}

// command reads {"MemAlloc": {...}}, whose brace was taken.
func (r *commands) command() error {
	r.c = Command{}
	for {
		kind, err := r.s.Next()
		if err != nil || kind == jsonscan.EndObject {
			return err
		}
		r.c.Kind = kinds[string(r.s.Text())]
		if r.c.Kind == Unknown {
			if err := r.s.Skip(); err != nil {
				return err
			}
			continue
		}
		if err := r.fields(r.field); err != nil {
			return err
		}
	}
}

func (r *commands) fields(field func(key string) error) error {
	kind, err := r.s.Next()
	if err != nil {
		return err
	}
	if kind != jsonscan.BeginObject {
		return &jsonscan.SyntaxError{Offset: r.s.Offset(), Reason: "an object of fields belongs here"}
	}
	for {
		kind, err := r.s.Next()
		if err != nil || kind == jsonscan.EndObject {
			return err
		}
		if err := field(string(r.s.Text())); err != nil {
			return err
		}
	}
}

func (r *commands) field(key string) error {
	c := &r.c
	switch key {
	case "allocation_name":
		return r.text(&c.Name)
	case "mangled_name":
		if c.Name == "" {
			return r.text(&c.Name)
		}
	case "unmangled_name":
		return r.text(&c.Name)
	case "trace_file":
		return r.text(&c.TraceFile)
	case "nvbit_version":
		return r.text(&c.NVBit)
	case "device_ptr", "dest_device_addr":
		return r.number(&c.Addr)
	case "num_bytes":
		return r.number(&c.Bytes)
	case "stream_id":
		return r.number(&c.Stream)
	case "shared_mem_base_addr":
		return r.number(&c.SharedBase)
	case "local_mem_base_addr":
		return r.number(&c.LocalBase)
	case "shared_mem_bytes":
		return r.small(&c.SharedBytes)
	case "num_registers":
		return r.small(&c.Registers)
	case "binary_version":
		return r.small(&c.BinaryVersion)
	case "grid":
		return r.dim(&c.Grid)
	case "block":
		return r.dim(&c.Block)
	}
	return r.s.Skip()
}

func (r *commands) dim(to *trace.Dim3) error {
	return r.fields(func(key string) error {
		if len(key) == 1 && key[0] >= 'x' && key[0] <= 'z' {
			return r.small(&to[key[0]-'x'])
		}
		return r.s.Skip()
	})
}

const maxText = 1 << 16

func (r *commands) text(to *string) error {
	kind, err := r.s.Next()
	if err != nil {
		return err
	}
	switch kind {
	case jsonscan.String:
		text := r.s.Text()
		*to = string(text[:min(len(text), maxText)])
	case jsonscan.Null:
	default:
		return &jsonscan.SyntaxError{Offset: r.s.Offset(), Reason: "a text belongs here"}
	}
	return nil
}

func (r *commands) number(to *uint64) error {
	kind, err := r.s.Next()
	if err != nil || kind == jsonscan.Null {
		return err
	}
	v, ok := int64(0), false
	if kind == jsonscan.Number {
		v, ok = decimal.Scale(r.s.Raw(), 1)
	}
	if !ok || v < 0 {
		return &jsonscan.SyntaxError{Offset: r.s.Offset(), Reason: "a number of 0 or more belongs here"}
	}
	*to = uint64(v)
	return nil
}

func (r *commands) small(to *uint32) error {
	var v uint64
	if err := r.number(&v); err != nil {
		return err
	}
	if v > 1<<32-1 {
		return &jsonscan.SyntaxError{Offset: r.s.Offset(), Reason: "a number below 2^32 belongs here"}
	}
	*to = uint32(v)
	return nil
}
