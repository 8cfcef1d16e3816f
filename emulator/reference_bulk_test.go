package emulator

import (
	"hyptx/emulator/internal/softfloat"
	"hyptx/ir/isa"
)

// bulkSteps copy, or reduce by, many bytes (PTX ISA 9.7.10.28.4): each thread some 16 bytes of its
// own, or one of each CTA whatever all have.
var bulkSteps = map[isa.Op]clusterStep{
	isa.OpCpAsyncBulk: bulkCopied, isa.OpCpReduceAsyncBulk: bulkCopied,
	isa.OpMultimemCpAsyncBulk: bulkCopied, isa.OpMultimemCpReduceAsyncBulk: bulkCopied,
}

// bulkCase is a step: what each thread copies.
type bulkCase struct {
	p         *clusterProof
	x         *isa.Inst
	acts      []bool
	copies    []bulkCopyCase // of each thread
	src, dst  int            // where the areas begin
	multicast bool
	object    int
	masked    bool
	ignores   bool
}

// bulkCopyCase is what a thread copies: from and to are bytes of the areas of its CTA, or of
// global memory, rank is the CTA that gets them.
type bulkCopyCase struct {
	from, to, size, rank int
	mask                 uint64 // of CTAs or of bytes
	left, right          int
}

func bulkCopied(p *clusterProof, x *isa.Inst, given []bool) int {
	c := &bulkCase{p: p, x: x, acts: make([]bool, p.threads()), ignores: has(x, "ignore_oob"), masked: has(x, "cp_mask"), multicast: multicasts(x)}
	if c.peers() && p.ctas == 1 {
		return 0 // there is no other CTA
	}
	if reportPattern(x) != nil {
		c.object = 1
	}
	t := x.Type()
	if t == isa.NoType || t.Bits() > 64 {
		t = isa.B32
	}
	c.src, c.dst = p.area(x.Space2, t), p.area(x.Space, t)
	c.draw()
	bytes := make([]int, p.ctas)
	lanes := 0
	for thread, is := range c.acts {
		lanes += int(truth(is))
		for _, rank := range c.ranks(thread) {
			bytes[rank] += c.copies[thread].size
		}
	}
	signals := signals(x.Form)
	if signals {
		p.expect(c.object, func(rank int) int { return bytes[rank] })
	}
	c.ask(given)
	if signals {
		p.await(c.object)
		if c.object == 1 {
			c.reports()
		}
	} else {
		p.line("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;")
	}
	for thread := range c.acts {
		c.copy(thread)
	}
	return lanes
}

// peers reports whether only other CTAs may get the bytes.
func (c *bulkCase) peers() bool { return c.x.Space == isa.SharedCluster && c.x.Space2 != isa.Global }

// draw draws what the threads copy.
func (c *bulkCase) draw() {
	p, r := c.p, c.p.r
	whole, shift := r.IntN(3) == 0, r.IntN(p.ctas)
	if c.peers() {
		shift = 1 + r.IntN(p.ctas-1)
	}
	some, _ := p.someThreads()
	one := r.IntN(p.each)
	room := sliceBytes
	if whole {
		room *= p.each
	}
	piece := func(left int) int { return 16 * r.IntN(left/16+1) }
	for thread := range c.acts {
		n := bulkCopyCase{rank: p.rank(thread), mask: r.Uint64N(1 << p.ctas)}
		if c.x.Space == isa.SharedCluster && !c.multicast {
			n.rank = (n.rank + shift) % p.ctas
		}
		if c.masked {
			n.mask = oneAmong(r, 0, 1, 1<<15, 1<<16-1, r.Uint64N(1<<16))
		}
		n.size = piece(room)
		if r.IntN(2) == 0 {
			n.size = oneAmong(r, 0, 16, room)
		}
		n.from, n.to = piece(room-n.size), piece(room-n.size)
		if !whole {
			n.from, n.to = n.from+sliceBytes*p.tid(thread), n.to+sliceBytes*p.tid(thread)
		}
		if c.ignores && n.size > 0 {
			n.left, n.right = r.IntN(16), r.IntN(16)
			if n.size == 16 {
				n.right = r.IntN(17 - n.left)
				n.right = min(n.right, 15)
			}
		}
		c.copies = append(c.copies, n)
		switch {
		case whole:
			c.acts[thread] = p.tid(thread) == one && (!c.multicast || p.rank(thread) == shift)
		case c.multicast:
			c.acts[thread] = some[thread] && p.rank(thread) == p.tid(thread)%p.ctas
		default:
			c.acts[thread] = some[thread]
		}
	}
}

