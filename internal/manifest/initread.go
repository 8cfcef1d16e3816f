package manifest

import (
	"math"
	"math/big"
	"slices"

	"hyptx/internal/strictjson"
)

var initKeys = []string{"fill", "iota", "uniform", "normal", "values", "file", "pointers"}

// init reads a description of contents, nil after an error.
func (r *reader) init(n *strictjson.Node, path string) *Init {
	if n.Kind == strictjson.String {
		if n.Text != "zero" {
			r.Fail(path, `%s is no way to initialise; the only word is "zero"`, strictjson.Quoted(n.Text))
			return nil
		}
		return &Init{Path: path, Kind: InitZero}
	}
	o, ok := r.object(n, path, slices.Concat(initKeys, []string{"offset", "bytes", "tensor", "key"})...)
	if !ok {
		return nil
	}
	key, ok := o.One(initKeys...)
	if !ok || key != "file" && !o.Alone(key) {
		return nil
	}
	in := &Init{Path: path}
	switch key {
	case "fill":
		in.Kind = InitFill
		in.A, ok = o.number("fill")
	case "iota":
		ok = in.readIota(o)
	case "uniform":
		in.Kind = InitUniform
		ok = in.readRandom(o, key, "low", "high")
	case "normal":
		in.Kind = InitNormal
		ok = in.readRandom(o, key, "mean", "stddev")
	case "values":
		ok = in.readValues(o)
	case "file":
		ok = in.readFile(o)
	case "pointers":
		ok = in.readPointers(o)
	}
	if !ok {
		return nil
	}
	return in
}

func (in *Init) readIota(o object) bool {
	in.Kind, in.A, in.B = InitIota, Int(0), Int(1)
	d, ok := o.r.object(o.Get("iota"), o.At("iota"), "start", "step")
	if !ok {
		return false
	}
	if d.Has("start") {
		in.A, ok = d.number("start")
	}
	if d.Has("step") {
		var ok2 bool
		in.B, ok2 = d.number("step")
		ok = ok && ok2
	}
	return ok
}

func (in *Init) readRandom(o object, key, a, b string) bool {
	d, ok := o.r.object(o.Get(key), o.At(key), "seed", a, b)
	if !ok {
		return false
	}
	seed, ok0 := d.number("seed")
	var ok1, ok2 bool
	in.A, ok1 = d.number(a)
	in.B, ok2 = d.number(b)
	if !ok0 || !ok1 || !ok2 {
		return false
	}
	v, whole := seed.integer()
	if !whole || v.Sign() < 0 || v.Cmp(new(big.Int).SetUint64(math.MaxUint64)) > 0 {
		d.Fail("seed", "%s must be a whole number between 0 and 2^64-1", seed)
		return false
	}
	in.Seed = v.Uint64()
	return true
}

func (in *Init) readValues(o object) bool {
	in.Kind = InitValues
	n := o.Get("values")
	if !o.r.Expect(n, o.At("values"), strictjson.Array) {
		return false
	}
	in.Values = make([]Number, len(n.List))
	ok := true
	for i, e := range n.List {
		if o.r.Full() {
			return false
		}
		// The path is built only if it is needed: there may be a million.
		if e.Kind == strictjson.Number || e.Kind == strictjson.String {
			if num, err := ParseNumber(e.Text); err == nil {
				in.Values[i] = num
				continue
			}
		}
		o.r.number(e, strictjson.ElementPath(o.At("values"), i))
		ok = false
	}
	return ok
}

func (in *Init) readFile(o object) bool {
	in.Kind = InitFile
	name, ok := o.name("file")
	if !ok {
		return false
	}
	in.File = FileInit{Name: name, Tensor: o.String("tensor"), Key: o.String("key")}
	allowed := map[string]string{".npy": "", ".npz": "key", ".safetensors": "tensor"}
	needs, known := allowed[extension(name)]
	for _, k := range o.Keys {
		raw := k == "offset" || k == "bytes"
		if k != "file" && (known && k != needs || !known && !raw) {
			o.Fail(k, "does not go with the file %s", strictjson.Quoted(name))
			ok = false
		}
	}
	if needs != "" && o.Need(needs) == nil {
		ok = false
	}
	var ok1, ok2 bool
	in.File.Offset, ok1 = o.Integer("offset", 0, math.MaxInt64, -1)
	in.File.Bytes, ok2 = o.Integer("bytes", 0, math.MaxInt64, -1)
	if !ok || !ok1 || !ok2 {
		return false
	}
	x, err := o.r.files.open(in.File)
	if err != nil {
		o.Fail("file", "%w", err)
		return false
	}
	in.tensor = x
	return true
}

func (in *Init) readPointers(o object) bool {
	in.Kind = InitPointers
	n := o.Get("pointers")
	if !o.r.Expect(n, o.At("pointers"), strictjson.Array) {
		return false
	}
	in.Pointers = make([]Pointer, len(n.List))
	ok := true
	for i, e := range n.List {
		if o.r.Full() {
			return false
		}
		if e.Kind == strictjson.Null {
			continue
		}
		p, good := o.r.pointer(e, strictjson.ElementPath(o.At("pointers"), i))
		in.Pointers[i] = p
		ok = ok && good
	}
	return ok
}

// pointer reads {"buffer", "offset"}. The offset is not checked: the buffer's
// size may not be known yet.
func (r *reader) pointer(n *strictjson.Node, path string) (Pointer, bool) {
	o, ok := r.object(n, path, "buffer", "offset")
	if !ok {
		return Pointer{}, false
	}
	b := o.bufferAt("buffer")
	offset, ok := o.offset()
	return Pointer{b, offset}, ok && b != nil
}

// checkPointers checks the offsets of pointers once all sizes are known.
func (r *reader) checkPointers(in *Init) {
	if in == nil {
		return
	}
	for i, p := range in.Pointers {
		if p.Buffer.placed() && p.Offset > p.Buffer.Bytes {
			path := strictjson.ElementPath(strictjson.KeyPath(in.Path, "pointers"), i)
			r.Fail(path, "offset %d lies outside the %d bytes of buffer %s", p.Offset, p.Buffer.Bytes, strictjson.Quoted(p.Buffer.Name))
		}
	}
}
