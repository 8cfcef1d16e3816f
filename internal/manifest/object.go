package manifest

import (
	"strings"

	"hyptx/internal/strictjson"
)

// reader turns the tree of a manifest into a Manifest. It goes on after an
// error as far as it makes sense, so that one reading tells all that is wrong.
type reader struct {
	strictjson.List
	m       *Manifest
	data    []byte
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

// name returns the string at a key that must be there and not empty.
func (o object) name(key string) (string, bool) {
	n := o.Need(key)
	if n == nil {
		return "", false
	}
	return o.r.name(n, o.At(key))
}

func (r *reader) name(n *strictjson.Node, path string) (string, bool) {
	if !r.Expect(n, path, strictjson.String) {
		return "", false
	}
	return n.Text, r.checkName(n.Text, path)
}

func (r *reader) checkName(s, path string) bool {
	switch {
	case s == "":
		r.Fail(path, "must not be empty")
	case len(s) > MaxNameBytes:
		r.Fail(path, "longer than %d bytes", MaxNameBytes)
	case strings.ContainsRune(s, 0):
		r.Fail(path, "must not hold a NUL character")
	default:
		return true
	}
	return false
}

// dtype returns the type at a key; missing if it is absent.
func (o object) dtype(key string, missing Type) (Type, bool) {
	n := o.Get(key)
	if n == nil {
		return missing, true
	}
	if !o.r.Expect(n, o.At(key), strictjson.String) {
		return missing, false
	}
	t, ok := ParseType(n.Text)
	if !ok {
		o.Fail(key, "%s is no type; the types are %s", strictjson.Quoted(n.Text), typeList)
	}
	return t, ok
}

// number returns the number at a key, which must be there.
func (o object) number(key string) (Number, bool) {
	n := o.Need(key)
	if n == nil {
		return Number{}, false
	}
	return o.r.number(n, o.At(key))
}

func (r *reader) number(n *strictjson.Node, path string) (Number, bool) {
	if n.Kind != strictjson.Number && n.Kind != strictjson.String {
		r.Fail(path, "must be a number, or a string that holds one, not %s", n.Kind)
		return Number{}, false
	}
	num, err := ParseNumber(n.Text)
	if err != nil {
		r.Fail(path, "%w", err)
		return Number{}, false
	}
	return num, true
}

// bufferAt returns the buffer that the key names.
func (o object) bufferAt(key string) *Buffer {
	name, ok := o.name(key)
	if !ok {
		return nil
	}
	b := o.r.buffers[name]
	if b == nil {
		o.Fail(key, "there is no buffer %s", strictjson.Quoted(name))
	}
	return b
}