// ranks are the CTAs that get what a thread copies.
func (c *bulkCase) ranks(thread int) (list []int) {
	n := c.copies[thread]
	for rank := range c.p.ctas {
		if c.acts[thread] && (c.multicast && n.mask>>rank&1 != 0 || !c.multicast && n.rank == rank) {
			list = append(list, rank)
		}
	}
	return list
}

// spotIn is where a byte of an area of a CTA lies.
func (p *clusterProof) spotIn(space isa.Space, area, rank, at int) spot {
	if space == isa.Global {
		return spot{at: area + sliceBytes*p.each*rank + at}
	}
	return spot{rank: rank, at: area + at}
}

// bytesAt is the model of what lies at a spot.
func (p *clusterProof) bytesAt(space isa.Space, s spot, n int) []modelByte {
	if space == isa.Global {
		return p.global[s.at:][:n]
	}
	return p.shared[s.rank][s.at:][:n]
}

// ask has the threads copy.
func (c *bulkCase) ask(given []bool) {
	p := c.p
	of := func(f func(n bulkCopyCase) int) func(int) uint64 {
		return func(thread int) uint64 { return uint64(f(c.copies[thread])) }
	}
	operands := map[string]string{
		"src": p.address(c.x.Space2, func(thread int) spot {
			return p.spotIn(c.x.Space2, c.src, p.rank(thread), c.copies[thread].from)
		}),
		"dst": p.address(c.x.Space, func(thread int) spot {
			return p.spotIn(c.x.Space, c.dst, c.copies[thread].rank, c.copies[thread].to)
		}),
		"size": p.give(32, of(func(n bulkCopyCase) int { return n.size })), "policy": p.policy(),
	}
	if signals(c.x.Form) {
		operands["mbar"] = p.address(c.x.Space, func(thread int) spot {
			return spot{rank: c.copies[thread].rank, at: 8 * c.object, object: true}
		})
	}
	if c.ignores {
		operands["left"], operands["right"] = p.give(32, of(func(n bulkCopyCase) int { return n.left })), p.give(32, of(func(n bulkCopyCase) int { return n.right }))
	}
	if c.masked || c.multicast {
		operands["mask"] = p.give(16, func(thread int) uint64 { return c.copies[thread].mask })
		if has(c.x, "multicast::cluster::32b") {
			operands["mask"] = p.give(32, func(thread int) uint64 { return c.copies[thread].mask })
		}
	}
	p.execute(c.x, given, p.guard(c.acts), operands)
}

// copy does to the model what a thread copies.
func (c *bulkCase) copy(thread int) {
	p, n := c.p, c.copies[thread]
	from := read(p.bytesAt(c.x.Space2, p.spotIn(c.x.Space2, c.src, p.rank(thread), n.from), n.size))
	for _, rank := range c.ranks(thread) {
		to := p.bytesAt(c.x.Space, p.spotIn(c.x.Space, c.dst, rank, n.to), n.size)
		if c.x.Sub.String() != "" {
			p.reduce(c.x, to, from)
			continue
		}
		for i := range to {
			switch {
			case c.masked && n.mask>>(i%16)&1 == 0:
			case c.ignores && (i < n.left || i >= n.size-n.right):
				to[i].open = true
			default:
				p.write(to[i:][:1], from[i:][:1])
			}
		}
	}
}

// reduce does to elements of the model what an atomic operation does.
func (p *clusterProof) reduce(x *isa.Inst, to []modelByte, by []byte) {
	bits := x.Type().Bits()
	for at := 0; at < len(to); at += bits / 8 {
		elem := to[at:][:bits/8]
		v := atomicResult(x, wordAt(read(elem), 0, bits), wordAt(by[at:], 0, bits), 0)
		b := make([]byte, bits/8)
		putWord(b, 0, bits, v)
		p.write(elem, b)
		for i := range elem { // the payload of a NaN of f64 is open
			elem[i].open = x.Type() == isa.F64 && softfloat.F64.IsNaN(v)
		}
	}
}

