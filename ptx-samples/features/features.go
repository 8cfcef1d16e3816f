// Package features holds small PTX programs, at least one for each row of the
// instruction set that hyptx executes, with what they must compute and where
// that is known from. README.md describes the lines of their headers.
//
// Nothing here runs a program: a test in package analysis does. Start with
// [All], then [Proven], which says of each row which programs prove it.
package features

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"sync"

	"hyptx/ir"
	"hyptx/ir/isa"
	"hyptx/parser"
)

//go:embed *.ptx
var files embed.FS

// Sample is one program with its header.
type Sample struct {
	// Name is the file's name without ".ptx".
	Name string
	Text []byte
	// Forms are the rows that the program proves, in the notation of ir/isa.
	Forms []string
	// Sources say where the expected contents come from; without one the
	// program proves nothing.
	Sources     []string
	Grid, Block [3]int
	// Buffers are the kernel's parameters, in order.
	Buffers []*Buffer
	// objects are the textures, surfaces and samplers that variables of the program stand
	// for.
	objects []object
	// Maps are tensor maps: their names, and what the manifest says of them. They are the
	// parameters behind the buffers.
	Maps [][2]string
	// Fault is part of the error that the run must end with, "" if it must not.
	Fault string
	// Tolerance is how far a floating-point result may be off.
	Tolerance Tolerance
}

// Tolerance is the error that the manual allows an approximation: the larger
// of a relative and an absolute one. Zero means the same bits.
type Tolerance struct{ Relative, Absolute float64 }

// Buffer is a buffer in global memory whose address is a kernel's parameter.
type Buffer struct {
	Name string
	// In are the initial contents (nil: zeros), Out the expected ones (nil: not
	// compared).
	In, Out []Value
}

// object is what a variable of the program stands for: a texture, surface or sampler, as
// manifests describe them.
type object struct {
	kind, name string
	text       []byte
}

// bytes is the buffer's size.
func (b *Buffer) bytes() int { return max(size(b.In), size(b.Out)) }

// File is the name of the program's file.
func (s *Sample) File() string { return s.Name + ".ptx" }

// All reads all programs, by name. They are embedded: hyptx isa names them where there is
// no folder of samples.
func All() ([]*Sample, error) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, err
	}
	var all []*Sample
	for _, e := range entries {
		text, err := files.ReadFile(e.Name())
		if err != nil {
			return nil, err
		}
		s, err := Parse(e.Name(), text)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// Parse reads a program's header.
func Parse(file string, text []byte) (*Sample, error) {
	s := &Sample{Name: file[:len(file)-len(path.Ext(file))], Text: text, Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}}
	if err := s.header(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}

// Proven returns the names of the programs that prove each row, by the row's
// index in isa.Forms(): the header names the row and a source, and an
// instruction of that very row stands in the program. (Several rows may share
// their syntax.)
var Proven = sync.OnceValues(func() (map[int][]string, error) {
	all, err := All()
	if err != nil {
		return nil, err
	}
	proven := make(map[int][]string)
	for _, s := range all {
		rows, err := s.rows()
		if err != nil {
			return nil, err
		}
		for _, f := range rows {
			proven[f.Index] = append(proven[f.Index], s.Name)
		}
	}
	return proven, nil
})

// rows returns the rows that the program proves. It is an error if the header
// names a row of which the program has no instruction.
func (s *Sample) rows() ([]*isa.Form, error) {
	src, err := parser.Parse(s.File(), s.Text)
	if err != nil {
		return nil, err
	}
	mod, err := ir.Lower(src)
	if err != nil {
		return nil, err
	}
	var rows []*isa.Form
	named := make(map[string]bool)
	for i := range mod.Instrs {
		f := mod.Instrs[i].Inst.Form
		if slices.Contains(s.Forms, f.Syntax) && !slices.Contains(rows, f) {
			rows = append(rows, f)
			named[f.Syntax] = true
		}
	}
	for _, syntax := range s.Forms {
		if !named[syntax] {
			return nil, fmt.Errorf("%s: the program has no instruction of the form %s", s.File(), syntax)
		}
	}
	return rows, nil
}
