package emulator

import (
	"math/bits"

	"hyptx/internal/vary"
)

// turns is another order of CTAs, warps, paths and lanes than the schedule's, for a
// program that follows a variation. The zero value is the schedule's.
type turns struct {
	reverse, shuffle bool
	seed             uint64
}

// place returns which of n CTAs comes as number i.
func (t *turns) place(i, n int64) int64 {
	switch {
	case t.reverse:
		return n - 1 - i
	case t.shuffle:
		// Steps of a length that has no divisor in common with n meet each once.
		step := int64(vary.Mix(t.seed, 1)%uint64(n)) | 1
		for common(step, n) != 1 {
			step += 2
		}
		first := int64(vary.Mix(t.seed, 2) % uint64(n))
		high, low := bits.Mul64(uint64(step), uint64(i))
		_, rest := bits.Div64(high%uint64(n), low, uint64(n))
		return (first + int64(rest)) % n
	}
	return i
}

func common(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// draw returns a number below n.
func (c *cta) draw(n int) int {
	c.draws++
	return int(vary.Mix(vary.Mix(c.turns.seed, uint64(c.linear)), c.draws) % uint64(n))
}

// advance gives the turn to the next warp.
func (c *cta) advance() {
	switch n := len(c.warps); {
	case c.turns.reverse:
		c.next = (c.next + n - 1) % n
	case c.turns.shuffle:
		c.next = c.draw(n)
		for range n {
			if c.warps[c.next].runnable() {
				return
			}
			c.next = (c.next + 1) % n
		}
	default:
		c.next = (c.next + 1) % n
	}
}

// shuffle puts the ways that lanes go in the order in which their paths are to run.
func (c *cta) shuffle(edges []*edge, masks []uint32) {
	if !c.turns.shuffle {
		return
	}
	for i := len(edges) - 1; i > 0; i-- {
		k := c.draw(i + 1)
		edges[i], edges[k] = edges[k], edges[i]
		masks[i], masks[k] = masks[k], masks[i]
	}
}

// nextLane returns which of some lanes comes next in an atomic operation.
func (c *cta) nextLane(rest uint32) int {
	switch {
	case c.turns.reverse:
		return 31 - bits.LeadingZeros32(rest)
	case c.turns.shuffle:
		for range c.draw(bits.OnesCount32(rest)) {
			rest &= rest - 1
		}
	}
	return bits.TrailingZeros32(rest)
}
