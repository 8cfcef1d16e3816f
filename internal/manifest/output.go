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
		sound, path := r.Watch(), strictjson.ElementPath("outputs", i)
		out := r.output(n, path)
		if sound() {
			r.fileName(out.Name, path)
		}
		if !sound() {
			continue
		}
		if names[out.Name] {
			r.Fail(path, "there are two outputs %s; give them names", strictjson.Quoted(out.Name))
		}
		names[out.Name] = true
		r.m.Outputs = append(r.m.Outputs, out)
	}
}

// fileName checks that a name is one in every file system, and of none but the
// folder that it is put in: outputs become files.
func (r *reader) fileName(name, path string) {
	if strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, ".") {
		r.Fail(path, "%s cannot name a file; give the output another \"name\"", strictjson.Quoted(name))
		return
	}
	r.checkName(name, path)
}

// output reads an output, which is a buffer's name if all of the buffer is meant.
// What it leaves out is the buffer's: name, type, and the bytes from the offset on.
func (r *reader) output(n *strictjson.Node, path string) *Output {
	out := &Output{Path: path}
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
	out.Offset, out.Bytes, out.Type = o.offset(), o.Integer("bytes", 1, math.MaxInt64, -1), o.dtype("type", NoType)
	if key == "symbol" {
		out.Symbol = o.symbolAt("symbol", nil)
		out.Name = out.Symbol.Name
	} else if b := o.buffer(); b != nil {
		out.Buffer, out.Name = b, b.Name
		if out.Type == NoType {
			out.Type = b.Type
		}
		r.checkRange(path, Pointer{b, out.Offset}, max(out.Bytes, 1))
		if out.Bytes < 0 {
			out.Bytes = b.Bytes - out.Offset
		}
	}
	if o.Has("name") {
		out.Name = o.name("name")
	}
	if out.Type != NoType && out.Bytes > 0 && out.Bytes%int64(out.Type.Size()) != 0 {
		r.Fail(path, "%d bytes are no whole number of %s", out.Bytes, out.Type)
	}
	return out
}
