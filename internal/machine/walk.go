package machine

// Start returns where a function begins: its first instructions are issued there.
func (l *Listing) Start() Place { return Place{} }

// Next returns where the machine is when a path of a warp that was at from goes
// on to PTX block ptx, with the edge that it took, nil where it took none that
// there is. The block's instructions are issued if To.Part is 0.
//
// Paths that part each go on from the place where they did. Paths that come
// together go on from the place of any of them: the edges of all lead to the
// same place, or else to copies of the same code.
func (l *Listing) Next(from Place, ptx int32) (Place, *Edge) {
	edges := l.Blocks[from.Block].Parts[from.Part].Edges
	for i := range edges {
		if edges[i].PTX == ptx && !edges[i].Left {
			return edges[i].To, &edges[i]
		}
	}
	return l.search(from, ptx), nil
}

// search returns the copy of block ptx that is nearest to a place, by edges.
func (l *Listing) search(from Place, ptx int32) Place {
	seen := map[Place]bool{from: true}
	for work := []Place{from}; len(work) > 0; work = work[1:] {
		for _, e := range l.Blocks[work[0].Block].Parts[work[0].Part].Edges {
			if e.PTX == ptx {
				return e.To
			}
			if !seen[e.To] {
				seen[e.To] = true
				work = append(work, e.To)
			}
		}
	}
	if places := l.places[ptx]; len(places) > 0 {
		return places[0]
	}
	return from // code that the machine does not have
}
