package manifest

import (
	"math"

	"hyptx/internal/strictjson"
)

// Launch is a kernel launch, as the manifest has it. Whether the module has such
// a kernel, with such parameters, is found out later: a manifest is read before
// its modules are ([Manifest.PackArgs], [MatchKernel], [Manifest.CheckLaunch]).
type Launch struct {
	Path   string
	Label  string
	Module *Module
	// Kernel is the exact PTX name or a demangled one.
	Kernel string
	// Grid in CTAs, Block in threads and Cluster in CTAs have no zeros: missing
	// dimensions are 1.
	Grid, Block, Cluster [3]int
	// ExplicitCluster: the cluster was given, be it of one CTA.
	ExplicitCluster bool
	// AssumedGrid, AssumedBlock: nobody gave them; see [Assume].
	AssumedGrid, AssumedBlock bool
	DynamicSharedBytes        int64
	// Count is how many times the launch is repeated, at least 1.
	Count       int64
	Cooperative bool
	// Stream as it was written; launches run in order whatever it says.
	Stream string
	// Args in the order of the kernel's parameters or, if ByName, each with
	// the Key that names its parameter.
	Args   []Arg
	ByName bool
}

func (r *reader) launch(n *strictjson.Node, path string) *Launch {
	o, ok := r.object(n, path, "label", "module", "kernel", "grid", "block", "cluster",
		"dynamicSharedBytes", "count", "cooperative", "stream", "args")
	if !ok {
		return nil
	}
	l := &Launch{Path: path, Label: o.String("label"), Module: o.module("module"), Kernel: o.name("kernel"),
		Grid: o.dims("grid", o.Need), Block: o.dims("block", o.Need), Cluster: o.dims("cluster", o.Get),
		DynamicSharedBytes: o.Integer("dynamicSharedBytes", 0, math.MaxInt32, 0),
		Count:              o.Integer("count", 1, MaxCount, 1), Cooperative: o.Flag("cooperative"),
		ExplicitCluster: o.Has("cluster")}
	switch s := o.Get("stream"); {
	case s == nil:
	case s.Kind == strictjson.Number || s.Kind == strictjson.String:
		l.Stream = s.Text
	default:
		o.Fail("stream", "must be a number or a string")
	}
	if o.Need("args") != nil {
		o.args(l)
	}
	return l
}

// dims reads 1 to 3 numbers of at least 1; missing ones are 1. get is how the key
// is looked up: [strictjson.Object.Need] if it must be there.
func (o object) dims(key string, get func(string) *strictjson.Node) [3]int {
	d := [3]int{1, 1, 1}
	n := get(key)
	if n == nil || !o.r.Expect(n, o.At(key), strictjson.Array) {
		return d
	}
	if len(n.List) < 1 || len(n.List) > 3 {
		o.Fail(key, "must hold 1 to 3 numbers, not %d", len(n.List))
		return d
	}
	for i, e := range n.List {
		d[i] = int(o.r.Integer(e, strictjson.ElementPath(o.At(key), i), 1, math.MaxInt32))
	}
	return d
}

// args reads the arguments: a list in the order of the parameters, or an object
// by their names or positions. Compilers call parameters k_param_0, so that for
// their code the list is what one writes; by hand, names read better and survive
// a parameter that is added.
func (o object) args(l *Launch) {
	n := o.Get("args")
	l.ByName = n.Kind == strictjson.Map
	if n.Kind != strictjson.Map && n.Kind != strictjson.Array {
		o.Fail("args", "must be a list or an object, not %s", n.Kind)
		return
	}
	l.Args = make([]Arg, len(n.List))
	for i, e := range n.List {
		if o.r.Full() {
			return
		}
		a := &l.Args[i]
		a.Path = strictjson.ElementPath(o.At("args"), i)
		if l.ByName {
			a.Key = n.Keys[i]
			a.Path = strictjson.KeyPath(o.At("args"), a.Key)
		}
		if ao, ok := o.r.object(e, a.Path, argKeys...); ok {
			o.r.arg(a, ao, l.Module)
		}
	}
}
