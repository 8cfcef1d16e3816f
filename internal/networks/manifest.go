package networks

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// The manifest as a text. encoding/json writes the values; the lines around them
// are written here, so that each buffer and each launch is a line and a change of
// the table is a diff that can be read. Buffers are a list, not a map, since their
// order in the file is that of their addresses.

// A manifest is a launch manifest, version 1, as far as the networks need one.
type manifest struct {
	name     string
	buffers  []*buffer // in the order of the file, which is that of their addresses
	launches []launch
	outputs  []string
	meta     meta
}

// meta says what the manifest is.
type meta struct {
	Paper        string `json:"paper"`
	MultiplyAdds int    `json:"multiplyAdds"` // of convolutions and dense layers
	Parameters   int    `json:"parameters"`   // elements that training would learn
}

// A buffer without Init has unspecified contents.
type buffer struct {
	Name  string   `json:"-"` // the key
	Bytes int      `json:"bytes"`
	Type  string   `json:"type"`
	Init  *initial `json:"init,omitempty"`
}

// initial is a buffer's initial contents.
type initial struct {
	Uniform *uniform `json:"uniform,omitempty"`
	Fill    *float64 `json:"fill,omitempty"`
}

// uniform is seeded noise in [Low, High].
type uniform struct {
	Seed uint64  `json:"seed"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// A launch is one launch of a kernel.
type launch struct {
	Label              string `json:"label"`
	Module             string `json:"module"` // relative to the manifest
	Kernel             string `json:"kernel"`
	Grid               []int  `json:"grid"`
	Block              []int  `json:"block"`
	DynamicSharedBytes int    `json:"dynamicSharedBytes,omitempty"`
	Args               []arg  `json:"args"`
}

// An arg is one argument: a buffer with an offset in bytes, a number, or null.
type arg struct {
	Buffer string `json:"buffer,omitempty"`
	Offset int    `json:"offset,omitempty"`
	Value  any    `json:"value,omitempty"` // int or float64
	Type   string `json:"type,omitempty"`  // of the value, where it has a sign
	Null   bool   `json:"null,omitempty"`
}

func ref(buffer string) arg { return arg{Buffer: buffer} }

func num[T int | float64](v T) arg { return arg{Value: v} }

// at returns the argument moved by a number of elements; null stays null.
func (a arg) at(elements int) arg {
	if !a.Null {
		a.Offset += elements * bytesPerElement
	}
	return a
}

// encode prints the manifest, one buffer and one launch a line.
func (m *manifest) encode() ([]byte, error) {
	e := encoder{}
	e.field(`{"version": 1, "name": %s,`+"\n", m.name)
	e.field(` "meta": %s,`+"\n", m.meta)
	e.text.WriteString(` "buffers": {` + "\n")
	for i, b := range m.buffers {
		e.field(`  %s: `, b.Name)
		e.field("%s"+separator(i, len(m.buffers)), b)
	}
	e.text.WriteString(` },` + "\n" + ` "launches": [` + "\n")
	for i, l := range m.launches {
		e.field("  %s"+separator(i, len(m.launches)), l)
	}
	e.text.WriteString(" ],\n")
	e.field(` "outputs": %s}`+"\n", m.outputs)
	return e.text.Bytes(), e.err
}

// separator ends item i of n.
func separator(i, n int) string {
	if i == n-1 {
		return "\n"
	}
	return ",\n"
}

// An encoder writes JSON values into text and keeps the first error.
type encoder struct {
	text bytes.Buffer
	err  error
}

// field writes v as JSON where the format has %s.
func (e *encoder) field(format string, v any) {
	value, err := json.Marshal(v)
	if err != nil && e.err == nil {
		e.err = err
	}
	fmt.Fprintf(&e.text, format, value)
}
