package features

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Manifest returns the launch manifest of the program: its buffers with their
// contents, one launch, and as outputs the buffers that have expected contents.
// The module is the file beside it. Contents are written as bytes, whatever the type
// of their numbers: JSON has no NaN, and a manifest's reader that rounds would decide
// what a test of rounding sees.
func (s *Sample) Manifest() ([]byte, error) {
	type object = map[string]any
	textures, symbols := object{}, []any{}
	for _, o := range s.objects {
		textures[o.name] = json.RawMessage(o.text)
		symbols = append(symbols, object{"module": s.File(), "name": o.name, o.kind: o.name})
	}
	args, outputs := []any{}, []any{}
	buffers := json.RawMessage("{")
	for i, b := range s.Buffers {
		values := make([]int, b.bytes())
		for k, v := range Encode(b.In) {
			values[k] = int(v)
		}
		text, err := json.Marshal(object{"type": "u8", "init": object{"values": values}})
		if err != nil {
			return nil, err
		}
		if i > 0 {
			buffers = append(buffers, ',')
		}
		buffers = fmt.Appendf(buffers, "%q: %s", b.Name, text)
		args = append(args, object{"buffer": b.Name})
		if b.Out != nil {
			outputs = append(outputs, b.Name)
		}
	}
	maps := object{}
	for _, m := range s.Maps {
		maps[m[0]] = json.RawMessage(m[1])
		args = append(args, object{"tensorMap": m[0]})
	}
	return json.Marshal(object{
		"version": 1, "textures": textures, "symbols": symbols, "tensorMaps": maps, "name": s.Name, "buffers": append(buffers, '}'), "outputs": outputs,
		"launches": []any{object{"module": s.File(), "kernel": s.Name, "grid": s.Grid, "block": s.Block, "args": args}},
	})
}

// Program is the text without its header: what a GPU or the emulator makes of
// it does not depend on what is expected.
func (s *Sample) Program() []byte {
	text := s.Text
	for bytes.HasPrefix(bytes.TrimLeft(text, " \t"), []byte("//")) {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return text
}
