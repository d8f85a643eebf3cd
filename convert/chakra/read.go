package chakra

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sync"

	"gpureplay/convert/decimal"
	"gpureplay/convert/jsonscan"
)

// maxMessage is the largest message, in bytes.
const maxMessage = 16 << 20

var jsonMarks = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"(ctrlDeps|dataDeps|ctrl_deps|data_deps|durationMicros|duration_micros)"`)
})

// IsJSON reports whether head is of nodes printed as JSON.
func IsJSON(head []byte) bool {
	head = bytes.TrimSpace(head)
	if len(head) == 0 || head[0] != '{' {
		return false
	}
	return bytes.Contains(head, []byte(`"workload_graph"`)) && bytes.Contains(head, []byte(`"NodeType"`)) ||
		jsonMarks().Match(head) && bytes.Contains(head, []byte(`_NODE"`))
}

// IsProto reports whether head is of length-delimited messages: metadata and
// then at least one node with a name and a type.
func IsProto(head []byte) bool {
	var n Node
	for i := 0; i < 3; i++ {
		size, k := binary.Uvarint(head)
		if k <= 0 || size > maxMessage || uint64(len(head)-k) < size {
			return false
		}
		message := head[k : k+int(size)]
		head = head[k+int(size):]
		if i > 0 && n.parse(message) == nil && n.Name != "" && n.Type != Invalid {
			return true
		}
	}
	return false
}

// ReadProto calls use for each node.
func ReadProto(in io.Reader, use func(*Node) error) error {
	r := bufio.NewReaderSize(in, 64<<10)
	var n Node
	var buf []byte
	for i := 0; ; i++ {
		size, err := binary.ReadUvarint(r)
		if err == io.EOF {
			if i == 0 {
				return errors.New("no message")
			}
			return nil
		}
		if err == nil && size > maxMessage {
			err = fmt.Errorf("%d bytes, where a message has at most %d", size, maxMessage)
		}
		if err == nil {
			if uint64(cap(buf)) < size {
				buf = make([]byte, size)
			}
			buf = buf[:size]
			if _, err = io.ReadFull(r, buf); err != nil {
				err = fmt.Errorf("cut short: %w", io.ErrUnexpectedEOF)
			}
		}
		if err == nil && i > 0 { // the first is metadata
			if err = n.parse(buf); err == nil {
				err = use(&n)
			}
		}
		if err != nil {
			return fmt.Errorf("message %d: %w", i+1, err)
		}
	}
}

// ReadJSON calls use for each node: of the values that follow each other, as the
// protobuf prints itself, or of the array "workload_graph" that simulators read.
func ReadJSON(in io.Reader, use func(*Node) error) error {
	r := nodes{s: jsonscan.New(in)}
	for {
		kind, err := r.s.Next()
		if err != nil {
			return err
		}
		if kind != jsonscan.BeginObject {
			return &jsonscan.SyntaxError{Offset: r.s.Offset(), Reason: "a node is a JSON object"}
		}
		r.use = use
		if err := r.node(); err != nil {
			return err
		}
		if more, err := r.s.More(); err != nil || !more {
			return err
		}
	}
}

type nodes struct {
	use   func(*Node) error
	graph bool // its nodes are being read
	s     *jsonscan.Scanner
	n     Node
	typed bool
	name  string // of the attribute being read
	value uint64
	known bool
}

// node reads the node whose brace was taken; one without a type is metadata.
func (r *nodes) node() error {
	r.n.reset()
	r.typed = false
	if err := r.members(r.member); err != nil || !r.typed {
		return err
	}
	return r.use(&r.n)
}

// workload reads the nodes of a graph.
func (r *nodes) workload() error {
	if r.graph {
		return r.fail("a graph within a graph")
	}
	r.graph = true
	err := r.array(func(kind jsonscan.Kind) error {
		if kind != jsonscan.BeginObject {
			return r.fail("a node is a JSON object")
		}
		return r.node()
	})
	r.graph, r.typed = false, false
	return err
}

