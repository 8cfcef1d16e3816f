package cache

// DRAM's geometry is a rule of ours (AccelWattch notes, end of section 2).
const (
	rowBytes        = 2048
	banksPerChannel = 16
	rowBlocks       = rowBytes / blockBytes
)

// dram keeps the open row of every bank.
type dram struct {
	open []uint64 // row + 1; 0 for none
}

func newDRAM(channels int) dram { return dram{make([]uint64, banksPerChannel*channels)} }

// access touches sectors of a block; it returns 1 if that opened a row.
func (d *dram) access(block uint64) uint64 {
	row := block / rowBlocks
	bank := row % uint64(len(d.open))
	if d.open[bank] == row+1 {
		return 0
	}
	d.open[bank] = row + 1
	return 1
}