// execute appends an instruction with its operands, by their names.
func (p *clusterProof) execute(x *isa.Inst, given []bool, guard string, operands map[string]string) {
	var list []string
	for i := range x.Form.Operands {
		if given[i] || x.Form.Operands[i].MayPair {
			list = append(list, operands[x.Form.Operands[i].Name])
		}
	}
	p.line("%s%s %s;", guard, x.Opcode, operandsText(list...))
}

// policy returns a register that may stand where a policy does.
func (p *clusterProof) policy() string {
	if p.ptx >= 704 && p.version.SM >= 80 {
		p.line("createpolicy.fractional.L2::evict_first.b64 r_b64_35;")
	}
	return "r_b64_35"
}

// expect announces bytes to the objects for copies, before anybody copies.
func (p *clusterProof) expect(object int, bytes func(rank int) int) {
	n := p.give(32, func(thread int) uint64 { return uint64(bytes(p.rank(thread))) })
	p.line("%smbarrier.arrive.expect_tx.shared::cta.b64 _, [objects+%d], %s;", p.first(), 8*object, n)
	p.meet()
}

// await waits for them.
func (p *clusterProof) await(object int) {
	p.line("mbarrier.try_wait.parity.shared::cta.b64 r_pred_30, [objects+%d], %d; selp.u32 r_b32_30, 1, 0, r_pred_30;", 8*object, p.phases[object]&1)
	p.result("r_b32_30", 32, func(int) outcome { return outcome{bits: 1} })
	p.phases[object]++
}

// reportPattern returns what a copy reports that it has seen: of elements of so many bits, nil if
// it reports nothing.
func reportPattern(x *isa.Inst) *patternCase {
	for word, is := range map[string]patternCase{
		"80000000": {32, 0x80000000, false}, "8000": {16, 0x8000, false}, "80": {8, 0x80, false}, "8": {4, 8, false},
	} {
		if has(x, "mbarrier::report::validity::per_16bytes::"+word) {
			return &is
		}
	}
	if has(x, "mbarrier::report::validity::per_element::ff") {
		return &patternCase{8, 0xff, true}
	}
	return nil
}

// patternCase is a pattern of bits; every: each element is looked at, not one of 16 bytes, of
// which the manual does not say which.
type patternCase struct {
	bits    int
	pattern uint64
	every   bool
}

// reports asks whether copies have seen their pattern, in the phase that is over.
func (c *bulkCase) reports() {
	p, of := c.p, reportPattern(c.x)
	surely, maybe := make([]bool, p.ctas), make([]bool, p.ctas)
	for thread := range c.acts {
		n := c.copies[thread]
		from := read(p.bytesAt(c.x.Space2, p.spotIn(c.x.Space2, c.src, p.rank(thread), n.from), n.size))
		for _, rank := range c.ranks(thread) {
			for at := 0; at < n.size; at += 16 {
				have := 0
				for bit := 0; bit < 128; bit += of.bits {
					i := at + bit/8
					if i < n.left || i >= n.size-n.right {
						continue // which may not be there
					}
					if low(wordAt(from[i&^7:], 0, 64)>>(8*(i&7)+bit%8), of.bits) == of.pattern {
						have++
					}
				}
				maybe[rank] = maybe[rank] || have > 0 || c.ignores && !of.every
				surely[rank] = surely[rank] || have > 0 && (of.every || have == 128/of.bits)
			}
		}
	}
	p.line("mbarrier.test_wait.parity.phase_type::primary.shared::cta.b64 r_pred_30|r_pred_31, [objects+8], %d; selp.u32 r_b32_30, 1, 0, r_pred_31;", (p.phases[1]-1)&1)
	p.result("r_b32_30", 32, func(thread int) outcome {
		rank := p.rank(thread)
		if maybe[rank] && !surely[rank] {
			return anything[0]
		}
		return outcome{bits: truth(surely[rank])}
	})
}
