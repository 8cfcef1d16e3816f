package emulator

import (
	"fmt"
	"strings"

	"hyptx/ir/isa"
)

// peerSteps are accesses that other tests prove of one CTA, of the shared memory of other CTAs of
// the cluster (PTX ISA 5.1.7, 9.7.10.8, .11, 9.7.15.5, .6).
var peerSteps = map[isa.Op]clusterStep{
	isa.OpLd: accessedPeer, isa.OpSt: accessedPeer, isa.OpAtom: accessedPeer, isa.OpRed: accessedPeer,
	isa.OpCpAsyncBulkTensor: loadedByMap,
}

// reachesPeers reports whether a spelling can access other CTAs' shared memory.
func reachesPeers(x *isa.Inst) bool {
	if x.Op == isa.OpCpAsyncBulkTensor {
		return loadsToPeers(x)
	}
	return x.Space == isa.SharedCluster || x.Space == isa.Generic && !strings.Contains(x.Form.Syntax, "{.global}")
}

func accessedPeer(p *clusterProof, x *isa.Inst, given []bool) int {
	t, n := x.Type(), max(int(x.Vec), 1)
	area, bytes, shift := p.area(isa.Shared, t), n*t.Bits()/8, p.r.IntN(p.ctas)
	acts, lanes := p.someThreads()
	to := func(thread int) int { return (p.rank(thread) + shift) % p.ctas }
	at := make([]int, p.threads())
	for thread := range at {
		at[thread] = area + sliceBytes*p.tid(thread) + bytes*p.r.IntN(sliceBytes/bytes)
	}
	operands := map[string]string{
		"a":      p.address(x.Space, func(thread int) spot { return spot{rank: to(thread), at: at[thread]} }),
		"policy": p.policy(),
	}
	in := make([][]uint64, p.threads())
	var written []string // registers
	for i := range x.Form.Operands {
		s := &x.Form.Operands[i]
		if s.Kind != isa.Value || !given[i] {
			continue
		}
		var elems []string
		for range n {
			switch {
			case s.Write:
				elems = append(elems, p.giveBytes(t, func(int, []byte) {}))
				written = append(written, elems[len(elems)-1])
			default:
				elems = append(elems, p.giveBytes(t, func(thread int, b []byte) {
					in[thread] = append(in[thread], wordAt(b, 0, 8*len(b)))
				}))
			}
		}
		if operands[s.Name] = elems[0]; n > 1 {
			operands[s.Name] = "{" + strings.Join(elems, ", ") + "}"
		}
	}
	p.execute(x, given, p.guard(acts), operands)
	shared := *x
	shared.Space = isa.SharedCluster // where sums keep subnormals
	outcomes := make([][]outcome, p.threads())
	for thread, is := range acts {
		if !is {
			continue
		}
		mem := p.shared[to(thread)][at[thread]:][:bytes]
		b := read(mem)
		outcomes[thread] = memoryReferences[x.Op](&shared, in[thread], b)
		if x.Op != isa.OpLd {
			p.write(mem, b)
			for i := range mem { // the payload of a NaN of f64 is open
				v := t == isa.F64 && bytes == 8 && formatOf(t).IsNaN(wordAt(b, 0, 64))
				mem[i].open = v
			}
		}
	}
	p.peerResults(t, written, acts, outcomes)
	return lanes
}

// peerResults holds the registers that were written, some of two words, against what they must be.
func (p *clusterProof) peerResults(t isa.Type, written []string, acts []bool, outcomes [][]outcome) {
	for i, name := range written {
		names := []string{name}
		if t.Bits() == 128 {
			p.line("mov.b128 {r_b64_30, r_b64_31}, %s;", name)
			names = []string{"r_b64_30", "r_b64_31"}
		}
		for k, name := range names {
			var bits int
			fmt.Sscanf(name, "r_b%d_", &bits)
			p.result(name, bits, func(thread int) outcome {
				if !acts[thread] { // what it held before is among the inputs of other tests
					return anything[0]
				}
				return outcomes[thread][i*len(names)+k]
			})
		}
	}
}
