package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"

	"hyptx/internal/strictjson"
)

// Manifest is a program: what its memory holds and what happens to it.
type Manifest struct {
	// File is the manifest as it was named, for messages; "" if it was never a
	// file.
	File string
	Name string
	// Modules in order: the named ones, then files in the order of their first
	// use.
	Modules []*Module
	// Buffers in the order of the file, which is the order of addresses.
	Buffers []*Buffer
	// Symbols are written before the first step.
	Symbols []*Symbol
	// Steps are the launches and what stands between them, in order. See All.
	Steps   []Step
	Outputs []*Output
	Limits  Limits
	Device  Device
	// Meta is carried along, nil if there is none.
	Meta json.RawMessage

	Textures   []*Texture
	TensorMaps []*TensorMap

	// narrow: addresses have 32 bits.
	narrow bool
}

// Limits are the sizes that a host program sets with cudaDeviceSetLimit; 0
// where the manifest leaves them to the emulator.
type Limits struct {
	StackBytes, HeapBytes, PrintfBytes int64
}

// Device is what a kernel can ask of the GPU; 0 where it was left out.
type Device struct {
	SMs int // %nsmid
}

// Parse reads a manifest from memory. file is its name for messages; the files
// that it names are looked for beside it, and looked at. The error is a [strictjson.Errors]
// with all that is wrong.
func Parse(file string, data []byte) (*Manifest, error) { return ParseWithin(file, data, "") }

// ParseWithin is Parse of a manifest that may come from a stranger: all files that it
// names must lie in a folder or below it, wherever links lead; "" for anywhere.
func ParseWithin(file string, data []byte, folder string) (*Manifest, error) {
	r := &reader{
		List: strictjson.List{File: file}, m: &Manifest{File: file}, data: data,
		files: newFileCache(filepath.Dir(file), folder), buffers: map[string]*Buffer{}, modules: map[string]*Module{},
	}
	if n := strictjson.Parse(data, jsonLimits, &r.List); n != nil {
		var blanks []blank
		if bytes.Contains(data, []byte(fillIn)) {
			blanks = unfilled(n, "")
		}
		for _, b := range blanks {
			r.Silent = append(r.Silent, b.path)
		}
		r.manifest(n)
		r.toFill(blanks)
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return r.m, nil
}

// Errorf returns an error about the part of the manifest at a JSON path, for
// callers that find what only they can know.
func (m *Manifest) Errorf(path, format string, args ...any) error {
	return &strictjson.Error{File: m.File, Path: path, Err: fmt.Errorf(format, args...)}
}

var manifestKeys = []string{"version", "name", "modules", "buffers", "symbols", "textures", "tensorMaps", "limits", "device", "launches", "outputs", "meta"}

// manifest reads the whole file. The order matters: what names a thing is read
// after the thing. Modules come before the symbols in them, buffers before
// textures and pointers to them, and outputs last; where a key stands in the file
// does not matter, but for buffers, whose order is that of their addresses.
func (r *reader) manifest(n *strictjson.Node) {
	o, ok := r.object(n, "", manifestKeys...)
	if !ok {
		return
	}
	if o.Need("version") != nil {
		o.Integer("version", 1, 1, 1)
	}
	r.m.Name = o.String("name")
	r.modulesOf(o)
	r.buffersOf(o)
	r.texturesOf(o)
	r.tensorMapsOf(o)
	r.symbolsOf(o)
	r.limits(o)
	if o.Need("launches") != nil {
		r.m.Steps = r.steps(o, "launches")
		r.countSteps()
	}
	r.outputs(o)
	if meta := o.Get("meta"); meta != nil {
		r.m.Meta = meta.Raw(r.data)
	}
}

func (r *reader) limits(o object) {
	if n := o.Get("limits"); n != nil {
		if l, ok := r.object(n, "limits", "stackBytes", "heapBytes", "printfBytes"); ok {
			// A thread has at most 512 KiB of local memory (CUDA C++
			// Programming Guide, technical specifications).
			r.m.Limits = Limits{l.Integer("stackBytes", 0, 512<<10, 0), l.Integer("heapBytes", 0, 1<<40, 0), l.Integer("printfBytes", 0, 1<<40, 0)}
		}
	}
	if n := o.Get("device"); n != nil {
		if d, ok := r.object(n, "device", "sms"); ok {
			r.m.Device.SMs = int(d.Integer("sms", 1, 1<<16, 0))
		}
	}
}
