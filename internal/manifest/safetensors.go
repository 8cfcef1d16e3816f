package manifest

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"hyptx/internal/strictjson"
)

// safetensors is the header of a .safetensors file: 8 bytes of length,
// little-endian, that much JSON, then the tensors' data. The JSON has an object a
// tensor, and offsets that count from the end of the header:
//
//	{"__metadata__": {"format": "pt"},
//	 "conv1.weight": {"dtype": "F32", "shape": [64, 3, 7, 7], "data_offsets": [0, 37632]},
//	 "conv1.bias":   {"dtype": "F32", "shape": [64], "data_offsets": [37632, 37888]}}
//
// All three are said of each tensor although two would do; where they contradict
// each other the file is wrong, and nobody can know which of them is right.
type safetensors struct {
	start   int64 // of the data
	tensors map[string]json.RawMessage
}

// safeTypes are the format's types and what they hold.
var safeTypes = map[string]Type{
	"F64": F64, "F32": F32, "F16": F16, "BF16": BF16,
	"I64": S64, "I32": S32, "I16": S16, "I8": S8,
	"U64": U64, "U32": U32, "U16": U16, "U8": U8,
	"BOOL": U8, "F8_E4M3": B8, "F8_E5M2": B8, "F8_E8M0": B8, "C64": B64,
}

func (c *fileCache) openSafetensors(path string, size int64, name string) (*tensor, error) {
	s := c.tensors[path]
	if s == nil {
		var err error
		if s, err = readSafetensors(path, size); err != nil {
			return nil, err
		}
		c.tensors[path] = s
	}
	raw, ok := s.tensors[name]
	if !ok || name == "__metadata__" {
		return nil, fmt.Errorf("holds no tensor %s", strictjson.Quoted(name))
	}
	var d struct {
		DType   string  `json:"dtype"`
		Shape   []int64 `json:"shape"`
		Offsets []int64 `json:"data_offsets"`
	}
	if err := json.Unmarshal(raw, &d); err != nil || len(d.Offsets) != 2 {
		return nil, fmt.Errorf("the header does not describe tensor %s", strictjson.Quoted(name))
	}
	typ, ok := safeTypes[d.DType]
	if !ok {
		return nil, fmt.Errorf("tensor %s has an unknown type; known are %s", strictjson.Quoted(name), strings.Join(slices.Sorted(maps.Keys(safeTypes)), ", "))
	}
	first, end := d.Offsets[0], d.Offsets[1]
	if first < 0 || end < first || end > size-s.start {
		return nil, fmt.Errorf("tensor %s: bytes %d to %d lie outside the file", strictjson.Quoted(name), first, end)
	}
	if n, ok := shapeBytes(d.Shape, typ.Size()); !ok || n != end-first {
		return nil, fmt.Errorf("tensor %s: %d bytes for the shape %v of %s", strictjson.Quoted(name), end-first, d.Shape, d.DType)
	}
	return &tensor{dtype: d.DType, typ: typ, bytes: end - first,
		data: fileSource{pathReader(path), s.start + first, end - first}}, nil
}

func readSafetensors(path string, size int64) (*safetensors, error) {
	r := io.NewSectionReader(pathReader(path), 0, size)
	var length [8]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, errors.New("not a .safetensors file: shorter than 8 bytes")
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n > MaxHeaderBytes || int64(n) > size-8 {
		return nil, fmt.Errorf("a .safetensors header of %d bytes in a file of %d; at most %d", n, size, MaxHeaderBytes)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, err
	}
	s := &safetensors{start: 8 + int64(n)}
	if err := json.Unmarshal(text, &s.tensors); err != nil {
		return nil, errors.New("not a .safetensors file: its header is no JSON object")
	}
	return s, nil
}
