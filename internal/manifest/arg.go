package manifest

import (
	"encoding/hex"
	"slices"

	"hyptx/internal/strictjson"
)

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
	At int64
	Arg
}

var argKeys = []string{"value", "type", "hex", "null", "buffer", "offset", "symbol", "function",
	"texture", "surface", "sampler", "tensorMap", "bytes", "fields"}

// companions lists the keys that may stand beside the one that tells what an
// argument is.
var companions = map[string][]string{"value": {"type"}, "buffer": {"offset"}, "struct": {"bytes", "fields", "hex"}}

// arg reads an argument; module is the launch's, nil after an error in it.
func (r *reader) arg(a *Arg, n *strictjson.Node, module *Module) bool {
	o, ok := r.object(n, a.Path, argKeys...)
	return ok && r.argOf(a, o, module)
}

func (r *reader) argOf(a *Arg, o object, module *Module) bool {
	key := "struct"
	if !o.Has("fields") && !o.Has("bytes") {
		var ok bool
		if key, ok = o.One("value", "hex", "null", "buffer", "symbol", "function", "texture", "surface", "sampler", "tensorMap"); !ok {
			return false
		}
	}
	for _, k := range o.Keys {
		if k != key && k != "at" && !slices.Contains(companions[key], k) && slices.Contains(argKeys, k) {
			o.Fail(k, "does not go with %q", key)
			return false
		}
	}
	switch key {
	case "struct":
		return r.structArg(a, o, module)
	case "value":
		return r.valueArg(a, o)
	case "hex":
		a.Kind = ArgHex
		return o.hexBytes(a)
	case "null":
		a.Kind = ArgNull
		if !r.Expect(o.Get("null"), o.At("null"), strictjson.Bool) || !o.Flag("null") {
			o.Fail("null", "must be true")
			return false
		}
		return true
	case "buffer":
		a.Kind = ArgBuffer
		offset, ok := o.offset()
		a.Pointer = Pointer{o.bufferAt("buffer"), offset}
		return ok && a.Pointer.Buffer != nil && o.r.checkRange(o.Path, a.Pointer.Buffer, offset, 0)
	}
	return r.namedArg(a, o, key, module)
}

func (r *reader) valueArg(a *Arg, o object) bool {
	var ok, ok2 bool
	a.Kind = ArgValue
	a.Value, ok = o.number("value")
	a.Type, ok2 = o.dtype("type", NoType)
	if !ok || !ok2 {
		return false
	}
	if a.Type != NoType {
		if _, err := a.Value.Bits(a.Type); err != nil {
			o.Fail("value", "%w", err)
			return false
		}
	}
	return true
}

// namedArg reads an argument that names something else.
func (r *reader) namedArg(a *Arg, o object, key string, module *Module) bool {
	var ok bool
	switch key {
	case "symbol":
		a.Kind = ArgSymbol
		a.Symbol, ok = o.symbolAt("symbol", module)
		return ok
	case "function":
		a.Kind = ArgFunction
		a.Name, ok = o.name("function")
		return ok
	case "tensorMap":
		a.Kind = ArgTensorMap
		if a.Name, ok = o.name("tensorMap"); !ok {
			return false
		}
		if !slices.ContainsFunc(r.m.TensorMaps, func(t *TensorMap) bool { return t.Name == a.Name }) {
			o.Fail("tensorMap", "there is no tensor map %s", strictjson.Quoted(a.Name))
			return false
		}
		return true
	case "texture":
		a.Kind = ArgTexture
	case "surface":
		a.Kind = ArgSurface
	case "sampler":
		a.Kind = ArgSampler
	}
	a.Name = o.texture(key)
	return a.Name != ""
}

func (r *reader) structArg(a *Arg, o object, module *Module) bool {
	a.Kind = ArgStruct
	var ok bool
	if a.Bytes, ok = o.Integer("bytes", 1, MaxParamBytes, -1); !ok {
		return false
	}
	if o.Has("hex") && !o.hexBytes(a) {
		return false
	}
	for i, n := range o.Elements("fields") {
		f := Field{Arg: Arg{Path: strictjson.ElementPath(o.At("fields"), i)}}
		fo, good := r.object(n, f.Path, slices.Concat([]string{"at"}, argKeys)...)
		if !good || fo.Need("at") == nil {
			ok = false
			continue
		}
		var at bool
		f.At, at = fo.Integer("at", 0, MaxParamBytes-1, 0)
		if !r.argOf(&f.Arg, fo, module) || !at {
			ok = false
			continue
		}
		if f.Kind == ArgValue && f.Type == NoType {
			fo.Fail("value", "needs a type: a field has none of its own")
			ok = false
		}
		a.Fields = append(a.Fields, f)
	}
	return ok
}

// hexBytes reads the bytes at the key "hex".
func (o object) hexBytes(a *Arg) bool {
	n := o.Get("hex")
	if !o.r.Expect(n, o.At("hex"), strictjson.String) {
		return false
	}
	if len(n.Text) > 2*MaxParamBytes {
		o.Fail("hex", "more than %d bytes", MaxParamBytes)
		return false
	}
	data, err := hex.DecodeString(n.Text)
	if err != nil {
		o.Fail("hex", "%s is not an even number of hexadecimal digits", strictjson.Quoted(n.Text))
		return false
	}
	a.Data = data
	return true
}

// texture returns the entry of "textures" that a key names. It describes
// surfaces and samplers too.
func (o object) texture(key string) string {
	name, ok := o.name(key)
	if !ok {
		return ""
	}
	if !slices.ContainsFunc(o.r.m.Textures, func(t *Texture) bool { return t.Name == name }) {
		o.Fail(key, "there is no texture %s", strictjson.Quoted(name))
		return ""
	}
	return name
}
