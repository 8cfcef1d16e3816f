package fold

import (
	"hyptx/internal/ssa"
	"hyptx/internal/value"
	"hyptx/ir/isa"
)

// Consts are the constants of a launch: what every thread of the grid, or of
// one CTA of it, reads alike.
type Consts struct {
	// Params is the kernel's parameter block; Known has one element for each
	// byte of it that says whether the byte is given. Bytes beyond either are
	// not.
	Params []byte
	Known  []bool
	// NTID and NCTAID are the block's and the grid's extents; zero is unknown.
	NTID, NCTAID [3]uint32
	// Cluster is how many CTAs a cluster has along each axis; zero is unknown.
	Cluster [3]uint32
	// CTAID is the CTA, nil for all of them.
	CTAID *[3]uint32
	// Decided are values of the kernel itself that are given for some other
	// reason: what a group of CTAs has in common.
	Decided map[ssa.ValueID]uint64
}

// sreg returns what a launch fixes of a special register: the extents are
// constants, indices of threads and CTAs lie below them. The rest varies.
func (c *Consts) sreg(r isa.SReg) cell {
	a := r.Axis()
	if a > 2 {
		return cell{state: varying}
	}
	extent := func(n uint32) cell {
		if n == 0 {
			return cell{state: varying}
		}
		return constCell(uint64(n))
	}
	below := func(n uint32) cell {
		switch n {
		case 0:
			return cell{state: varying}
		case 1:
			return constCell(0)
		}
		return ranged(value.Between(0, int64(n)-1))
	}
	switch r.Base() {
	case isa.SRegNTID:
		return extent(c.NTID[a])
	case isa.SRegNCTAID:
		return extent(c.NCTAID[a])
	case isa.SRegTID:
		return below(c.NTID[a])
	case isa.SRegCTAID:
		if c.CTAID != nil {
			return constCell(uint64(c.CTAID[a]))
		}
		return below(c.NCTAID[a])
	case isa.SRegClusterNCTAID:
		return extent(c.Cluster[a])
	case isa.SRegClusterNCTARank:
		return extent(c.Cluster[0] * c.Cluster[1] * c.Cluster[2])
	case isa.SRegNClusterID:
		if c.Cluster[a] == 0 {
			return cell{state: varying}
		}
		return extent(c.NCTAID[a] / c.Cluster[a])
	case isa.SRegClusterCTAID:
		return below(c.Cluster[a])
	case isa.SRegClusterCTARank:
		return below(c.Cluster[0] * c.Cluster[1] * c.Cluster[2])
	case isa.SRegLaneID:
		return ranged(value.Between(0, 31))
	}
	return cell{state: varying}
}

// load returns the size bytes at off of the parameter block, if all are known.
func (c *Consts) load(off int64, size int) cell {
	if off < 0 || size == 0 || size > 8 || off+int64(size) > int64(len(c.Params)) {
		return cell{state: varying}
	}
	bits := uint64(0)
	for i := range size {
		at := int(off) + i
		if at >= len(c.Known) || !c.Known[at] {
			return cell{state: varying}
		}
		bits |= uint64(c.Params[at]) << (8 * i)
	}
	return constCell(bits)
}