func (r *nodes) members(member func(key string) error) error {
	for {
		kind, err := r.s.Next()
		if err != nil || kind == jsonscan.EndObject {
			return err
		}
		if err := member(string(r.s.Text())); err != nil {
			return err
		}
	}
}

func (r *nodes) member(key string) (err error) {
	switch key {
	case "workload_graph":
		return r.workload()
	case "id", "Id":
		r.n.ID, _, err = r.number()
	case "name", "Name":
		r.n.Name, err = r.text()
	case "type":
		var name string
		name, err = r.text()
		r.n.Type, r.typed = typeNames[name], true
	case "NodeType":
		var v uint64
		v, r.typed, err = r.number()
		if r.n.Type = Invalid; v < numTypes {
			r.n.Type = Type(v)
		}
	case "dataDeps", "data_deps":
		return r.dependences(&r.n.Deps)
	case "ctrlDeps", "ctrl_deps":
		return r.dependences(&r.n.Control)
	case "is_cpu_op", "tensor_size", "comm_size":
		var v uint64
		v, _, err = r.number()
		r.n.attribute(key, v)
	case "startTimeMicros", "start_time_micros":
		r.n.StartMicros, _, err = r.number()
	case "durationMicros", "duration_micros", "runtime":
		r.n.DurationMicros, _, err = r.number()
	case "attr":
		return r.array(func(kind jsonscan.Kind) error {
			if kind != jsonscan.BeginObject {
				return r.fail("an attribute is an object")
			}
			r.name, r.known = "", false
			if err := r.members(r.attr); err != nil {
				return err
			}
			if r.known {
				r.n.attribute(r.name, r.value)
			}
			return nil
		})
	default:
		return r.s.Skip()
	}
	return err
}

func (r *nodes) dependences(on *[]uint64) error {
	return r.array(func(kind jsonscan.Kind) error {
		id, ok := r.parse(kind)
		if !ok {
			return r.fail("a dependence is a number")
		}
		return r.n.depend(on, id)
	})
}

func (r *nodes) attr(key string) (err error) {
	switch key {
	case "name":
		r.name, err = r.text()
	case "boolVal", "int32Val", "int64Val", "uint32Val", "uint64Val", "sint32Val", "sint64Val", "doubleVal",
		"bool_val", "int32_val", "int64_val", "uint32_val", "uint64_val", "sint32_val", "sint64_val", "double_val":
		r.value, r.known, err = r.number()
	default:
		return r.s.Skip()
	}
	return err
}

func (r *nodes) fail(reason string) error {
	return &jsonscan.SyntaxError{Offset: r.s.Offset(), Reason: reason}
}

func (r *nodes) array(element func(jsonscan.Kind) error) error {
	kind, err := r.s.Next()
	if err != nil {
		return err
	}
	if kind != jsonscan.BeginArray {
		return r.fail("an array belongs here")
	}
	for {
		kind, err := r.s.Next()
		if err != nil || kind == jsonscan.EndArray {
			return err
		}
		if err := element(kind); err != nil {
			return err
		}
	}
}

func (r *nodes) text() (string, error) {
	kind, err := r.s.Next()
	if err == nil && kind != jsonscan.String {
		err = r.fail("a text belongs here")
	}
	if err != nil {
		return "", err
	}
	text := r.s.Text()
	return string(text[:min(len(text), maxName)]), nil
}

// number reads a number of 0 or more, or text that holds one, or a truth.
func (r *nodes) number() (uint64, bool, error) {
	kind, err := r.s.Next()
	if err != nil {
		return 0, false, err
	}
	v, ok := r.parse(kind)
	if !ok {
		return 0, false, r.fail("a number of 0 or more belongs here")
	}
	return v, true, nil
}

func (r *nodes) parse(kind jsonscan.Kind) (uint64, bool) {
	switch kind {
	case jsonscan.True:
		return 1, true
	case jsonscan.False, jsonscan.Null:
		return 0, true
	case jsonscan.Number, jsonscan.String:
		v, ok := decimal.Scale(r.s.Raw(), 1)
		return uint64(v), ok && v >= 0
	}
	return 0, false
}
