package emulator

import (
	"math/bits"
	"strings"

	"hyptx/internal/devicelib"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// The instructions of the library: calculations that no instruction of PTX does, printing,
// and the end of a launch that an assertion brings. What is printed is kept by CTA, so that
// it comes in the order of CTAs whatever runs side by side.

// argument is an operand of a calculation: its place and its bytes.
type argument struct {
	operand
	bytes int
}

// buildLibraryMath decodes library.math: d, number, a, ...
func buildLibraryMath(c *compiler, in *ir.Instr, i *inst) error {
	i.arith, i.off = &arithmetic{wide: c.regBits(in, 0) == 64}, int64(in.Ops()[1].Imm)
	i.d = c.dest(in, 0)
	for n := 2; n < len(in.Ops()); n++ {
		if in.Ops()[n].Kind != ir.NoOperand {
			i.arith.args = append(i.arith.args, argument{c.place(in, &in.Ops()[n]), c.regBits(in, n) / 8})
		}
	}
	i.exec = execLibraryMath
	return nil
}

func execLibraryMath(w *warp, in *inst, m uint32) {
	args := make([]uint64, len(in.arith.args))
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		for n := range args {
			args[n] = w.laneValue(in.arith.args[n].operand, lane, in.arith.args[n].bytes)
		}
		v := devicelib.Calculate(int(in.off), args)
		if in.arith.wide {
			wide(w.slot(in.d))[lane] = v
		} else {
			w.slot(in.d)[lane] = uint32(v)
		}
	}
}

// buildLibraryPrint decodes library.print: d, [format], [arguments].
func buildLibraryPrint(c *compiler, in *ir.Instr, i *inst) error {
	i.d = c.dest(in, 0)
	i.arith = &arithmetic{args: []argument{c.pointer(in, 1), c.pointer(in, 2)}}
	i.exec = execLibraryPrint
	return nil
}

// pointer is the register of an address operand, which the library's have alone.
func (c *compiler) pointer(in *ir.Instr, n int) argument {
	l, _ := c.location(in, &in.Ops()[n])
	return argument{l.base, c.mod.AddressSize / 8}
}

// mostText bounds a string that is printed: what has no end ends there.
const mostText = 1 << 20

// text reads the string at an address.
func (w *warp) text(in *inst, lane int, at uint64) string {
	if at == 0 {
		return "(null)"
	}
	var b strings.Builder
	for b.Len() < mostText {
		c := w.bytesAt(in, lane, isa.Generic, at, 1, false)[0]
		if c == 0 {
			break
		}
		b.WriteByte(c)
		at++
	}
	return b.String()
}

// execLibraryPrint prints for one lane after the other and gives what CUDA's printf
// returns: how many arguments there were, -1 for no format.
func execLibraryPrint(w *warp, in *inst, m uint32) {
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		pointer := in.arith.args[0].bytes
		format, at := w.laneValue(in.arith.args[0].operand, lane, pointer), w.laneValue(in.arith.args[1].operand, lane, pointer)
		n := -1
		if format != 0 {
			var text string
			text, n = devicelib.Format(w.text(in, lane, format), pointer, func(bytes int) uint64 {
				at = uint64(alignUp(int64(at), int64(bytes)))
				v := uint64(0)
				for i, b := range w.bytesAt(in, lane, isa.Generic, at, bytes, false) {
					v |= uint64(b) << (8 * i)
				}
				at += uint64(bytes)
				return v
			}, func(at uint64) string { return w.text(in, lane, at) })
			w.worker.launch.printed.add(w.cta.linear, text)
		}
		w.slot(in.d)[lane] = uint32(n)
	}
}

// libraryMessages are what library.fail says, by number.
var libraryMessages = []string{"free of a pointer that malloc has not given, or of one that has come back before"}

// endLaunch decodes the library's instructions that end a launch.
func (c *compiler) endLaunch(in *ir.Instr, i *inst) {
	switch in.Inst.Op {
	case isa.OpLibraryAssert:
		i.arith = &arithmetic{args: []argument{c.pointer(in, 0), c.pointer(in, 1), {c.place(in, &in.Ops()[2]), 4}, c.pointer(in, 3)}}
		i.exec = execAssert
	case isa.OpLibraryFail:
		i.off = int64(in.Ops()[0].Imm)
		i.exec = func(w *warp, in *inst, m uint32) { w.fail(in, m, "%s", libraryMessages[in.off]) }
	}
}

// execAssert ends the launch with what the assertion of the first lane says.
func execAssert(w *warp, in *inst, m uint32) {
	lane, args := bits.TrailingZeros32(m), in.arith.args
	said := func(n int) string { return w.text(in, lane, w.laneValue(args[n].operand, lane, args[n].bytes)) }
	w.fail(in, m, "%s:%d: %s: assertion `%s` failed", said(1), w.laneValue(args[2].operand, lane, 4), said(3), said(0))
}
