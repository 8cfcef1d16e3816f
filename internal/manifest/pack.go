package manifest

import (
	"fmt"
	"math"
	"strconv"

	"hyptx/internal/strictjson"
)

// Resolver gives the addresses of what stands in modules.
type Resolver interface {
	// Symbol returns where a module-scope variable lies and its size.
	Symbol(m *Module, name string) (address uint64, bytes int64, err error)
	// Function returns the address of a device function or kernel.
	Function(m *Module, name string) (address uint64, err error)
}

// ParamPointer is an address in a parameter block that came from a buffer.
type ParamPointer struct {
	At int // byte of the block
	Pointer
}

// ParamBlock is a kernel's parameter space with its arguments in place.
type ParamBlock struct {
	Data []byte
	// Offsets of the parameters, in order.
	Offsets []int
	// Pointers are the buffers' addresses in it, by At as they were written.
	Pointers []ParamPointer
	// Handles are the textures and surfaces that are named in it, as pointers to their
	// buffers.
	Handles []ParamPointer
	// Assumed are the bytes, from and to, of arguments that nobody gave. Structs are
	// those of them that are structures, zeros then, as assumed_inputs names them.
	Assumed [][2]int
	Structs []string
}

// packer fills one block.
type packer struct {
	strictjson.List
	m      *Manifest
	launch *Launch
	res    Resolver
	block  *ParamBlock
}

// PackArgs lays a launch's arguments out as the parameter block of a kernel
// with these parameters: each at the next multiple of its alignment (PTX ISA
// 5.1.6.1). A pointer, an int and a double take bytes 0 to 8, 8 to 12 and, behind
// a gap of four, 16 to 24. Wrong counts, names, types and sizes are errors at
// their JSON path. res may be nil if no argument names a symbol or function.
func (m *Manifest) PackArgs(l *Launch, params []Param, res Resolver) (*ParamBlock, error) {
	p := &packer{strictjson.List{File: m.File}, m, l, res, &ParamBlock{}}
	size := 0
	for _, q := range params {
		if q.Bytes < 1 || q.Align < 1 || size+q.Bytes > 2*MaxParamBytes {
			return nil, m.Errorf(l.Path, "parameter %s of %s: %d bytes aligned to %d are no parameter", q.Name, l.Kernel, q.Bytes, q.Align)
		}
		size = (size + q.Align - 1) / q.Align * q.Align
		p.block.Offsets = append(p.block.Offsets, size)
		size += q.Bytes
	}
	p.block.Data = make([]byte, size)
	for i, a := range p.match(params) {
		if a != nil {
			p.param(a, params[i], p.block.Offsets[i])
		}
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	return p.block, nil
}

// match finds each parameter's argument.
func (p *packer) match(params []Param) []*Arg {
	args := make([]*Arg, len(params))
	path := strictjson.KeyPath(p.launch.Path, "args")
	if !p.launch.ByName {
		if len(p.launch.Args) != len(params) {
			p.Fail(path, "%s for the %s of %s", plural(len(p.launch.Args), "argument"), plural(len(params), "parameter"), p.launch.Kernel)
			return nil
		}
		for i := range args {
			args[i] = &p.launch.Args[i]
		}
		return args
	}
	for i := range p.launch.Args {
		a := &p.launch.Args[i]
		k := paramIndex(a.Key, params)
		switch {
		case k < 0:
			p.Fail(a.Path, "%s has no parameter %s; it has %s", p.launch.Kernel, strictjson.Quoted(a.Key), paramNames(params))
		case args[k] != nil:
			p.Fail(a.Path, "parameter %s has an argument already, %s", params[k].Name, strictjson.Quoted(args[k].Key))
		default:
			args[k] = a
		}
	}
	for i, a := range args {
		if a == nil {
			p.Fail(path, "lacks an argument for parameter %d of %s, %s", i, p.launch.Kernel, params[i].Name)
		}
	}
	return args
}

// paramIndex finds a parameter by name or position, -1 if there is none.
func paramIndex(key string, params []Param) int {
	for i, p := range params {
		if p.Name == key {
			return i
		}
	}
	if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(params) && strconv.Itoa(i) == key {
		return i
	}
	return -1
}

func paramNames(params []Param) string {
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = p.Name
	}
	return listNames(names)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// address puts an address of bytes size in place.
func (p *packer) address(a *Arg, bytes, at int) {
	var address uint64
	var err error
	switch a.Kind {
	case ArgNull:
	case ArgBuffer:
		address = a.Pointer.Address()
		p.block.Pointers = append(p.block.Pointers, ParamPointer{at, a.Pointer})
	case ArgSymbol:
		address, err = p.symbol(a.Symbol)
	case ArgFunction:
		if p.res == nil {
			err = fmt.Errorf("functions have no addresses here")
		} else {
			address, err = p.res.Function(p.launch.Module, a.Name)
		}
	case ArgTexture, ArgSurface, ArgSampler:
		address = p.handle(a, at)
	}
	if err == nil && bytes == 4 && address > math.MaxUint32 {
		err = fmt.Errorf("the address %#x does not fit 4 bytes", address)
	}
	if err != nil {
		p.Fail(a.Path, "%w", err)
		return
	}
	putBits(p.block.Data[at:], bytes, address)
}

// handle returns what stands for a texture, and notes where it does.
func (p *packer) handle(a *Arg, at int) uint64 {
	if t := p.m.texture(a.Name); t.Buffer != nil && a.Kind != ArgSampler {
		p.block.Handles = append(p.block.Handles, ParamPointer{at, Pointer{Buffer: t.Buffer}})
	}
	return p.m.Handle(a.Kind, a.Name)
}

func (p *packer) symbol(s SymbolRef) (uint64, error) {
	if p.res == nil {
		return 0, fmt.Errorf("symbols have no addresses here")
	}
	address, bytes, err := p.res.Symbol(s.Module, s.Name)
	if err == nil && s.Offset > bytes {
		err = fmt.Errorf("offset %d lies outside the %d bytes of symbol %s", s.Offset, bytes, s.Name)
	}
	return address + uint64(s.Offset), err
}
