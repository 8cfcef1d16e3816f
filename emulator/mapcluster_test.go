package emulator

import (
	"fmt"
	"strings"

	"hyptx/internal/tensormap"
	"hyptx/ir/isa"
)

// loadsToPeers reports whether a load by a tensor map can have several CTAs get it, in one of the
// modes that TestMappedLoads has.
func loadsToPeers(x *isa.Inst) bool {
	for _, word := range []string{"::w", ".override", "attribute", "cta_group", ".global.shared::cta"} {
		if strings.Contains(x.Opcode, word) {
			return false
		}
	}
	dims := x.Opcode[strings.Index(x.Opcode, "d.")-1] - '0'
	return x.Space == isa.SharedCluster && (!has(x, "im2col") || dims >= 3) && (!has(x, "tile::gather4") || dims == 2)
}

// mapLoadBytes bounds the tensors that are loaded so.
const mapLoadBytes = 8 << 10

// loadedByMap has one thread of the cluster load by a tensor map, into one CTA or several.
func loadedByMap(p *clusterProof, x *isa.Inst, given []bool) int {
	c := &mapLoad{mapCase: mapCase{x: x, r: p.r}}
	for c.draw(); len(c.global) > mapLoadBytes; c.draw() {
		c.at = nil
	}
	if c.im2col() {
		for range c.m.Rank - 2 {
			c.offsets = append(c.offsets, p.r.Int64N(3))
		}
	}
	room := func(space isa.Space, n int) int {
		at, each := p.area(space, isa.B32), sliceBytes*p.each
		if space == isa.Global {
			each *= p.ctas
		}
		for n -= each; n > 0; n -= each {
			p.area(space, isa.B32)
		}
		return at
	}
	tensor, box, described := room(isa.Global, len(c.global)), room(isa.Shared, len(c.shared)), room(isa.Global, tensormap.Bytes)
	c.m.Address = uint64(proofMem + tensor)
	packed := c.m.Pack()
	put := func(at int, b []byte) {
		for i := range b {
			p.global[at+i] = modelByte{first: b[i], last: b[i]}
		}
	}
	put(tensor, c.global)
	put(described, packed[:])
	return c.loadInto(p, given, box, described)
}

// loadInto has it loaded.
func (c *mapLoad) loadInto(p *clusterProof, given []bool, box, described int) int {
	asks, to, mask, object := p.r.IntN(p.threads()), p.r.IntN(p.ctas), p.r.Uint64N(1<<p.ctas), int(truth(reportPattern(c.x) != nil))
	if multicasts(c.x) {
		to = p.rank(asks)
	} else {
		mask = 1 << to
	}
	bytes := 0
	for rank := range p.ctas {
		if mask>>rank&1 == 0 {
			continue
		}
		var want []byte
		c.shared = read(p.shared[rank][box:][:len(c.shared)])
		if want, bytes = c.want(); true {
			for i, b := range want {
				if b != c.shared[i] {
					p.write(p.shared[rank][box+i:][:1], []byte{b})
				}
			}
		}
	}
	p.expect(object, func(rank int) int { return bytes * int(mask>>rank&1) })
	var coords, offsets []string
	for i := range c.at {
		coords = append(coords, p.give(32, func(int) uint64 { return uint64(c.at[i]) }))
	}
	for i := range c.offsets {
		offsets = append(offsets, p.give(16, func(int) uint64 { return uint64(c.offsets[i]) }))
	}
	maskBits := 16
	if has(c.x, "multicast::cluster::32b") {
		maskBits = 32
	}
	dst := func(at int, object bool) string {
		return p.address(isa.SharedCluster, func(thread int) spot {
			if thread != asks {
				return spot{rank: p.rank(thread), at: at, object: object}
			}
			return spot{rank: to, at: at, object: object}
		})
	}
	operands := map[string]string{
		"dst": dst(box, false), "mbar": dst(8*object, true), "policy": p.policy(), "offsets": "{" + strings.Join(offsets, ", ") + "}",
		"mask": p.give(maskBits, func(int) uint64 { return mask }),
		"map":  fmt.Sprintf("[%s, {%s}]", p.pointer(isa.Global, 0, func(int) spot { return spot{at: described} }), strings.Join(coords, ", ")),
	}
	if len(offsets) == 0 {
		operands["offsets"] = ""
	}
	acts := make([]bool, p.threads())
	acts[asks] = true
	p.execute(c.x, given, p.guard(acts), operands)
	p.await(object)
	return 1
}
