package ir

import (
	"encoding/binary"
	"math/bits"

	"hyptx/ir/isa"
	"hyptx/parser"
)

// initialise lays the initialiser of a module-scope variable out as bytes and
// relocations (PTX ISA 5.4.4). Addresses are not known before the variables
// are placed in memory, which is the emulator's business, so an element that
// is an address becomes zeros and a [reloc]. A byte of an address (the mask
// operator 0xFF00(x)) is a relocation of one byte with a shift.
func (l *lowerer) initialise(v *Var, d *parser.Variable, n *parser.Declarator) {
	if v.Space != isa.Global && v.Space != isa.Const {
		l.errorf(n.Pos, "%s: only .global and .const variables can have an initialiser", n.Name)
		return
	}
	if v.Extern {
		l.errorf(n.Pos, "%s: an .extern variable has no initialiser", n.Name)
		return
	}
	if n.Init.Fields != nil || v.Type.Kind() == isa.Opaque {
		l.initialiseFields(v, n.Init)
		return
	}
	in := initialiser{l: l, v: v, size: v.Type.Bytes()}
	dims := make([]int, 0, len(n.Dims)+1)
	for i, dim := range n.Dims {
		if dim == nil && i == 0 {
			dims = append(dims, len(n.Init.List))
			continue
		}
		size, err := evalInt(dim, "an array dimension", 0, maxVarBytes)
		if err != nil {
			return // setShape has reported it
		}
		dims = append(dims, int(size))
	}
	if d.Vec != 0 {
		dims = append(dims, d.Vec)
	}
	in.fill(n.Init, dims, 0)
	v.Init, v.Relocs = in.bytes, in.relocs
}

// initialiseFields keeps the fields of an opaque variable.
func (l *lowerer) initialiseFields(v *Var, init *parser.Init) {
	if v.Type.Kind() != isa.Opaque {
		l.errorf(init.Pos, "%s is of type %s, which has no fields", v.Name, v.Type)
		return
	}
	for i := range init.Fields {
		f := &init.Fields[i]
		if f.Value.Kind == parser.ExprName && f.Value.Text != "WARP_SZ" {
			v.Fields = append(v.Fields, Field{Name: f.Name, Word: f.Value.Text})
			continue
		}
		value, err := evalInt(&f.Value, f.Name, 0, 1<<32-1)
		if err != nil {
			l.fail(init.Pos, err)
			continue
		}
		v.Fields = append(v.Fields, Field{Name: f.Name, Value: value})
	}
}

// initialiser is the state of laying out one variable.
type initialiser struct {
	l      *lowerer
	v      *Var
	size   int // of an element in bytes
	bytes  []byte
	relocs []reloc
}

// fill lays init out for an array of the given dimensions (none: a scalar)
// that starts at element at. As in C, a list may be shorter than its array,
// and inner braces may be left out. For example, u32 a[2][3] takes
//
//	{{1}, {4, 5}}   1 0 0 4 5 0   each row begins at its place
//	{1, 2, 3, 4}    1 2 3 4 0 0   without inner braces, one after the other
//	{1, {4, 5}}     1 0 0 4 5 0   a list begins the next whole row
//
// What is not named stays zero, and the bytes behind the last named element are
// not kept at all: Var.Init may be shorter than Var.Bytes.
func (in *initialiser) fill(init *parser.Init, dims []int, at int) {
	if init.Fields != nil {
		in.l.errorf(init.Pos, "%s is of type %s, which has no fields", in.v.Name, in.v.Type)
		return
	}
	if init.List == nil {
		if len(dims) != 0 {
			in.l.errorf(init.Pos, "%s: an array's initialiser is a list in braces", in.v.Name)
			return
		}
		in.value(init, at)
		return
	}
	if len(dims) == 0 { // { 1 } for a scalar
		if len(init.List) != 1 || init.List[0].List != nil {
			in.l.errorf(init.Pos, "%s: one value is expected here", in.v.Name)
			return
		}
		in.fill(&init.List[0], nil, at)
		return
	}
	inner := 1
	for _, d := range dims[1:] {
		inner *= d
	}
	end, next := at+dims[0]*inner, at
	for i := range init.List {
		sub := &init.List[i]
		if next >= end {
			in.l.errorf(sub.Pos, "%s: more values than the array has elements (%d)", in.v.Name, dims[0]*inner)
			return
		}
		if sub.List == nil {
			in.fill(sub, nil, next)
			next++
			continue
		}
		if inner > 1 { // the next whole row
			next = at + (next-at+inner-1)/inner*inner
		}
		in.fill(sub, dims[1:], next)
		next += inner
	}
}

