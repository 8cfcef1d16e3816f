package strictjson

import (
	"slices"
	"strconv"
	"strings"
)

// Object is a JSON object whose keys are all known. Its methods read the value
// of a key, and report to the list of errors what is wrong with it.
type Object struct {
	*Node
	Path string

	errs *List
}

// NewObject checks that n is an object with no keys but those known. Unknown
// ones are errors, but the object can be read all the same.
func NewObject(errs *List, n *Node, path string, known ...string) (Object, bool) {
	o := Object{n, path, errs}
	if !errs.Expect(n, path, Map) {
		return o, false
	}
	for _, k := range n.Keys {
		if !errs.Full() && !slices.Contains(known, k) {
			errs.Fail(path, "unknown key %s; known here: %s", Quoted(k), strings.Join(known, ", "))
		}
	}
	return o, true
}

// Has reports whether a key is there.
func (o Object) Has(key string) bool { return o.Get(key) != nil }

// At is the path of a key's value.
func (o Object) At(key string) string { return KeyPath(o.Path, key) }

// Missing reports that a key is not there.
func (o Object) Missing(key string) { o.errs.Fail(o.Path, "lacks the key %q", key) }

// Fail reports what is wrong with a key's value.
func (o Object) Fail(key, format string, args ...any) { o.errs.Fail(o.At(key), format, args...) }

// Need returns the value of a key that must be there.
func (o Object) Need(key string) *Node {
	n := o.Get(key)
	if n == nil {
		o.Missing(key)
	}
	return n
}

// One returns which of the keys is there. None or several are an error.
func (o Object) One(keys ...string) (string, bool) {
	var found []string
	for _, k := range keys {
		if o.Has(k) {
			found = append(found, k)
		}
	}
	switch len(found) {
	case 1:
		return found[0], true
	case 0:
		o.errs.Fail(o.Path, "needs one of the keys %s", strings.Join(keys, ", "))
	default:
		o.errs.Fail(o.Path, "the keys %s exclude each other", strings.Join(found, " and "))
	}
	return "", false
}

// Alone reports keys beside the only one that may stand.
func (o Object) Alone(key string) bool {
	ok := true
	for _, k := range o.Keys {
		if k != key {
			o.Fail(k, "does not go with %q", key)
			ok = false
		}
	}
	return ok
}

// String returns the string at a key, "" if it is absent.
func (o Object) String(key string) string {
	n := o.Get(key)
	if n == nil || !o.errs.Expect(n, o.At(key), String) {
		return ""
	}
	return n.Text
}

// Choice returns the string at a key, which must be one of the words; the
// first one if it is absent.
func (o Object) Choice(key string, words ...string) string {
	n := o.Get(key)
	if n == nil {
		return words[0]
	}
	return o.errs.Word(n, o.At(key), words...)
}

// Word returns a string that must be one of the words.
func (l *List) Word(n *Node, path string, words ...string) string {
	if !l.Expect(n, path, String) {
		return ""
	}
	if !slices.Contains(words, n.Text) {
		l.Fail(path, "%s is none of %s", Quoted(n.Text), strings.Join(words, ", "))
	}
	return n.Text
}

// Flag returns the boolean at a key, false if it is absent.
func (o Object) Flag(key string) bool {
	n := o.Get(key)
	return n != nil && o.errs.Expect(n, o.At(key), Bool) && n.Text == "true"
}

// Elements returns those of the list at a key, none if it is absent.
func (o Object) Elements(key string) []*Node {
	n := o.Get(key)
	if n == nil || !o.errs.Expect(n, o.At(key), Array) {
		return nil
	}
	return n.List
}

// Integer returns the whole number at a key, which must lie in [low, high];
// missing if it is absent, 0 after an error.
func (o Object) Integer(key string, low, high, missing int64) int64 {
	n := o.Get(key)
	if n == nil {
		return missing
	}
	return o.errs.Integer(n, o.At(key), low, high)
}

// Integer returns a whole number that must lie in [low, high], 0 after an error.
func (l *List) Integer(n *Node, path string, low, high int64) int64 {
	if !l.Expect(n, path, Number) {
		return 0
	}
	v, err := strconv.ParseInt(n.Text, 10, 64)
	switch {
	case err == nil && v >= low && v <= high:
		return v
	case err == nil && low == high:
		l.Fail(path, "%s must be %d", Clip(n.Text), low)
	default:
		l.Fail(path, "%s must be a whole number between %d and %d", Clip(n.Text), low, high)
	}
	return 0
}

// Integers reads a list of count numbers (any count if it is negative), each
// in [low, high]; nil if the key is absent.
func (o Object) Integers(key string, low, high int64, count int) []int64 {
	if !o.Has(key) {
		return nil
	}
	list := o.Elements(key)
	if count >= 0 && len(list) != count {
		o.Fail(key, "must hold %d numbers, not %d", count, len(list))
		return nil
	}
	v := make([]int64, len(list))
	for i, n := range list {
		v[i] = o.errs.Integer(n, ElementPath(o.At(key), i), low, high)
	}
	return v
}
