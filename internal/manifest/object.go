package manifest

import (
	"math"
	"strings"

	"hyptx/internal/strictjson"
)

// reader turns the tree of a manifest into a Manifest.
//
// It goes on after an error as far as it makes sense: who writes a manifest by
// hand wants to see all that is wrong with it, not one slip a run. So its methods
// return what they could read, zeros for the rest, and the error goes to the
// list. That is safe because nobody sees the Manifest of a list with errors; only
// where a zero would cause an error of its own ("0 bytes for buffer b"), or a nil
// be looked into, is the list watched ([strictjson.List.Watch]).
type reader struct {
	strictjson.List
	m    *Manifest
	data []byte // the file, for what is carried along as it was written
	// What was read already, by name. Things are named before they are used, but
	// for buffers, whose names are taken before any of them is read.
	files   *fileCache
	buffers map[string]*Buffer
	modules map[string]*Module
}

// object is a JSON object of a manifest: what stands in it may be a type, a
// number of any type or a buffer's name.
type object struct {
	strictjson.Object
	r *reader
}

func (r *reader) object(n *strictjson.Node, path string, known ...string) (object, bool) {
	o, ok := strictjson.NewObject(&r.List, n, path, known...)
	return object{o, r}, ok
}

// entry is a thing that has a name: a key of "buffers", "modules", "textures" or
// "tensorMaps", and its description.
type entry struct {
	name, path string
	node       *strictjson.Node
}

// entries returns the things of an object whose keys are names.
func (o object) entries(key string) []entry {
	n := o.Get(key)
	if n == nil || !o.r.Expect(n, key, strictjson.Map) {
		return nil
	}
	list := make([]entry, len(n.Keys))
	for i, name := range n.Keys {
		list[i] = entry{name, strictjson.KeyPath(key, name), n.List[i]}
		o.r.checkName(name, list[i].path)
	}
	return list
}

// name returns the string at a key that must be there and not empty.
func (o object) name(key string) string {
	n := o.Need(key)
	if n == nil {
		return ""
	}
	return o.r.name(n, o.At(key))
}

func (r *reader) name(n *strictjson.Node, path string) string {
	if !r.Expect(n, path, strictjson.String) {
		return ""
	}
	r.checkName(n.Text, path)
	return n.Text
}

// checkName checks a name: it will stand in messages and columns, and that of an
// output or a file goes to the operating system, which ends it at a NUL.
func (r *reader) checkName(s, path string) {
	switch {
	case s == "":
		r.Fail(path, "must not be empty")
	case len(s) > MaxNameBytes:
		r.Fail(path, "longer than %d bytes", MaxNameBytes)
	case strings.ContainsRune(s, 0):
		r.Fail(path, "must not hold a NUL character")
	}
}

// dtype returns the type at a key; missing if it is absent.
func (o object) dtype(key string, missing Type) Type {
	n := o.Get(key)
	if n == nil || !o.r.Expect(n, o.At(key), strictjson.String) {
		return missing
	}
	t, ok := ParseType(n.Text)
	if !ok {
		o.Fail(key, "%s is no type; the types are %s", strictjson.Quoted(n.Text), typeList)
	}
	return t
}

// number returns the number at a key, which must be there.
func (o object) number(key string) Number {
	n := o.Need(key)
	if n == nil {
		return Number{}
	}
	return o.r.number(n, o.At(key))
}

func (r *reader) number(n *strictjson.Node, path string) Number {
	if n.Kind != strictjson.Number && n.Kind != strictjson.String {
		r.Fail(path, "must be a number, or a string that holds one, not %s", n.Kind)
		return Number{}
	}
	num, err := ParseNumber(n.Text)
	if err != nil {
		r.Fail(path, "%w", err)
	}
	return num
}

// buffer returns the buffer that the key "buffer" names, nil after an error.
func (o object) buffer() *Buffer {
	sound := o.r.Watch()
	name := o.name("buffer")
	if !sound() {
		return nil
	}
	b := o.r.buffers[name]
	if b == nil {
		o.Fail("buffer", "there is no buffer %s", strictjson.Quoted(name))
	}
	return b
}

// offset returns the offset at the key "offset", 0 if it is absent.
func (o object) offset() int64 { return o.Integer("offset", 0, math.MaxInt64, 0) }
