package manifest

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
)

func encodeSteps(steps []Step) []any {
	return toList(steps, func(s Step) any {
		switch {
		case s.Copy != nil:
			return members{{"copy", members{{"from", s.Copy.From.encode()}, {"to", s.Copy.To.encode()}, {"bytes", s.Copy.Bytes}}}}
		case s.Memset != nil:
			return members{{"memset", s.Memset.encode()}}
		case s.Write != nil:
			return members{{"write", s.Write.encode()}}
		case s.Repeat != nil:
			return members{{"repeat", s.Repeat.Times}, {"steps", encodeSteps(s.Repeat.Steps)}}
		}
		return s.Launch.encode()
	})
}

func (s *Memset) encode() members {
	o := members{{"buffer", s.To.Buffer.Name}}
	o.addIf(s.To.Offset != 0, "offset", s.To.Offset)
	o.add("bytes", s.Bytes)
	o.add("value", s.Value)
	o.add("type", s.Type.String())
	return o
}

func (w *Write) encode() members {
	var o members
	if w.Buffer != nil {
		o.add("buffer", w.Buffer.Name)
	} else {
		o.add("symbol", w.Symbol.encode())
	}
	o.add("init", w.Init.encode())
	return o
}

func (l *Launch) encode() members {
	var o members
	o.addIf(l.Label != "", "label", l.Label)
	o.add("module", l.Module.Name)
	o.add("kernel", l.Kernel)
	if o.add("grid", dimList(l.Grid)); l.AssumedGrid {
		o[len(o)-1].value = toFillIn("CTAs in x, y, z, as [1024] or [32, 32]")
	}
	if o.add("block", dimList(l.Block)); l.AssumedBlock {
		o[len(o)-1].value = toFillIn("threads of a CTA in x, y, z, as [256] or [16, 16]")
	}
	o.addIf(l.HasCluster, "cluster", dimList(l.Cluster))
	if l.AssumedShared {
		o.add("dynamicSharedBytes", toFillIn("bytes of dynamic shared memory"))
	} else {
		o.addIf(l.DynamicSharedBytes != 0, "dynamicSharedBytes", l.DynamicSharedBytes)
	}
	o.addIf(l.Count != 1, "count", l.Count)
	o.addIf(l.Cooperative, "cooperative", true)
	o.addIf(l.Stream != "", "stream", l.Stream)
	if !l.ByName {
		o.add("args", toList(l.Args, func(a Arg) any { return a.encode() }))
		return o
	}
	args := members{}
	for _, a := range l.Args {
		args.add(a.Key, a.encode())
	}
	o.add("args", args)
	return o
}

func dimList(d [3]int) []any { return []any{d[0], d[1], d[2]} }

func (a *Arg) encode() members {
	switch a.Kind {
	case ArgValue:
		if a.Assumed {
			return members{{"value", toFillIn("%s", a.Type)}}
		}
		o := members{{"value", a.Value}}
		o.addIf(a.Type != NoType, "type", a.Type.String())
		return o
	case ArgHex:
		return members{{"hex", hex.EncodeToString(a.Data)}}
	case ArgNull:
		return members{{"null", true}}
	case ArgBuffer:
		return a.Pointer.encode().(members)
	case ArgSymbol:
		return members{{"symbol", a.Symbol.encode()}}
	case ArgStruct:
		return a.encodeStruct()
	}
	keys := map[ArgKind]string{ArgFunction: "function", ArgTexture: "texture", ArgSurface: "surface", ArgSampler: "sampler", ArgTensorMap: "tensorMap"}
	return members{{keys[a.Kind], a.Name}}
}

func (a *Arg) encodeStruct() members {
	o := members{}
	o.addIf(a.Bytes >= 0, "bytes", a.Bytes)
	fields := make([]any, 0, len(a.Fields))
	for i := range a.Fields {
		f := &a.Fields[i]
		fields = append(fields, append(members{{"at", f.At}}, f.Arg.encode()...))
	}
	o.addIf(len(fields) > 0 || a.Bytes < 0, "fields", fields)
	o.addIf(a.Data != nil, "hex", hex.EncodeToString(a.Data))
	o.addIf(a.Assumed, "hex", toFillIn("%d bytes in hexadecimal; or \"fields\" instead", a.Bytes))
	return o
}

// appendString appends a string in quotes. Unlike json.Marshal it leaves <, >
// and & alone, which demangled names are full of.
func appendString(b []byte, s string) []byte {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic("BUG: a string is always JSON: " + err.Error())
	}
	return append(b, bytes.TrimRight(buf.Bytes(), "\n")...)
}
