package analysis

import "strings"

// lastBlockFaults are faults of reductions that the last CTA completes, as CUDA's sample threadFenceReduction
// has them: thread 0 of each stores, fences and draws a ticket, and behind a barrier all threads of
// the CTA with the last ticket read what was stored. Which fences make that a chain of causes follows
// from PTX ISA 8.9.3 to 8.9.5 (internal/order/release.go).
var lastBlockFaults = []checkPair{
	{"last block's threads read behind the barrier without a fence", "data-race", 3, 64,
		lastBlock("membar.gl", "", ""), lastBlock("membar.gl", "", "membar.gl")},
	{"last block's threads read behind a fence of acquire and release", "data-race", 3, 64,
		lastBlock("membar.gl", "", "fence.acq_rel.gpu"), lastBlock("membar.gl", "", "fence.sc.gpu")},
	{"last block's threads fence, and who has stored had no fence.sc", "data-race", 3, 64,
		lastBlock("fence.acq_rel.gpu", "", "membar.gl"), lastBlock("fence.acq_rel.gpu", "fence.acq_rel.gpu", "")},
	{"last block's threads fence for their CTA", "data-race", 3, 64,
		lastBlock("membar.gl", "", "membar.cta"), lastBlock("membar.gl", "", "membar.sys")},
	{"who has stored has fenced for its CTA", "data-race", 3, 64,
		lastBlock("membar.cta", "", "membar.gl"), lastBlock("membar.gl", "membar.gl", "")},
	{"last block's threads fence, and have not asked who is the last", "data-race", 3, 64,
		strings.Replace(lastBlock("membar.gl", "", "membar.gl"), "@%p1 bra END;", "", 1), lastBlock("membar.gl", "", "membar.gl")},
}

// lastBlock is a reduction of 3 CTAs, with a fence before the ticket, one of the thread that has drawn it, and one
// of all threads behind the barrier.
func lastBlock(before, behind, all string) string {
	text := `
	mul.wide.u32 %d1, %cta, 4;
	add.u64 %d1, %b, %d1;
	mov.u32 %r6, 7;
	@!%t0 bra MEET;
	st.global.u32 [%d1], %r6;
	BEFORE
	atom.global.add.u32 %r1, [%b+512], 1;
	BEHIND
	st.shared.u32 [sh], %r1;
	MEET: bar.sync 0;
	ld.shared.u32 %r2, [sh];
	setp.ne.u32 %p1, %r2, 2;
	@%p1 bra END;
	ALL
	ld.global.u32 %r3, [%b];
	ld.global.u32 %r4, [%b+4];
	add.u32 %x, %r3, %r4;`
	for word, fence := range map[string]string{"BEFORE": before, "BEHIND": behind, "ALL": all} {
		if fence != "" {
			fence += ";"
		}
		text = strings.Replace(text, word, fence, 1)
	}
	return text
}
