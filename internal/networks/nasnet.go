package networks

// nasnet: Zoph, Vasudevan, Shlens, Le: Learning Transferable Architectures for Scalable Image
// Recognition, CVPR 2018, NASNet-A (figure 4), as in Keras: so many filters before the last
// layer and normal cells in a row, filters of the first convolution. skip: after a reduction
// the cell before the one before is still that of the last normal cell.
func nasnet(penultimate, cells, stem int, skip bool) family {
	return func(g *graph, x tensor) tensor {
		f := penultimate / 24
		n := &cellGraph{graph: g}
		x = g.bn(g.conv(x, stem, 3, 2, 0), none)
		x = n.reduction(x, f/4, false)
		x = n.reduction(x, f/2, false)
		for stage := range 3 {
			if stage > 0 {
				x = n.reduction(x, f<<stage, skip)
			}
			for range cells {
				x = n.normal(x, f<<stage)
			}
		}
		return g.mean(g.relu(x))
	}
}

// A cellGraph is a graph of cells, each of which takes the results of two cells before it.
type cellGraph struct {
	*graph
	before tensor // the result of the cell before the last
}

// separate is two separable convolutions, the first with a stride.
func (n *cellGraph) separate(x tensor, filters, kernel, stride int) tensor {
	x = n.bn(n.separable(n.relu(x), filters, kernel, stride), relu)
	return n.bn(n.separable(x, filters, kernel, 1), none)
}

// inputs are those of a cell with so many filters: the last cell's result, and the one's
// before, brought to its shape.
func (n *cellGraph) inputs(x tensor, filters int) (h, p tensor) {
	switch p = n.before; {
	case p.count() == 0:
		p = x
	case p.height != x.height:
		// Two halves: every second pixel, and every second one after it.
		p = n.relu(p)
		half := n.conv(n.avgPool(p, 1, 2, 0), filters/2, 1, 1, 0)
		p = n.bn(n.concat(half, n.conv(n.avgPool(n.pad(p, -1, 1), 1, 2, 0), filters/2, 1, 1, 0)), none)
	case p.channels != filters:
		p = n.bn(n.conv(n.relu(p), filters, 1, 1, 0), none)
	}
	return n.bn(n.conv(n.relu(x), filters, 1, 1, 0), none), p
}

func (n *cellGraph) normal(x tensor, filters int) tensor {
	h, p := n.inputs(x, filters)
	sum := func(x, y tensor) tensor { return n.add(x, y, none) }
	average := func(x tensor) tensor { return n.avgPool(x, 3, 1, same) }
	n.before = x
	return n.concat(p,
		sum(n.separate(h, filters, 5, 1), n.separate(p, filters, 3, 1)),
		sum(n.separate(p, filters, 5, 1), n.separate(p, filters, 3, 1)),
		sum(average(h), p),
		sum(average(p), average(p)),
		sum(n.separate(h, filters, 3, 1), h))
}

// reduction halves the plane. keep: the next cell's cell before the last stays what it is.
func (n *cellGraph) reduction(x tensor, filters int, keep bool) tensor {
	h, p := n.inputs(x, filters)
	sum := func(x, y tensor) tensor { return n.add(x, y, none) }
	padded := n.pad(h, h.height%2, 1) // the zeros count in maxima and averages
	x1 := sum(n.separate(h, filters, 5, 2), n.separate(p, filters, 7, 2))
	x2 := sum(n.maxPool(padded, 3, 2, 0), n.separate(p, filters, 7, 2))
	x3 := sum(n.avgPool(padded, 3, 2, 0), n.separate(p, filters, 5, 2))
	x4 := sum(x2, n.avgPool(x1, 3, 1, same))
	x5 := sum(n.separate(x1, filters, 3, 1), n.maxPool(padded, 3, 2, 0))
	if !keep {
		n.before = x
	}
	return n.concat(x2, x3, x4, x5)
}
