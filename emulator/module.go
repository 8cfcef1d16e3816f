package emulator

import (
	"encoding/binary"
	"fmt"

	"hyptx/emulator/internal/address"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Loading a module gives its .global variables buffers of their own and packs its
// .const variables into one block; both may hold addresses of other variables and of
// functions, which have to have places first. Shared and local variables have no memory
// until a CTA or a thread runs: their places are in the program (compile.go).

// moduleData is a module's variables in place.
type moduleData struct {
	globals   map[*ir.Var]*Buffer
	constAt   map[*ir.Var]int64
	constants []byte
	unknown   [][2]int64 // the bytes of constants, from and to, that are defined elsewhere
	bits      int        // of an address
	// loops are those of functions that have been compiled.
	loops map[*ir.Func][]loopInfo
}

// bytesSource is a Source over bytes, zero filled.
type bytesSource []byte

func (s bytesSource) Fill(dst []byte, offset int64) error {
	n := 0
	if offset < int64(len(s)) {
		n = copy(dst, s[offset:])
	}
	clear(dst[n:])
	return nil
}

// Load places a module's variables; loading it again does nothing.
func (m *Machine) Load(mod *ir.Module) error {
	if m.modules[mod] != nil {
		return nil
	}
	d := &moduleData{bits: mod.AddressSize, globals: map[*ir.Var]*Buffer{}, constAt: map[*ir.Var]int64{}, loops: map[*ir.Func][]loopInfo{}}
	var constLen int64
	for _, v := range mod.Vars {
		switch v.Space {
		case isa.Global:
			b, err := m.placeGlobal(mod, v)
			if err != nil {
				return fmt.Errorf("%s:%d:%d: %w", mod.File, v.Pos.Line, v.Pos.Col, err)
			}
			if b == nil {
				continue
			}
			d.globals[v] = b
			if v.Type.Kind() == isa.Opaque {
				m.bindVariable(v, b.Base)
			}
		case isa.Const:
			constLen = alignUp(constLen, int64(max(v.Align, 1)))
			d.constAt[v] = constLen
			if v.Extern {
				d.unknown = append(d.unknown, [2]int64{constLen, constLen + v.Bytes})
			}
			if constLen += v.Bytes; constLen > maxConstBytes {
				return fmt.Errorf("%s:%d:%d: variable %s: more than %d bytes of .const memory in the module", mod.File, v.Pos.Line, v.Pos.Col, v.Name, maxConstBytes)
			}
		}
	}
	d.constants = make([]byte, constLen)
	for _, v := range mod.Vars {
		init := d.initial(v)
		if b := d.globals[v]; b != nil && len(init) > 0 {
			b.table.SetSource(bytesSource(init))
		}
		if at, ok := d.constAt[v]; ok {
			copy(d.constants[at:], init)
		}
	}
	m.modules[mod] = d
	return nil
}

// externNarrow is the most that stands for an array of unknown size where addresses
// have 32 bits.
const externNarrow = 1 << 20

// placeGlobal gives a .global variable memory, nil where nobody knows how much. Of one
// that is defined elsewhere nobody knows what it holds.
func (m *Machine) placeGlobal(mod *ir.Module, v *ir.Var) (*Buffer, error) {
	bytes, narrow := v.Bytes, mod.AddressSize == 32
	if v.Extern && bytes == 0 {
		if bytes = m.ExternBytes; bytes == 0 {
			return nil, nil
		}
		if narrow {
			bytes = min(bytes, externNarrow)
		}
	}
	b, err := m.Memory.addVariable(v.Name, bytes, v.Align, narrow)
	if err == nil {
		b.Unspecified = v.Extern
	}
	return b, err
}

// checkDefined reports a variable that functions name and that has no memory.
func (c *compiler) checkDefined(fns []*ir.Func) error {
	named := c.namedVars(fns)
	for _, v := range c.mod.Vars {
		if v.Space == isa.Global && v.Extern && named[v] && c.data.globals[v] == nil {
			return fmt.Errorf("%s:%d:%d: variable %s is declared .extern and defined nowhere", c.mod.File, v.Pos.Line, v.Pos.Col, v.Name)
		}
	}
	return nil
}

// initial returns a variable's initial contents with its addresses patched.
func (d *moduleData) initial(v *ir.Var) []byte {
	if len(v.Relocs) == 0 {
		return v.Init
	}
	init := append([]byte(nil), v.Init...)
	for _, r := range v.Relocs {
		a := uint64(r.Addend)
		switch {
		case r.Func != nil:
			a += FunctionAddress(r.Func)
		case r.Var != nil:
			a += d.address(r.Var, r.Generic)
		}
		a >>= r.Shift
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], a)
		if r.At+r.Bytes > len(init) {
			init = append(init, make([]byte, r.At+r.Bytes-len(init))...)
		}
		copy(init[r.At:r.At+r.Bytes], b[:])
	}
	return init
}

// address returns the address of a module-scope variable in its own space, or
// the generic one.
func (d *moduleData) address(v *ir.Var, generic bool) uint64 {
	if b := d.globals[v]; b != nil {
		return b.Base
	}
	if at, ok := d.constAt[v]; ok {
		if generic {
			return address.Window(isa.Const, d.bits) + uint64(at)
		}
		return uint64(at)
	}
	return 0
}

// FunctionAddress returns the address that a function has in memory.
func FunctionAddress(f *ir.Func) uint64 { return address.Function(f.Index, f.Module.AddressSize) }

// Variable returns the memory of a module-scope .global variable, or nil.
func (m *Machine) Variable(mod *ir.Module, v *ir.Var) *Buffer {
	if d := m.modules[mod]; d != nil {
		return d.globals[v]
	}
	return nil
}

// WriteConst writes into a module-scope .const variable before a launch.
func (m *Machine) WriteConst(mod *ir.Module, v *ir.Var, data []byte, offset int64) error {
	d := m.modules[mod]
	at, ok := d.constAt[v]
	if !ok || offset < 0 || offset+int64(len(data)) > v.Bytes {
		return fmt.Errorf("constant %s: %d bytes at %d lie outside its %d", v.Name, len(data), offset, v.Bytes)
	}
	copy(d.constants[at+offset:], data)
	var rest [][2]int64
	for _, u := range d.unknown {
		for _, part := range [][2]int64{{u[0], min(u[1], at+offset)}, {max(u[0], at+offset+int64(len(data))), u[1]}} {
			if part[0] < part[1] {
				rest = append(rest, part)
			}
		}
	}
	d.unknown = rest
	return nil
}
