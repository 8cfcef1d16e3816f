package strictjson

import (
	"encoding/json"
	"slices"
	"strings"
)

// Node is a JSON value.
type Node struct {
	Kind Kind
	// Text is a string's contents, a number's digits, true or false.
	Text string
	// Keys of an object, in the order of the file; a key that stands twice is
	// there twice.
	Keys []string
	// List has a list's elements, or the values of the keys.
	List []*Node

	start, end int // bytes of the file
}

// Kind is what a JSON value is.
type Kind uint8

// The kinds of values.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Map
)

var kindNames = [...]string{"null", "true or false", "a number", "a string", "a list", "an object"}

// String returns the kind as messages have it: "a number".
func (k Kind) String() string { return kindNames[k] }

// Get returns the value of a key, nil if it is absent.
func (n *Node) Get(key string) *Node {
	if i := slices.Index(n.Keys, key); i >= 0 {
		return n.List[i]
	}
	return nil
}

// Raw returns the text of the value in the file that it was read from.
func (n *Node) Raw(data []byte) json.RawMessage {
	return json.RawMessage(strings.TrimLeft(string(data[n.start:n.end]), " \t\r\n,:"))
}
