package manifest

import (
	"math"
	"math/big"
	"slices"

	"hyptx/internal/strictjson"
)

// initKeys are the ways to give contents, in the order of the kinds behind
// [InitZero], which is a word of its own.
var initKeys = []string{"fill", "iota", "uniform", "normal", "values", "file", "pointers"}

// fileKeys may stand beside "file".
var fileKeys = []string{"offset", "bytes", "tensor", "key"}

// init reads a description of contents, nil after an error.
func (r *reader) init(n *strictjson.Node, path string) *Init {
	if n.Kind == strictjson.String {
		if n.Text != "zero" {
			r.Fail(path, `%s is no way to initialise; the only word is "zero"`, strictjson.Quoted(n.Text))
			return nil
		}
		return &Init{Path: path, Kind: InitZero}
	}
	o, ok := r.object(n, path, slices.Concat(initKeys, fileKeys)...)
	if !ok {
		return nil
	}
	sound := r.Watch()
	key, ok := o.One(initKeys...)
	if !ok || key != "file" && !o.Alone(key) {
		return nil
	}
	in := &Init{Path: path, Kind: InitFill + InitKind(slices.Index(initKeys, key))}
	switch in.Kind {
	case InitFill:
		in.A = o.number(key)
	case InitIota:
		in.readIota(o)
	case InitUniform:
		in.readRandom(o, key, "low", "high")
	case InitNormal:
		in.readRandom(o, key, "mean", "stddev")
	case InitValues:
		in.readValues(o)
	case InitFile:
		in.readFile(o)
	case InitPointers:
		in.readPointers(o)
	}
	if !sound() {
		return nil
	}
	return in
}

func (in *Init) readIota(o object) {
	in.A, in.B = Int(0), Int(1)
	d, ok := o.r.object(o.Get("iota"), o.At("iota"), "start", "step")
	if !ok {
		return
	}
	if d.Has("start") {
		in.A = d.number("start")
	}
	if d.Has("step") {
		in.B = d.number("step")
	}
}

// readRandom reads a distribution with its two numbers, a and b. The seed is a
// 64-bit number, which not every program that writes JSON can write as one: it
// may be a string.
func (in *Init) readRandom(o object, key, a, b string) {
	d, ok := o.r.object(o.Get(key), o.At(key), "seed", a, b)
	if !ok {
		return
	}
	sound := o.r.Watch()
	seed := d.number("seed")
	in.A, in.B = d.number(a), d.number(b)
	if !sound() {
		return
	}
	v, whole := seed.integer()
	if !whole || v.Sign() < 0 || v.Cmp(new(big.Int).SetUint64(math.MaxUint64)) > 0 {
		d.Fail("seed", "%s must be a whole number between 0 and 2^64-1", seed)
		return
	}
	in.Seed = v.Uint64()
}

func (in *Init) readValues(o object) {
	list := o.Elements("values")
	in.Values = make([]Number, len(list))
	for i, e := range list {
		if o.r.Full() {
			return
		}
		// The path is built only if it is needed: there may be a million.
		if e.Kind == strictjson.Number || e.Kind == strictjson.String {
			if num, err := ParseNumber(e.Text); err == nil {
				in.Values[i] = num
				continue
			}
		}
		o.r.number(e, strictjson.ElementPath(o.At("values"), i))
	}
}

// readFile reads which file, and what of it: that depends on the file's format,
// which its name tells. The file is looked at now, so that one that is missing or
// too short is an error before anything runs; its data are read when they are
// needed.
func (in *Init) readFile(o object) {
	sound := o.r.Watch()
	name := o.name("file")
	if !sound() {
		return
	}
	in.File = FileInit{Name: name, Tensor: o.String("tensor"), Key: o.String("key"),
		Offset: o.Integer("offset", 0, math.MaxInt64, -1), Bytes: o.Integer("bytes", 0, math.MaxInt64, -1)}
	allowed, known := map[string][]string{".npy": nil, ".npz": {"key"}, ".safetensors": {"tensor"}}[extension(name)]
	if !known {
		allowed = []string{"offset", "bytes"}
	}
	for _, k := range o.Keys {
		if k != "file" && slices.Contains(fileKeys, k) && !slices.Contains(allowed, k) {
			o.Fail(k, "does not go with the file %s", strictjson.Quoted(name))
		}
	}
	if known && allowed != nil {
		o.Need(allowed[0])
	}
	if !sound() {
		return
	}
	var err error
	if in.tensor, err = o.r.files.open(in.File); err != nil {
		o.Fail("file", "%w", err)
	}
}

func (in *Init) readPointers(o object) {
	list := o.Elements("pointers")
	in.Pointers = make([]Pointer, len(list))
	for i, e := range list {
		if o.r.Full() {
			return
		}
		if e.Kind != strictjson.Null {
			in.Pointers[i] = o.r.pointer(e, strictjson.ElementPath(o.At("pointers"), i))
		}
	}
}

// pointer reads {"buffer", "offset"}. The offset is not checked: the buffer's
// size may not be known yet.
func (r *reader) pointer(n *strictjson.Node, path string) Pointer {
	o, ok := r.object(n, path, "buffer", "offset")
	if !ok {
		return Pointer{}
	}
	return Pointer{o.buffer(), o.offset()}
}

// checkPointers checks the offsets of pointers once all sizes are known.
func (r *reader) checkPointers(in *Init) {
	if in == nil {
		return
	}
	for i, p := range in.Pointers {
		if p.Buffer.placed() && p.Offset > p.Buffer.Bytes {
			r.checkRange(strictjson.ElementPath(strictjson.KeyPath(in.Path, "pointers"), i), p, 0)
		}
	}
}
