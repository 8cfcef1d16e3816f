package manifest

import (
	"cmp"
	"fmt"
	"math/big"
	"path/filepath"
	"strings"

	"hyptx/internal/strictjson"
)

// A bare .ptx file is profiled, too, without a manifest: what nobody gave is
// assumed, and said. The rules are those of the specification (launch-manifest,
// "A bare .ptx file"):
//
//	block     .reqntid, which is no assumption; else .maxntid, else 256 threads, in as
//	          many dimensions as the kernel reads of %tid: 16,16,1 where it reads %tid.y
//	shared    where the launch gives its size, what is left of 48 KiB
//	grid      one CTA, or one cluster where the kernel or a flag gives its size
//	cluster   one CTA, where the kernel wants it given
//	pointers  a window of 4 GiB each, of unspecified contents, made page by page on the first write
//	textures  zeros, 1024 elements wide and high, and surfaces that lose what is stored
//	scalars   1024; a type that cannot hold it takes the nearest that it can (127 as s8)
//	structs   zeros
//
// A launch that fails so is tried with other guesses (guess.go).
//
// Each of these that was used is a phrase in the column assumed_inputs, as
// "grid=1,1,1" or "n=1024", and the bytes of assumed arguments are marked in the
// parameter block ([ParamBlock]), so that a branch that they decide can be counted.
// With values given for all of it (Flags) the list is empty, and the result is as
// good as one of a manifest.

// Kernel is what a module says of a kernel, as far as a launch needs it.
type Kernel struct {
	Module string // the .ptx file
	Name   string // the PTX name
	Params []Param
	// ReqThreads is .reqntid, MaxThreads .maxntid, ReqCluster
	// .reqnctapercluster; zeros where the kernel has none.
	ReqThreads, MaxThreads, ReqCluster [3]int
	// ExplicitCluster: it wants its cluster given.
	ExplicitCluster bool
	// DynamicShared: the kernel uses shared memory whose size the launch gives, beside
	// StaticShared bytes of its own.
	DynamicShared bool
	StaticShared  int64
	// Dimensions is how many components of %tid the kernel reads one by one, up to the
	// last: 2 for %tid.y.
	Dimensions int
	// Narrow: addresses have 32 bits.
	Narrow bool
	// Guess is what is assumed instead of the block and the scalars that are likeliest.
	Guess Guess
}

// Flags say how to launch a kernel of a bare .ptx file; what is zero is
// assumed.
type Flags struct {
	Grid, Block        []int
	Cluster            []int // 1 to 3 numbers, or none
	DynamicSharedBytes int64
	// Args are name=value, position=value (from 0), name=hex:00ff (the bytes in
	// memory order, for structs) or name=@file.npy, whose contents a pointer
	// gets.
	Args []string
	// Target chooses among the modules of a file, as "sm_80"; "" for all.
	Target string
	// Link are files whose modules are linked to the file's.
	Link []string
	// DefaultScalar is the value of scalars that nobody gave, "" for 1024.
	DefaultScalar string
}

// Where nothing is known of a launch.
const (
	assumedThreads = 256
	assumedScalar  = 1024
	// assumedShared is how much shared memory a block may have without asking for more
	// (CUDA C++ Programming Guide, compute capabilities).
	assumedShared = 48 << 10
)

