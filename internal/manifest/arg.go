package manifest

import (
	"encoding/hex"
	"slices"

	"hyptx/internal/strictjson"
)

// An argument says what it is by the one key that it has: {"value": 7},
// {"buffer": "x", "offset": 16}, {"hex": "00ff"}. A structure or an array is
// given as bytes, with arguments at places within them over it:
//
//	{"bytes": 24, "hex": "ff", "fields": [{"at": 8, "buffer": "x"}, {"at": 16, "value": 3, "type": "s32"}]}
//
// is ff, seven zeros, the address of x, 3 as four bytes and four zeros. Fields may
// be structures again.

// ArgKind is how an argument is given.
type ArgKind uint8

// The kinds of arguments.
const (
	ArgValue ArgKind = iota
	ArgHex
	ArgNull
	ArgBuffer
	ArgSymbol
	ArgFunction
	ArgStruct
	ArgTexture
	ArgSurface
	ArgSampler
	ArgTensorMap
)

// Arg is an argument of a launch or a field of one.
type Arg struct {
	Path string
	Kind ArgKind
	// Key is the parameter's name or position, where arguments are an object.
	Key string
	// Value and Type of ArgValue; NoType means the parameter's own.
	Value Number
	Type  Type
	// Data of ArgHex and, as far as it goes, of ArgStruct.
	Data []byte
	// Pointer of ArgBuffer.
	Pointer Pointer
	Symbol  SymbolRef // of ArgSymbol
	// Name of ArgFunction, ArgTexture, ArgSurface, ArgSampler, ArgTensorMap.
	Name string
	// Bytes of ArgStruct, -1 if left out; Fields over Data, in order.
	Bytes  int64
	Fields []Field
	// Assumed: nobody gave the argument; it stands for "something".
	Assumed bool
}

// Field is an argument at a place within a struct or array.
type Field struct {
	At int64 // bytes from its start
	Arg
}

// argKinds are the keys of which an argument has one, and what it is then;
// "fields" or "bytes", which may stand together, make it an ArgStruct.
var (
	argKinds = map[string]ArgKind{"value": ArgValue, "hex": ArgHex, "null": ArgNull, "buffer": ArgBuffer, "symbol": ArgSymbol, "function": ArgFunction,
		"texture": ArgTexture, "surface": ArgSurface, "sampler": ArgSampler, "tensorMap": ArgTensorMap, "struct": ArgStruct}
	oneArgKey = []string{"value", "hex", "null", "buffer", "symbol", "function", "texture", "surface", "sampler", "tensorMap"}
	argKeys   = []string{"value", "type", "hex", "null", "buffer", "offset", "symbol", "function",
		"texture", "surface", "sampler", "tensorMap", "bytes", "fields"}
	fieldKeys = append([]string{"at"}, argKeys...)
)

// companions lists the keys that may stand beside the one that tells what an
// argument is.
var companions = map[string][]string{"value": {"type"}, "buffer": {"offset"}, "struct": {"bytes", "fields", "hex"}}

// arg reads an argument; module is the launch's, nil after an error in it.
func (r *reader) arg(a *Arg, o object, module *Module) {
	key := "struct"
	if !o.Has("fields") && !o.Has("bytes") {
		var ok bool
		if key, ok = o.One(oneArgKey...); !ok {
			return
		}
	}
	for _, k := range o.Keys {
		if k != key && k != "at" && !slices.Contains(companions[key], k) && slices.Contains(argKeys, k) {
			o.Fail(k, "does not go with %q", key)
			return
		}
	}
	switch a.Kind = argKinds[key]; a.Kind {
	case ArgStruct:
		r.structArg(a, o, module)
	case ArgValue:
		a.value(o)
	case ArgHex:
		a.Data = o.hexBytes()
	case ArgNull:
		if r.Expect(o.Get("null"), o.At("null"), strictjson.Bool) && !o.Flag("null") {
			o.Fail("null", "must be true")
		}
	case ArgBuffer:
		a.Pointer = Pointer{o.buffer(), o.offset()}
		r.checkRange(o.Path, a.Pointer, 0)
	case ArgSymbol:
		a.Symbol = o.symbolAt("symbol", module)
	case ArgTensorMap:
		if a.Name = o.name(key); !slices.ContainsFunc(r.m.TensorMaps, func(t *TensorMap) bool { return t.Name == a.Name }) && a.Name != "" {
			o.Fail(key, "there is no tensor map %s", strictjson.Quoted(a.Name))
		}
	case ArgFunction:
		a.Name = o.name(key)
	default:
		a.Name = o.texture(key)
	}
}

// value reads a number. One with a type of its own is tried at once; for others
// the parameter's is needed.
func (a *Arg) value(o object) {
	sound := o.r.Watch()
	a.Value, a.Type = o.number("value"), o.dtype("type", NoType)
	if a.Type == NoType || !sound() {
		return
	}
	if _, err := a.Value.Bits(a.Type); err != nil {
		o.Fail("value", "%w", err)
	}
}

func (r *reader) structArg(a *Arg, o object, module *Module) {
	a.Bytes = o.Integer("bytes", 1, MaxParamBytes, -1)
	if o.Has("hex") {
		a.Data = o.hexBytes()
	}
	for i, n := range o.Elements("fields") {
		f := Field{Arg: Arg{Path: strictjson.ElementPath(o.At("fields"), i)}}
		fo, ok := r.object(n, f.Path, fieldKeys...)
		if !ok || fo.Need("at") == nil {
			continue
		}
		sound := r.Watch()
		f.At = fo.Integer("at", 0, MaxParamBytes-1, 0)
		r.arg(&f.Arg, fo, module)
		if sound() && f.Kind == ArgValue && f.Type == NoType {
			fo.Fail("value", "needs a type: a field has none of its own")
		}
		a.Fields = append(a.Fields, f)
	}
}

// hexBytes reads the bytes at the key "hex", in memory order.
func (o object) hexBytes() []byte {
	n := o.Get("hex")
	if !o.r.Expect(n, o.At("hex"), strictjson.String) {
		return nil
	}
	if len(n.Text) > 2*MaxParamBytes {
		o.Fail("hex", "more than %d bytes", MaxParamBytes)
		return nil
	}
	data, err := hex.DecodeString(n.Text)
	if err != nil {
		o.Fail("hex", "%s is not an even number of hexadecimal digits", strictjson.Quoted(n.Text))
	}
	return data
}

// texture returns the entry of "textures" that a key names. It describes
// surfaces and samplers too.
func (o object) texture(key string) string {
	name := o.name(key)
	if name != "" && !slices.ContainsFunc(o.r.m.Textures, func(t *Texture) bool { return t.Name == name }) {
		o.Fail(key, "there is no texture %s", strictjson.Quoted(name))
	}
	return name
}
