package manifest

import (
	"encoding/json"
	"io"
	"strconv"
)

// Encode writes the manifest as JSON, keys in the order of the format's
// description, one line for each buffer and step. Reading it gives the same
// manifest. In place of what was assumed stands a string that asks for it, and
// that [Parse] refuses.
func (m *Manifest) Encode(w io.Writer) error {
	o := members{{"version", 1}}
	o.addIf(m.Name != "", "name", m.Name)
	var modules, buffers, textures, maps members
	for _, mod := range m.Modules {
		if mod.Named {
			modules.add(mod.Name, members{{"files", toList(mod.names, func(s string) any { return s })}})
		}
	}
	for _, b := range m.Buffers {
		buffers.add(b.Name, b.encode())
	}
	for _, t := range m.Textures {
		textures.add(t.Name, t.raw)
	}
	for _, t := range m.TensorMaps {
		maps.add(t.Name, t.raw)
	}
	var symbols, outputs []any
	for _, s := range m.Symbols {
		symbols = append(symbols, s.encode())
	}
	for _, out := range m.Outputs {
		outputs = append(outputs, out.encode())
	}
	o.addIf(modules != nil, "modules", modules)
	o.addIf(buffers != nil, "buffers", buffers)
	o.addIf(symbols != nil, "symbols", symbols)
	o.addIf(textures != nil, "textures", textures)
	o.addIf(maps != nil, "tensorMaps", maps)
	var limits members
	limits.addIf(m.Limits.StackBytes != 0, "stackBytes", m.Limits.StackBytes)
	limits.addIf(m.Limits.HeapBytes != 0, "heapBytes", m.Limits.HeapBytes)
	limits.addIf(m.Limits.PrintfBytes != 0, "printfBytes", m.Limits.PrintfBytes)
	o.addIf(limits != nil, "limits", limits)
	o.addIf(m.Device.SMs != 0, "device", members{{"sms", m.Device.SMs}})
	o.add("launches", encodeSteps(m.Steps))
	o.addIf(outputs != nil, "outputs", outputs)
	o.addIf(m.Meta != nil, "meta", m.Meta)
	text, err := appendJSON(nil, o, 2, "\n")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// member is a key of a JSON object and its value: members, []any, a scalar, Number or json.RawMessage.
type member struct {
	key   string
	value any
}

// members is a JSON object whose keys have an order.
type members []member

func (o *members) add(key string, value any) { *o = append(*o, member{key, value}) }

func (o *members) addIf(wanted bool, key string, value any) {
	if wanted {
		o.add(key, value)
	}
}

func (b *Buffer) encode() members {
	o := members{{"bytes", b.Bytes}}
	if b.Elastic {
		o[0].value = toFillIn("the size; init, too, if the contents matter")
	}
	// Where a file has a type of its own, none is not b8.
	o.addIf(b.Type != B8 || b.Init != nil && b.Init.Kind == InitFile, "type", b.Type.String())
	o.addIf(b.Align > BufferAlign, "align", b.Align)
	if b.Init != nil {
		o.add("init", b.Init.encode())
	}
	return o
}

func (in *Init) encode() any {
	switch in.Kind {
	case InitZero:
		return "zero"
	case InitFill:
		return members{{"fill", in.A}}
	case InitIota:
		return members{{"iota", members{{"start", in.A}, {"step", in.B}}}}
	case InitUniform:
		return members{{"uniform", members{{"seed", Number{strconv.FormatUint(in.Seed, 10)}}, {"low", in.A}, {"high", in.B}}}}
	case InitNormal:
		return members{{"normal", members{{"seed", Number{strconv.FormatUint(in.Seed, 10)}}, {"mean", in.A}, {"stddev", in.B}}}}
	case InitValues:
		return members{{"values", toList(in.Values, func(n Number) any { return n })}}
	case InitPointers:
		return members{{"pointers", toList(in.Pointers, Pointer.encode)}}
	}
	f := in.File
	o := members{{"file", f.Name}}
	o.addIf(f.Offset >= 0, "offset", f.Offset)
	o.addIf(f.Bytes >= 0, "bytes", f.Bytes)
	o.addIf(f.Tensor != "", "tensor", f.Tensor)
	o.addIf(f.Key != "", "key", f.Key)
	return o
}

func toList[T any](list []T, encode func(T) any) []any {
	out := make([]any, len(list))
	for i, x := range list {
		out[i] = encode(x)
	}
	return out
}

func (p Pointer) encode() any {
	if p.Buffer == nil {
		return nil
	}
	o := members{{"buffer", p.Buffer.Name}}
	o.addIf(p.Offset != 0, "offset", p.Offset)
	return o
}

func (s *Symbol) encode() members {
	o := s.SymbolRef.encode()
	if s.Init != nil {
		o.add("init", s.Init.encode())
	} else {
		o.add(s.Bind, s.Target)
	}
	return o
}

func (s SymbolRef) encode() members {
	o := members{{"module", s.Module.Name}, {"name", s.Name}}
	o.addIf(s.Offset != 0, "offset", s.Offset)
	return o
}

func (out *Output) encode() any {
	o := members{{"name", out.Name}}
	if out.Buffer != nil {
		o.add("buffer", out.Buffer.Name)
	} else {
		o.add("symbol", out.Symbol.encode())
	}
	o.addIf(out.Offset != 0, "offset", out.Offset)
	o.addIf(out.Bytes >= 0, "bytes", out.Bytes)
	o.addIf(out.Type != NoType, "type", out.Type.String())
	return o
}

// appendJSON appends a value. Objects and lists of the outer levels take a
// line for each member.
func appendJSON(b []byte, v any, levels int, indent string) ([]byte, error) {
	switch v := v.(type) {
	case members:
		return appendList(b, '{', '}', len(v), levels, indent, func(b []byte, i int, in string) ([]byte, error) {
			b = append(appendString(b, v[i].key), ": "...)
			return appendJSON(b, v[i].value, levels-1, in)
		})
	case []any:
		return appendList(b, '[', ']', len(v), levels, indent, func(b []byte, i int, in string) ([]byte, error) {
			return appendJSON(b, v[i], levels-1, in)
		})
	case Number:
		if json.Valid([]byte(v.text)) {
			return append(b, v.text...), nil
		}
		return appendString(b, v.text), nil
	case string:
		return appendString(b, v), nil
	case json.RawMessage: // as it was written
		return append(b, v...), nil
	}
	text, err := json.Marshal(v)
	return append(b, text...), err
}

func appendList(b []byte, open, end byte, n, levels int, indent string, element func([]byte, int, string) ([]byte, error)) ([]byte, error) {
	b = append(b, open)
	inner := indent + "  "
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		switch {
		case levels > 0:
			b = append(b, inner...)
		case i > 0:
			b = append(b, ' ')
		}
		var err error
		if b, err = element(b, i, inner); err != nil {
			return b, err
		}
	}
	if levels > 0 && n > 0 {
		b = append(b, indent...)
	}
	return append(b, end), nil
}
