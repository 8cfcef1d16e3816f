package machine

import (
	"slices"

	"hyptx/internal/flow"
)

// groups gathers copies into machine blocks: a copy, the arms that are
// predicated with it, and the copies to which control goes on from all of these
// and from nowhere else. In a loop that is unrolled as a whole, with nothing but
// short branches inside, that is the whole loop.
type groups struct {
	// of is the number of each copy's group, -1 of dead ones; part its place in
	// the group's members.
	of, part []int
	members  [][]int
}

// group makes the machine blocks.
func (c *control) group() *groups {
	g := &groups{of: slices.Repeat([]int{-1}, len(c.x.blocks)), part: make([]int, len(c.x.blocks))}
	for _, k := range slices.Backward(flow.Postorder(c.x)) {
		if !c.x.live[k] {
			continue
		}
		n := c.groupOf(g, k)
		if n < 0 {
			n = len(g.members)
			g.members = append(g.members, nil)
		}
		g.of[k], g.part[k] = n, len(g.members[n])
		g.members[n] = append(g.members[n], k)
	}
	return g
}

// groupOf returns the group that copy k continues, -1 if it begins one.
func (c *control) groupOf(g *groups, k int) int {
	if root := c.rootOf(k); root != k {
		return g.of[root]
	}
	n := -1
	for _, p := range c.x.blocks[k].preds {
		c.x.look()
		if !c.x.live[p] {
			continue
		}
		if g.of[p] < 0 || n >= 0 && g.of[p] != n || c.onward(p) != k {
			return -1 // a back edge, another block, or a choice
		}
		n = g.of[p]
	}
	return n
}

// onward returns the copy where control always comes after k and what is
// predicated with it, -1 if there are several.
func (c *control) onward(k int) int {
	if _, decided := c.isConst(c.conds[k]); !decided && c.x.blocks[k].leaves {
		return -1 // threads that are left: of a warp there may be none
	}
	if c.next[k] >= 0 {
		return c.next[k]
	}
	succs := c.x.blocks[k].succs
	if p, ok := c.isConst(c.conds[k]); ok && len(succs) == 2 {
		return succs[p&1]
	}
	return -1
}
