package accelsim

import (
	"bytes"
	"io"
	"strings"
)

// command is one line of a list.
type command struct {
	file  string // of a kernel; "": a copy
	addr  uint64
	bytes uint64
	line  int
}

// maxCommands bounds a list, which is held in memory.
const maxCommands = 1 << 22

// parseList reads the host's commands.
func parseList(l *lines, n *counters) ([]command, error) {
	var list []command
	for {
		line, err := l.text()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(list) == maxCommands {
			return nil, l.errorf("a list of more than %d commands", maxCommands)
		}
		switch {
		case bytes.HasPrefix(line, []byte("MemcpyHtoD")):
			c, ok := parseCopy(line)
			if !ok {
				return nil, l.errorf("%q is not MemcpyHtoD,0xADDRESS,BYTES", clip(line))
			}
			c.line = l.number
			list = append(list, c)
		case bytes.HasPrefix(line, []byte("Memcpy")):
			n.add(unknownCopy)
		case isKernelFile(string(line)):
			list = append(list, command{file: string(line), line: l.number})
		default:
			n.add(unknownCommand)
		}
	}
	return list, nil
}

// parseCopy reads MemcpyHtoD,0xADDRESS,BYTES.
func parseCopy(line []byte) (c command, ok bool) {
	fields := bytes.Split(line, []byte(","))
	if len(fields) != 3 || string(bytes.TrimSpace(fields[0])) != "MemcpyHtoD" {
		return c, false
	}
	var rest []byte
	if c.addr, rest, ok = hex64(fields[1]); !ok || len(blank(rest)) > 0 {
		return c, false
	}
	n, rest, ok := decimal(fields[2])
	if !ok || n < 0 || len(blank(rest)) > 0 {
		return c, false
	}
	c.bytes = uint64(n)
	return c, c.addr+c.bytes >= c.addr
}

// packings are the endings of packed files.
var packings = []string{".xz", ".gz", ".zst"}

// isKernelFile reports whether a name belongs to a kernel's trace.
func isKernelFile(name string) bool {
	for _, p := range packings {
		name = strings.TrimSuffix(name, p)
	}
	for _, ending := range []string{".traceg", ".tracez", ".trace"} {
		if strings.HasSuffix(name, ending) {
			return true
		}
	}
	return false
}

// isList reports whether a name (without folders) belongs to a list.
func isList(name string) bool {
	return strings.HasPrefix(name, "kernelslist") && !isKernelFile(name)
}
