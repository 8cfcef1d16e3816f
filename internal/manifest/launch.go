package manifest

import (
	"math"

	"hyptx/internal/strictjson"
)

// Launch is a kernel launch.
type Launch struct {
	Path   string
	Label  string
	Module *Module
	// Kernel is the exact PTX name or a demangled one.
	Kernel string
	// Grid, Block and Cluster have no zeros: missing dimensions are 1.
	Grid, Block, Cluster [3]int
	// AssumedGrid, AssumedBlock, AssumedShared: nobody gave them; see [Assume]
	// and [New].
	AssumedGrid, AssumedBlock, AssumedShared bool
	// HasCluster: the manifest gives a cluster.
	HasCluster         bool
	DynamicSharedBytes int64
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
	l := &Launch{Path: path, Label: o.String("label"), Cooperative: o.Flag("cooperative"), HasCluster: o.Has("cluster")}
	l.Module = o.module("module")
	var oks [6]bool
	l.Kernel, oks[0] = o.name("kernel")
	l.Grid, oks[1] = o.dims("grid", true)
	l.Block, oks[2] = o.dims("block", true)
	l.Cluster, oks[3] = o.dims("cluster", false)
	l.DynamicSharedBytes, oks[4] = o.Integer("dynamicSharedBytes", 0, math.MaxInt32, 0)
	l.Count, oks[5] = o.Integer("count", 1, MaxCount, 1)
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
	for _, ok := range oks {
		if !ok {
			return nil
		}
	}
	if l.Module == nil {
		return nil
	}
	return l
}

// dims reads 1 to 3 numbers of at least 1; missing ones are 1.
func (o object) dims(key string, must bool) (d [3]int, ok bool) {
	d = [3]int{1, 1, 1}
	n := o.Get(key)
	if n == nil {
		if must {
			o.Missing(key)
		}
		return d, !must
	}
	if !o.r.Expect(n, o.At(key), strictjson.Array) {
		return d, false
	}
	if len(n.List) < 1 || len(n.List) > 3 {
		o.Fail(key, "must hold 1 to 3 numbers, not %d", len(n.List))
		return d, false
	}
	ok = true
	for i, e := range n.List {
		v, good := o.r.Integer(e, strictjson.ElementPath(o.At(key), i), 1, math.MaxInt32)
		d[i] = int(v)
		ok = ok && good
	}
	return d, ok
}

// args reads the arguments: a list, or an object by name or position.
func (o object) args(l *Launch) {
	n := o.Get("args")
	l.ByName = n.Kind == strictjson.Map
	if n.Kind != strictjson.Map && n.Kind != strictjson.Array {
		o.Fail("args", "must be a list or an object, not %s", n.Kind)
		return
	}
	l.Args = make([]Arg, 0, len(n.List))
	for i, e := range n.List {
		if o.r.Full() {
			return
		}
		a := Arg{Path: strictjson.ElementPath(o.At("args"), i)}
		if l.ByName {
			a.Key = n.Keys[i]
			a.Path = strictjson.KeyPath(o.At("args"), a.Key)
		}
		if o.r.arg(&a, e, l.Module) {
			l.Args = append(l.Args, a)
		}
	}
}
