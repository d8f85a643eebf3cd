package tags

import (
	"testing"

	"gpureplay/model/hardware"
)

// Addresses of a layout that differ above its bits alone share bank and row; one row apart they do not.
func TestRowsOfALayout(t *testing.T) {
	for _, name := range []string{"qv100", "rtx3070"} {
		c, err := hardware.Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		m := NewMapping(c)
		inChannel := func(address uint64) uint64 { // the same offset of channel 0
			return (address>>8*uint64(c.DRAM.Channels)<<8 | address&255) >> hardware.SectorShift
		}
		const span = 1 << 28 // bytes of a channel that 28 bits name
		bank, row := m.Locate(inChannel(4096))
		if b, r := m.Locate(inChannel(4096 + span)); b != bank || r != row {
			t.Errorf("%s: bank %d row %d, and %d %d above the layout", name, bank, row, b, r)
		}
		if _, r := m.Locate(inChannel(4096 + span/2)); r == row {
			t.Errorf("%s: the highest bit of the layout changes no row", name)
		}
	}
}
