package emulator

import "hyptx/ir/isa"

// cancelSteps ask for a cluster to be cancelled that has not begun (PTX ISA 9.7.15.18, .19). There
// is one cluster here, and it has begun: the answer, which comes like a copy of 16 bytes, is that
// none was. Who has seen that may not ask again, so that a program asks once.
var cancelSteps = map[isa.Op]clusterStep{isa.OpTryCancel: askedToCancel, isa.OpQueryCancel: askedToCancel}

func askedToCancel(p *clusterProof, x *isa.Inst, given []bool) int {
	if p.asked {
		return 0
	}
	p.asked = true
	ask := x
	if x.Op != isa.OpTryCancel {
		ask, _ = isa.Decode("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128")
	}
	all := has(ask, "multicast::cluster::all")
	area := p.area(isa.Shared, isa.B32)
	acts, lanes := make([]bool, p.threads()), 0
	asks := make([]bool, p.ctas) // or is told
	for rank := range p.ctas {
		thread := rank*p.each + p.r.IntN(p.each)
		acts[thread] = !all && p.r.IntN(4) > 0 || all && rank == p.ctas-1
		asks[rank] = all || acts[thread]
		lanes += int(truth(acts[thread]))
	}
	p.expect(0, func(rank int) int { return 16 * int(truth(asks[rank])) })
	a := p.address(ask.Space, func(thread int) spot { return spot{rank: p.rank(thread), at: area + 16} })
	mbar := p.address(ask.Space, func(thread int) spot { return spot{rank: p.rank(thread), object: true} })
	p.execute(ask, []bool{true, true}, p.guard(acts), map[string]string{"a": a, "mbar": mbar})
	p.await(0)
	p.line("mov.u64 r_b64_36, data; ld.shared.b128 r_b128_30, [r_b64_36+%d];", area+16)
	for rank := range asks {
		for i := range 16 { // what an answer is made of is open
			b := &p.shared[rank][area+16+i]
			b.open = b.open || asks[rank]
		}
	}
	if x.Op == isa.OpTryCancel {
		p.line("clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 r_pred_30, r_b128_30; selp.u32 r_b32_30, 1, 0, r_pred_30;")
	} else {
		acts, lanes = p.someThreads()
		p.line("setp.eq.u32 r_pred_30, 1, 1;")
		p.execute(x, given, p.guard(acts), map[string]string{"p": "r_pred_30", "response": "r_b128_30"})
		p.line("selp.u32 r_b32_30, 1, 0, r_pred_30;")
	}
	p.result("r_b32_30", 32, func(thread int) outcome {
		switch {
		case x.Op != isa.OpTryCancel && !acts[thread]:
			return outcome{bits: 1}
		case !asks[p.rank(thread)]: // it has no answer
			return anything[0]
		}
		return outcome{}
	})
	return lanes
}