// value lays out one element.
func (in *initialiser) value(init *parser.Init, at int) {
	if init.Value == nil {
		in.l.errorf(init.Pos, "%s: a value is expected here", in.v.Name)
		return
	}
	x, err := evalLinear(init.Value)
	if err != nil {
		in.l.fail(init.Pos, err)
		return
	}
	shift, masked := 0, init.Mask != nil
	if masked {
		if shift, err = maskShift(init.Mask); err != nil {
			in.l.fail(init.Pos, err)
			return
		}
	}
	switch {
	case x.name != nil:
		in.reloc(init, x, at, shift)
	case masked:
		if x.c.kind != constInt {
			in.l.errorf(init.Pos, "the mask operator takes an integer or an address")
			return
		}
		in.put(at, x.c.bits>>shift&0xFF)
	default:
		bits, err := x.c.immediate(in.v.Type)
		if whole := asWhole(err); whole != nil {
			if !in.l.overlook(init.Pos, "%s: %v", in.v.Name, err) {
				return
			}
			bits, err = whole.value().immediate(in.v.Type)
		}
		if err != nil {
			in.l.errorf(init.Pos, "%s: %v", in.v.Name, err)
			return
		}
		in.put(at, bits)
	}
}

// maxInitBytes bounds the part of a variable that an initialiser reaches into,
// because it is kept in memory; a constant bank has 64 KiB.
const maxInitBytes = 1 << 28

// put stores an element's bits, little-endian.
func (in *initialiser) put(at int, bits uint64) {
	end := (at + 1) * in.size
	if end > maxInitBytes {
		in.l.errorf(in.v.Pos, "%s: initial values beyond byte %d are not supported", in.v.Name, maxInitBytes)
		return
	}
	if end > len(in.bytes) {
		in.bytes = append(in.bytes, make([]byte, end-len(in.bytes))...)
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], bits)
	copy(in.bytes[at*in.size:end], b[:])
}

// maskShift returns k*8 for the mask 0xFF << k*8 (PTX ISA 5.4.4).
func maskShift(mask *parser.Expr) (int, error) {
	c, err := evalConstant(mask)
	if err != nil {
		return 0, err
	}
	k := bits.TrailingZeros64(c.bits)
	if c.kind != constInt || k%8 != 0 || c.bits>>k != 0xFF {
		return 0, errAt(mask.Pos, "the mask must be 0xFF or one of its shifts by whole bytes")
	}
	return k, nil
}

// reloc lays out an element that is an address.
func (in *initialiser) reloc(init *parser.Init, x linear, at, shift int) {
	sym := in.l.global.names[x.name.Text]
	if sym == nil {
		in.l.errorf(x.name.Pos, "unknown variable or function %s", x.name.Text)
		return
	}
	if x.c.kind != constInt {
		in.l.errorf(init.Pos, "an address takes an integer offset")
		return
	}
	r := reloc{At: at * in.size, Bytes: in.size, Shift: shift, Var: sym.v, Func: sym.fn, Addend: int64(x.c.bits)}
	// Before PTX 3.1 the name alone meant the generic address.
	r.Generic = sym.v != nil && (x.generic || in.l.m.PTXVersion < 301)
	switch {
	case init.Mask != nil:
		r.Bytes = 1
	case in.v.Type.IsFloat() || in.size*8 != in.l.m.AddressSize && in.size != 8:
		in.l.errorf(init.Pos, "an address does not fit into an element of type %s", in.v.Type)
		return
	}
	in.put(at, 0)
	in.relocs = append(in.relocs, r)
}
