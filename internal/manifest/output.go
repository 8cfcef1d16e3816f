package manifest

import (
	"math"
	"strings"

	"hyptx/internal/strictjson"
)

// Output is a range of memory that is written out at the end of a run.
type Output struct {
	Path string
	// Name names the output's file.
	Name string
	// Buffer is nil if Symbol is meant.
	Buffer *Buffer
	Symbol SymbolRef
	// Offset and Bytes of the range; Bytes is -1 for a symbol of which all is
	// meant. Type is NoType for the symbol's own.
	Offset, Bytes int64
	Type          Type
}

func (r *reader) outputs(o object) {
	names := map[string]bool{}
	for i, n := range o.Elements("outputs") {
		path := strictjson.ElementPath("outputs", i)
		out := r.output(n, path)
		if out == nil || !r.fileName(out.Name, path) {
			continue
		}
		if names[out.Name] {
			r.Fail(path, "there are two outputs %s; give them names", strictjson.Quoted(out.Name))
		}
		names[out.Name] = true
		r.m.Outputs = append(r.m.Outputs, out)
	}
}

// fileName checks that a name is one in every file system: outputs become
// files.
func (r *reader) fileName(name, path string) bool {
	if strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, ".") {
		r.Fail(path, "%s cannot name a file; give the output another \"name\"", strictjson.Quoted(name))
		return false
	}
	return r.checkName(name, path)
}

func (r *reader) output(n *strictjson.Node, path string) *Output {
	if n.Kind == strictjson.String {
		b := r.buffers[n.Text]
		if b == nil {
			r.Fail(path, "there is no buffer %s", strictjson.Quoted(n.Text))
			return nil
		}
		return &Output{Path: path, Name: b.Name, Buffer: b, Bytes: b.Bytes, Type: b.Type}
	}
	o, ok := r.object(n, path, "name", "buffer", "symbol", "offset", "bytes", "type")
	if !ok {
		return nil
	}
	key, ok := o.One("buffer", "symbol")
	if !ok {
		return nil
	}
	out := &Output{Path: path}
	var ok1, ok2, ok3 bool
	out.Offset, ok1 = o.offset()
	out.Bytes, ok2 = o.Integer("bytes", 1, math.MaxInt64, -1)
	out.Type, ok3 = o.dtype("type", NoType)
	if !ok1 || !ok2 || !ok3 {
		return nil
	}
	if key == "symbol" {
		if out.Symbol, ok = o.symbolAt("symbol", nil); !ok {
			return nil
		}
		out.Name = out.Symbol.Name
	} else if !o.bufferRange(out) {
		return nil
	}
	if o.Has("name") {
		out.Name, ok = o.name("name")
	}
	if !ok || !o.wholeElements(out) {
		return nil
	}
	return out
}

// bufferRange fills in what an output of a buffer leaves out.
func (o object) bufferRange(out *Output) bool {
	b := o.bufferAt("buffer")
	if b == nil {
		return false
	}
	out.Buffer, out.Name = b, b.Name
	if out.Type == NoType {
		out.Type = b.Type
	}
	if !o.r.checkRange(o.Path, b, out.Offset, max(out.Bytes, 1)) {
		return false
	}
	if out.Bytes < 0 {
		out.Bytes = b.Bytes - out.Offset
	}
	return true
}

func (o object) wholeElements(out *Output) bool {
	if out.Type != NoType && out.Bytes >= 0 && out.Bytes%int64(out.Type.Size()) != 0 {
		o.r.Fail(o.Path, "%d bytes are no whole number of %s", out.Bytes, out.Type)
		return false
	}
	return true
}
