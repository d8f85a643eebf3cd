package timeline

import "encoding/binary"

// message is a protobuf message that is being written.
type message []byte

func (m *message) uint(field int, v uint64) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3)
	*m = binary.AppendUvarint(*m, v)
}

func (m *message) int(field int, v int64) { m.uint(field, uint64(v)) }

func (m *message) fixed(field int, v uint64) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3|1)
	*m = binary.LittleEndian.AppendUint64(*m, v)
}

func (m *message) text(field int, s string) {
	m.header(field, len(s))
	*m = append(*m, s...)
}

func (m *message) message(field int, inner message) {
	m.header(field, len(inner))
	*m = append(*m, inner...)
}

func (m *message) header(field, size int) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3|2)
	*m = binary.AppendUvarint(*m, uint64(size))
}
