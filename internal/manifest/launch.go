package manifest

import "math"

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

func (r *reader) launch(n *node, path string) *Launch {
	o, ok := r.object(n, path, "label", "module", "kernel", "grid", "block", "cluster",
		"dynamicSharedBytes", "count", "cooperative", "stream", "args")
	if !ok {
		return nil
	}
	l := &Launch{Path: path, Label: o.text("label"), Cooperative: o.flag("cooperative"), HasCluster: o.has("cluster")}
	l.Module = o.module("module")
	var oks [6]bool
	l.Kernel, oks[0] = o.name("kernel")
	l.Grid, oks[1] = o.dims("grid", true)
	l.Block, oks[2] = o.dims("block", true)
	l.Cluster, oks[3] = o.dims("cluster", false)
	l.DynamicSharedBytes, oks[4] = o.integer("dynamicSharedBytes", 0, math.MaxInt32, 0)
	l.Count, oks[5] = o.integer("count", 1, MaxCount, 1)
	switch s := o.get("stream"); {
	case s == nil:
	case s.kind == numberNode || s.kind == stringNode:
		l.Stream = s.text
	default:
		o.fail("stream", "must be a number or a string")
	}
	if o.need("args") != nil {
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
	n := o.get(key)
	if n == nil {
		if must {
			o.missing(key)
		}
		return d, !must
	}
	if !o.r.expect(n, o.at(key), listNode) {
		return d, false
	}
	if len(n.list) < 1 || len(n.list) > 3 {
		o.fail(key, "must hold 1 to 3 numbers, not %d", len(n.list))
		return d, false
	}
	ok = true
	for i, e := range n.list {
		v, good := o.r.integer(e, elementPath(o.at(key), i), 1, math.MaxInt32)
		d[i] = int(v)
		ok = ok && good
	}
	return d, ok
}

// args reads the arguments: a list, or an object by name or position.
func (o object) args(l *Launch) {
	n := o.get("args")
	l.ByName = n.kind == objectNode
	if n.kind != objectNode && n.kind != listNode {
		o.fail("args", "must be a list or an object, not %s", n.kind)
		return
	}
	l.Args = make([]Arg, 0, len(n.list))
	for i, e := range n.list {
		if o.r.full() {
			return
		}
		a := Arg{Path: elementPath(o.at("args"), i)}
		if l.ByName {
			a.Key = n.keys[i]
			a.Path = keyPath(o.at("args"), a.Key)
		}
		if o.r.arg(&a, e, l.Module) {
			l.Args = append(l.Args, a)
		}
	}
}
