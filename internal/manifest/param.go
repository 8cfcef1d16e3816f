package manifest

import (
	"fmt"
	"strings"
)

// Param is what a kernel says of one parameter.
type Param struct {
	Name string
	// Bytes is the size, Align the alignment in bytes.
	Bytes, Align int
	// Type is the PTX type, that of an element for an array: "u64", "f32",
	// "b8", ...
	Type string
	// Count is the number of elements of an array, 0 for a scalar. Structures of
	// C are arrays of bytes in PTX: what their fields are is not in it.
	Count int
	// Pointer: the parameter is known to be an address. Used by [Assume].
	Pointer bool
	// Object says that it stands for a texture, a surface or a sampler: ArgTexture,
	// ArgSurface or ArgSampler; 0 if it does not.
	Object ArgKind
}

// opaque are the types of parameters that hold nothing else.
var opaque = map[string]ArgKind{"texref": ArgTexture, "surfref": ArgSurface, "samplerref": ArgSampler}

// objects are the words for what stands for a texture.
var objects = map[ArgKind]string{ArgTexture: "texture", ArgSurface: "surface", ArgSampler: "sampler"}

// param puts an argument in a parameter's place, if it goes there.
func (p *packer) param(a *Arg, q Param, at int) {
	nothing := a.Kind == ArgStruct && a.Data == nil && a.Fields == nil
	if a.Assumed || nothing {
		p.block.Assumed = append(p.block.Assumed, [2]int{at, at + q.Bytes})
	}
	if nothing {
		p.block.Structs = append(p.block.Structs, zeroStruct(q))
	}
	sound, t := p.Watch(), a.Type
	switch a.Kind {
	case ArgValue:
		if t == NoType {
			t = scalarType(q).signedFor(a.Value)
		}
		p.checkValue(a, t, q)
	case ArgHex:
		if len(a.Data) != q.Bytes {
			p.Fail(a.at("hex"), "%s for the %d of parameter %s", plural(len(a.Data), "byte"), q.Bytes, q.Name)
		}
	case ArgTensorMap: // and of a tensor map
	case ArgStruct: // whose size is checked as that of one within another is
	case ArgTexture, ArgSurface, ArgSampler:
		if is := opaque[q.Type]; q.Count > 0 || q.Bytes != 8 || is != a.Kind && (is != 0 || scalarType(q).IsFloat()) {
			p.Fail(a.Path, "a %s for parameter %s, which is %s", objects[a.Kind], q.Name, q.describe())
		}
	default:
		if q.Count > 0 || q.Bytes != 8 && q.Bytes != 4 || strings.Contains(q.Type, "f") {
			p.Fail(a.Path, "an address for parameter %s, which is %s", q.Name, q.describe())
		}
	}
	if sound() {
		p.put(a, t, q.Name, q.Bytes, at)
	}
}

// signedFor returns the signed type of t's size for a negative number, else t: compilers declare
// the int of CUDA as .u32, so that the type of a parameter does not say that there is no sign.
func (t Type) signedFor(n Number) Type {
	if v, whole := n.integer(); t >= U8 && t <= U64 && whole && v.Sign() < 0 {
		return t - U8 + S8
	}
	return t
}

// checkValue checks that a number of type t can be a parameter's argument. Types
// of one size go with each other: the bits are what counts, and PTX declares most
// scalars as .b32 or .u64 whatever they mean.
func (p *packer) checkValue(a *Arg, t Type, q Param) {
	switch {
	case q.Count > 0:
		p.Fail(a.at("value"), "one value for parameter %s, which is %s; give it as fields or hex", q.Name, q.describe())
	case t == NoType:
		p.Fail(a.at("value"), "parameter %s is %s; give it as hex", q.Name, q.Type)
	case t.Size() != q.Bytes:
		p.Fail(a.at("type"), "%s has %d bytes, parameter %s (%s) has %d", t, t.Size(), q.Name, q.Type, q.Bytes)
	}
}

// put puts an argument into its bytes of the block: a parameter's or, within it,
// a field's. t is a value's type, name the parameter's for messages.
func (p *packer) put(a *Arg, t Type, name string, bytes, at int) {
	switch a.Kind {
	case ArgValue:
		bits, err := a.Value.Bits(t)
		if err != nil {
			p.Fail(a.at("value"), "%w", err)
		}
		putBits(p.block.Data[at:], bytes, bits)
	case ArgHex:
		copy(p.block.Data[at:], a.Data)
	case ArgStruct:
		p.structure(a, name, bytes, at)
	case ArgTensorMap:
		p.tensorMap(a, bytes, at)
	default:
		p.address(a, bytes, at)
	}
}

// zeroStruct says in assumed_inputs that a structure is zeros because nobody gave
// it: not by --arg for a bare file, and in a manifest by no more than its size.
func zeroStruct(q Param) string { return fmt.Sprintf("%s=%d zero bytes", q.Name, q.Bytes) }

// describe returns a parameter's type for messages.
func (q Param) describe() string {
	if q.Count > 0 {
		return fmt.Sprintf("an array of %d bytes", q.Bytes)
	}
	return q.Type
}

// scalarType returns the type of a scalar parameter, NoType if a manifest has
// none like it (.f16x2, .b128).
func scalarType(q Param) Type {
	t, _ := ParseType(strings.TrimPrefix(q.Type, "."))
	return t
}

// structure puts raw bytes in place and fields over them.
func (p *packer) structure(a *Arg, name string, bytes, at int) {
	switch {
	case a.Bytes >= 0 && a.Bytes != int64(bytes):
		p.Fail(a.at("bytes"), "%d bytes for the %d of %s", a.Bytes, bytes, name)
		return
	case len(a.Data) > bytes:
		p.Fail(a.at("hex"), "%s for the %d of %s", plural(len(a.Data), "byte"), bytes, name)
		return
	}
	clear(p.block.Data[at : at+bytes])
	copy(p.block.Data[at:], a.Data)
	for i := range a.Fields {
		f := &a.Fields[i]
		switch size := f.size(); {
		case size < 0:
			p.Fail(f.Path, "a field needs \"bytes\"")
		case f.At+size > int64(bytes):
			p.Fail(f.Path, "bytes %d to %d lie outside the %d of %s", f.At, f.At+size, bytes, name)
		default:
			p.put(&f.Arg, f.Type, name, int(size), at+int(f.At))
		}
	}
}

// size returns how many bytes a field takes, -1 if it does not say so.
func (f *Field) size() int64 {
	switch f.Kind {
	case ArgValue:
		return int64(f.Type.Size())
	case ArgHex:
		return int64(len(f.Data))
	case ArgStruct:
		if f.Bytes < 0 && f.Data != nil {
			return int64(len(f.Data))
		}
		return f.Bytes
	case ArgTensorMap:
		return 128
	}
	return 8
}