// Assume makes the manifest of a single launch of a kernel of which only the
// PTX is known. assumed lists what nobody gave, for the column assumed_inputs.
// A pointer gets an elastic buffer, a window with unspecified contents.
func Assume(k Kernel, f Flags) (m *Manifest, assumed []string, err error) {
	a := &assumption{
		List: strictjson.List{File: k.Module}, k: k, scalar: Int(assumedScalar), given: map[int]flagArg{},
		m: &Manifest{File: k.Module, narrow: k.Narrow, Name: strings.TrimSuffix(filepath.Base(k.Module), filepath.Ext(k.Module))},
	}
	if scalar := cmp.Or(f.DefaultScalar, k.Guess.DefaultScalar); scalar != "" {
		if a.scalar, err = ParseNumber(scalar); err != nil {
			a.Fail("option default-scalar", "%w", err)
			return nil, nil, a.Err()
		}
	}
	a.flagArgs(f.Args)
	mod := &Module{Path: "", Name: k.Module, Files: []string{k.Module}}
	a.m.Modules = []*Module{mod}
	l := a.launch(mod)
	l.DynamicSharedBytes = f.DynamicSharedBytes
	if l.ExplicitCluster = len(f.Cluster) > 0; l.ExplicitCluster {
		l.Cluster = [3]int{1, 1, 1}
		copy(l.Cluster[:], f.Cluster)
		l.Grid = l.Cluster
	} else if k.ExplicitCluster {
		l.ExplicitCluster = true
		a.note("cluster=%d,%d,%d", l.Cluster[0], l.Cluster[1], l.Cluster[2])
	}
	a.shape(l, f.Grid, f.Block)
	if k.DynamicShared && f.DynamicSharedBytes == 0 {
		l.DynamicSharedBytes = max(cmp.Or(k.Guess.SharedBytes, assumedShared)-k.StaticShared, 0) &^ 15
		a.note("dynamic_shared=%d", l.DynamicSharedBytes)
	}
	for i, q := range k.Params {
		l.Args = append(l.Args, a.arg(i, q))
	}
	a.m.Steps = []Step{{Path: l.Path, Launch: l}}
	if a.Err() == nil {
		if err := a.m.layout(); err != nil {
			a.Add(err)
		}
	}
	if err := a.Err(); err != nil {
		return nil, nil, err
	}
	return a.m, a.assumed, nil
}

// assumption makes a launch out of what is known of a kernel.
type assumption struct {
	strictjson.List
	k       Kernel
	m       *Manifest
	scalar  Number
	given   map[int]flagArg // what Flags says, by position
	assumed []string
}

func (a *assumption) note(format string, args ...any) {
	a.assumed = append(a.assumed, fmt.Sprintf(format, args...))
}

// flagArgs sorts the arguments that Flags gives by position.
func (a *assumption) flagArgs(args []string) {
	for _, s := range args {
		path := argumentPath + strictjson.Clip(s)
		arg, err := parseFlagArg(s)
		if err != nil {
			a.Fail(path, "%w", err)
			continue
		}
		i := paramIndex(arg.key, a.k.Params)
		if i < 0 {
			a.Add(&strictjson.Error{File: a.File, Path: path, Err: &NoParamError{Kernels: []string{a.k.Name}, Name: arg.key, Params: a.k.Params}})
			continue
		}
		if _, twice := a.given[i]; twice {
			a.Fail(path, "parameter %s has a value already", a.k.Params[i].Name)
			continue
		}
		a.given[i] = arg
	}
}

// launch returns a launch of one block, or one cluster, of the size that the
// kernel asks for.
func (a *assumption) launch(mod *Module) *Launch {
	l := &Launch{Module: mod, Kernel: a.k.Name, Grid: [3]int{1, 1, 1}, Block: [3]int{assumedThreads, 1, 1}, Cluster: [3]int{1, 1, 1}, Count: 1}
	if c := a.k.ReqCluster; c != [3]int{} {
		l.Grid, l.Cluster = fill(c), fill(c)
	}
	if b := a.k.MaxThreads; b != [3]int{} {
		l.Block = fill(b)
	}
	if l.Block[1] == 1 && l.Block[2] == 1 {
		l.Block = spread(l.Block[0], a.k.Dimensions)
	}
	if b := a.k.Guess.Block; b != [3]int{} {
		l.Block = b
	}
	if b := a.k.ReqThreads; b != [3]int{} {
		l.Block = fill(b)
	}
	return l
}

// spread lays threads out in so many dimensions, of which none is much larger than
// another: 16 by 16, 8 by 8 by 4. In a row a kernel that finds its place by %tid.y would
// see a part of its work alone, and leave the tiles that it has for a block.
func spread(threads, dimensions int) [3]int {
	b := [3]int{threads, 1, 1}
	for d := 0; d+1 < dimensions; d++ {
		side := 1
		for power(side, dimensions-d) < b[d] {
			side *= 2
		}
		if b[d]%side != 0 {
			break
		}
		b[d], b[d+1] = side, b[d]/side
	}
	return b
}

// power returns n to the power of e.
func power(n, e int) int {
	p := 1
	for range e {
		p *= n
	}
	return p
}

// fill replaces missing dimensions by 1.
func fill(d [3]int) [3]int { return [3]int{max(d[0], 1), max(d[1], 1), max(d[2], 1)} }

