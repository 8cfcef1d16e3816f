package machine

import "slices"

// Some front ends move arithmetic into the branch that stores its result, and so keep
// everything that it reads alive on the way there: of several such branches that read
// the same values all of these, together. ptxas, which has a bounded number of
// registers, computes what several branches make of one value where the value is there
// (its passes hoist and rematerialise under pressure). Under predicates the branches are
// one stretch of code with what comes before, in which the schedule decides.

// minShared is how many registers the values have that a long arm has in common with
// others for it to be predicated (own estimate: what two dozen resident warps leave of
// the 255 of a thread is three times that).
const minShared = 32

// sharing knows where values are used.
type sharing struct {
	// at are the wanted nodes of each copy; users the copies in which each node is
	// used, without repetitions next to each other.
	at    [][]id
	users [][]int32
}

// sharing finds where values are used, once.
func (c *control) sharing() *sharing {
	if c.uses != nil {
		return c.uses
	}
	s := &sharing{at: make([][]id, len(c.x.blocks)), users: make([][]int32, len(c.nodes))}
	for n := range c.nodes {
		c.x.look()
		d := &c.nodes[n]
		if !d.wanted {
			continue
		}
		s.at[d.place] = append(s.at[d.place], id(n))
		for _, a := range d.args {
			if u := s.users[a]; len(u) == 0 || u[len(u)-1] != int32(d.place) {
				s.users[a] = append(u, int32(d.place))
			}
		}
	}
	c.uses = s
	return s
}

// shares reports whether the arms of a's branch read many values that other branches
// read, too.
func (c *control) shares(a int, arms []int) bool {
	n := 0
	for _, k := range arms {
		n += c.size[k]
	}
	if n < minShared {
		return false
	}
	s := c.sharing()
	seen := map[id]bool{}
	shared := 0
	for _, k := range arms {
		for _, n := range s.at[k] {
			c.x.look()
			for _, v := range c.nodes[n].args {
				if !seen[v] && c.elsewhere(a, v, arms) {
					shared += registers(c.nodes[v].width)
				}
				seen[v] = true
			}
		}
	}
	return shared >= minShared
}

// elsewhere reports whether a value that is in registers at the end of copy a is read
// in other branches than a's, before or after it.
func (c *control) elsewhere(a int, v id, arms []int) bool {
	d := &c.nodes[v]
	if !d.wanted || d.kind != effectNode && d.kind != pureNode && d.kind != partNode || !c.x.dominates(int(d.place), a) {
		return false
	}
	return slices.ContainsFunc(c.uses.users[v], func(k int32) bool {
		return !c.x.dominates(int(k), a) && !slices.Contains(arms, int(k))
	})
}
