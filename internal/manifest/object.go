package manifest

import (
	"slices"
	"strconv"
	"strings"
)

// reader turns the tree of a manifest into a Manifest.
type reader struct {
	errorList
	m       *Manifest
	data    []byte
	files   *fileCache
	buffers map[string]*Buffer
	modules map[string]*Module
}

// object is a JSON object whose keys are all known.
type object struct {
	r    *reader
	n    *node
	path string
}

// expect reports whether n is of a kind; if not, that is an error.
func (r *reader) expect(n *node, path string, kind nodeKind) bool {
	if n.kind != kind {
		r.fail(path, "must be %s, not %s", kind, n.kind)
		return false
	}
	return true
}

// object checks that n is an object with no keys but those known. Unknown ones
// are errors, but the object can be read all the same.
func (r *reader) object(n *node, path string, known ...string) (object, bool) {
	o := object{r, n, path}
	if !r.expect(n, path, objectNode) {
		return o, false
	}
	for _, k := range n.keys {
		if !slices.Contains(known, k) {
			r.fail(path, "unknown key %s; known here: %s", quoted(k), strings.Join(known, ", "))
		}
	}
	return o, true
}

// get returns the value of a key, nil if it is absent.
func (o object) get(key string) *node {
	if i := slices.Index(o.n.keys, key); i >= 0 {
		return o.n.list[i]
	}
	return nil
}

func (o object) has(key string) bool          { return o.get(key) != nil }
func (o object) at(key string) string         { return keyPath(o.path, key) }
func (o object) missing(key string)           { o.r.fail(o.path, "lacks the key %q", key) }
func (o object) fail(key, f string, a ...any) { o.r.fail(o.at(key), f, a...) }

// need returns the value of a key that must be there.
func (o object) need(key string) *node {
	n := o.get(key)
	if n == nil {
		o.missing(key)
	}
	return n
}

// one returns which of the keys is there. None or several are an error.
func (o object) one(keys ...string) (string, bool) {
	var found []string
	for _, k := range keys {
		if o.has(k) {
			found = append(found, k)
		}
	}
	switch len(found) {
	case 1:
		return found[0], true
	case 0:
		o.r.fail(o.path, "needs one of the keys %s", strings.Join(keys, ", "))
	default:
		o.r.fail(o.path, "the keys %s exclude each other", strings.Join(found, " and "))
	}
	return "", false
}

// name returns the string at a key that must be there and not empty.
func (o object) name(key string) (string, bool) {
	n := o.need(key)
	if n == nil {
		return "", false
	}
	return o.r.name(n, o.at(key))
}

func (r *reader) name(n *node, path string) (string, bool) {
	if !r.expect(n, path, stringNode) {
		return "", false
	}
	return n.text, r.checkName(n.text, path)
}

func (r *reader) checkName(s, path string) bool {
	switch {
	case s == "":
		r.fail(path, "must not be empty")
	case len(s) > MaxNameBytes:
		r.fail(path, "longer than %d bytes", MaxNameBytes)
	case strings.ContainsRune(s, 0):
		r.fail(path, "must not hold a NUL character")
	default:
		return true
	}
	return false
}

// text returns the string at a key, "" if it is absent.
func (o object) text(key string) string {
	n := o.get(key)
	if n == nil || !o.r.expect(n, o.at(key), stringNode) {
		return ""
	}
	return n.text
}

// choice returns the string at a key, which must be one of the words; the
// first one if it is absent.
func (o object) choice(key string, words ...string) string {
	n := o.get(key)
	if n == nil {
		return words[0]
	}
	return o.r.word(n, o.at(key), words...)
}

// flag returns the boolean at a key, false if it is absent.
func (o object) flag(key string) bool {
	n := o.get(key)
	return n != nil && o.r.expect(n, o.at(key), boolNode) && n.text == "true"
}

// integer returns the whole number at a key, which must lie in [low, high];
// missing if it is absent. ok is false after an error.
func (o object) integer(key string, low, high, missing int64) (v int64, ok bool) {
	n := o.get(key)
	if n == nil {
		return missing, true
	}
	return o.r.integer(n, o.at(key), low, high)
}

func (r *reader) integer(n *node, path string, low, high int64) (int64, bool) {
	if !r.expect(n, path, numberNode) {
		return 0, false
	}
	v, err := strconv.ParseInt(n.text, 10, 64)
	if err == nil && v != low && low == high {
		r.fail(path, "%s must be %d", clip(n.text), low)
		return 0, false
	}
	if err != nil || v < low || v > high {
		r.fail(path, "%s must be a whole number between %d and %d", clip(n.text), low, high)
		return 0, false
	}
	return v, true
}

// clip shortens a number for a message.
func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "..."
	}
	return s
}

// list returns the elements at a key, none if it is absent.
func (o object) list(key string) []*node {
	n := o.get(key)
	if n == nil || !o.r.expect(n, o.at(key), listNode) {
		return nil
	}
	return n.list
}

// dtype returns the type at a key; missing if it is absent.
func (o object) dtype(key string, missing Type) (Type, bool) {
	n := o.get(key)
	if n == nil {
		return missing, true
	}
	if !o.r.expect(n, o.at(key), stringNode) {
		return missing, false
	}
	t, ok := ParseType(n.text)
	if !ok {
		o.fail(key, "%s is no type; the types are %s", quoted(n.text), typeList)
	}
	return t, ok
}

// number returns the number at a key, which must be there.
func (o object) number(key string) (Number, bool) {
	n := o.need(key)
	if n == nil {
		return Number{}, false
	}
	return o.r.number(n, o.at(key))
}

func (r *reader) number(n *node, path string) (Number, bool) {
	if n.kind != numberNode && n.kind != stringNode {
		r.fail(path, "must be a number, or a string that holds one, not %s", n.kind)
		return Number{}, false
	}
	num, err := ParseNumber(n.text)
	if err != nil {
		r.fail(path, "%w", err)
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
		o.fail(key, "there is no buffer %s", quoted(name))
	}
	return b
}