// shape puts the flags over the assumed grid and block.
func (a *assumption) shape(l *Launch, grid, block []int) {
	for _, d := range []struct {
		name    string
		v       []int
		to      *[3]int
		assumed *bool
	}{{"grid", grid, &l.Grid, &l.AssumedGrid}, {"block", block, &l.Block, &l.AssumedBlock}} {
		if d.name == "block" && len(d.v) == 0 && a.k.ReqThreads != [3]int{} {
			continue // .reqntid fixes it: nothing is assumed
		}
		if *d.assumed = len(d.v) == 0; *d.assumed {
			a.note("%s=%d,%d,%d", d.name, d.to[0], d.to[1], d.to[2])
			continue
		}
		if len(d.v) > 3 {
			a.Fail("option "+d.name, "must hold 1 to 3 numbers, not %d", len(d.v))
			continue
		}
		*d.to = [3]int{1, 1, 1}
		copy(d.to[:], d.v)
	}
}

// arg returns the argument for parameter i.
func (a *assumption) arg(i int, q Param) Arg {
	arg := Arg{Path: strictjson.ElementPath("args", i), Type: NoType}
	if given, ok := a.given[i]; ok {
		arg.Path = argumentPath + strictjson.Clip(given.key)
		switch {
		case given.file != "":
			return a.fileArg(arg, q, given.file)
		case given.data != nil:
			arg.Kind, arg.Data = ArgHex, given.data
		default:
			arg.Value = given.value
		}
		return arg
	}
	arg.Assumed = !q.Pointer // a window lies where a manifest's buffer would: open are its contents
	switch {
	case q.Object != 0:
		t := &Texture{Path: strictjson.KeyPath("textures", q.Name), Name: q.Name, Assumed: true}
		a.m.Textures = append(a.m.Textures, t)
		arg.Kind, arg.Name = q.Object, t.Name
		a.note("%s=%s of which nothing is known", q.Name, objects[q.Object])
	case q.Pointer:
		b := &Buffer{Path: strictjson.KeyPath("buffers", q.Name), Name: q.Name, Type: B8, Bytes: ElasticBytes, Elastic: true}
		if a.k.Narrow {
			b.Bytes = narrowBytes
		}
		a.m.Buffers = append(a.m.Buffers, b)
		arg.Kind, arg.Pointer = ArgBuffer, Pointer{Buffer: b}
		a.note("%s=buffer of unspecified contents", q.Name)
	case q.Count > 0 || scalarType(q) == NoType:
		arg.Kind, arg.Bytes = ArgStruct, int64(q.Bytes)
		a.note("%s", zeroStruct(q))
	default:
		arg.Value = a.scalarFor(arg.Path, q)
		a.note("%s=%s", q.Name, arg.Value)
	}
	return arg
}

// scalarFor returns the value of a scalar that nobody gave. A type that is too
// narrow for it takes the nearest that it can hold.
func (a *assumption) scalarFor(path string, q Param) Number {
	t := scalarType(q)
	_, err := a.scalar.Bits(t)
	if err == nil {
		return a.scalar
	}
	v, whole := a.scalar.integer()
	if !whole || t.IsFloat() {
		a.Fail(path, "parameter %s: %w; option arg gives it one", q.Name, err)
		return a.scalar
	}
	low, high := t.integerRange()
	if v.Cmp(low) < 0 {
		high = low
	}
	return Number{new(big.Int).Set(high).String()}
}

// fileArg gives a pointer a buffer with a file's contents.
func (a *assumption) fileArg(arg Arg, q Param, file string) Arg {
	b := &Buffer{Path: arg.Path, Name: q.Name}
	if ext := extension(file); ext == ".npz" || ext == ".safetensors" {
		a.Fail(arg.Path, "%s holds several arrays; write a manifest", file)
		return arg
	}
	init := FileInit{Name: file, Offset: -1, Bytes: -1}
	x, err := newFileCache("", "").open(init)
	if err == nil && x.bytes == 0 {
		err = fmt.Errorf("%s is empty", file)
	}
	if err != nil {
		a.Fail(arg.Path, "%w", err)
		return arg
	}
	b.Init = &Init{Path: arg.Path, Kind: InitFile, File: init, tensor: x}
	if b.Type, b.Bytes = b.Init.implied(NoType); b.Type == NoType {
		b.Type = B8
	}
	b.source = x.data
	a.m.Buffers = append(a.m.Buffers, b)
	arg.Kind, arg.Pointer = ArgBuffer, Pointer{Buffer: b}
	return arg
}
