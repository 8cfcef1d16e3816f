package analysis

import (
	"context"
	"fmt"
	"testing"

	"hyptx/internal/check"
	"hyptx/internal/source"
)

// bulkFaults are faults of bulk copies and of products of warpgroups. Thread 0 copies 256 bytes to sh, of
// which an mbarrier object at sh+512 hears, or from there.
var bulkFaults = []checkPair{
	{"bulk copy for which a barrier alone has waited", "unfinished", 1, 64, bulkBefore + bulkLoad + `
	bar.sync 0;
	ld.shared.u32 %x, [%r2];`,
		bulkBefore + bulkLoad + bulkWait + `
	ld.shared.u32 %x, [%r2];`},
	{"bulk copy for which one lane has waited", "unfinished", 1, 64, bulkBefore + bulkLoad + `
	bar.sync 0;
	setp.ne.u32 %p2, %lane, 0;
	@%p2 bra READ;` + bulkWait + `
	READ: ld.shared.u32 %x, [%r2];`,
		bulkBefore + bulkLoad + `
	bar.sync 0;
	setp.ne.u32 %p2, %lane, 0;
	@%p2 bra READ;` + bulkWait + `
	READ: bar.warp.sync 0xffffffff;
	ld.shared.u32 %x, [%r2];`},
	{"bulk copy over what others may still read", "unfinished", 1, 64, bulkBefore + bulkFill + `
	fence.proxy.async.shared::cta;
	bar.sync 0;
	ld.shared.u32 %x, [%r2];` + bulkLoad + bulkWait,
		bulkBefore + bulkFill + `
	fence.proxy.async.shared::cta;
	bar.sync 0;
	ld.shared.u32 %x, [%r2];
	bar.sync 0;` + bulkLoad + bulkWait},
	{"second bulk copy over what the first has brought, and others read", "unfinished", 1, 64, bulkBefore + bulkLoad + bulkWait + `
	bar.sync 0;
	ld.shared.u32 %x, [%r2];` + bulkLoad,
		bulkBefore + bulkLoad + bulkWait + `
	ld.shared.u32 %x, [%r2];
	bar.sync 0;` + bulkLoad},
	{"bulk copy of what threads have written, without a fence between the proxies", "no-proxy-fence", 1, 64, bulkBefore + bulkFill + `
	bar.sync 0;` + bulkStore + `
	@%t0 cp.async.bulk.wait_group 0;`,
		bulkBefore + bulkFill + `
	fence.proxy.async.shared::cta;
	bar.sync 0;` + bulkStore + `
	@%t0 cp.async.bulk.wait_group 0;`},
	{"bulk copy behind a fence that came before the barrier's other stores", "no-proxy-fence", 1, 64, bulkBefore + bulkFill + `
	fence.proxy.async.shared::cta;
	bar.sync 0;
	@%t32 st.shared.u32 [sh+128], 7;
	bar.sync 0;` + bulkStore + bulkRead,
		bulkBefore + bulkFill + `
	fence.proxy.async.shared::cta;
	bar.sync 0;
	@%t32 st.shared.u32 [sh+128], 7;
	bar.sync 0;
	@%t0 fence.proxy.async.shared::cta;` + bulkStore + bulkRead},
	{"shared store over what a bulk copy still reads", "unfinished", 1, 64, bulkBefore + bulkFill + `
	fence.proxy.async;
	bar.sync 0;` + bulkStore + `
	bar.sync 0;
	st.shared.u32 [%r2], 1;` + bulkRead,
		bulkBefore + bulkFill + `
	fence.proxy.async;
	bar.sync 0;` + bulkStore + `
	@%t0 cp.async.bulk.wait_group.read 0;
	bar.sync 0;
	st.shared.u32 [%r2], 1;`},
	{"shared store over what the second of two groups still reads", "unfinished", 1, 64, bulkBefore + bulkFill + `
	fence.proxy.async;
	bar.sync 0;
	@%t0 cp.async.bulk.global.shared::cta.bulk_group [%b], [%r4], 128;
	@%t0 cp.async.bulk.commit_group;
	@%t0 cp.async.bulk.global.shared::cta.bulk_group [%b+128], [%r4+128], 128;
	@%t0 cp.async.bulk.commit_group;
	@%t0 cp.async.bulk.wait_group.read 1;
	bar.sync 0;
	@%t32 st.shared.u32 [sh+128], 1;` + bulkRead,
		bulkBefore + bulkFill + `
	fence.proxy.async;
	bar.sync 0;
	@%t0 cp.async.bulk.global.shared::cta.bulk_group [%b], [%r4], 128;
	@%t0 cp.async.bulk.commit_group;
	@%t0 cp.async.bulk.global.shared::cta.bulk_group [%b+128], [%r4+128], 128;
	@%t0 cp.async.bulk.commit_group;
	@%t0 cp.async.bulk.wait_group.read 1;
	bar.sync 0;
	@%t32 st.shared.u32 [sh+124], 1;` + bulkRead},
	{"CTA that ends while a copy may read its shared memory", "unfinished", 1, 64, bulkBefore + bulkFill + `
	fence.proxy.async;
	bar.sync 0;` + bulkStore,
		bulkBefore + bulkFill + `
	fence.proxy.async;
	bar.sync 0;` + bulkStore + `
	@%t0 cp.async.bulk.wait_group.read 0;`},
	{"CTA that ends behind a wait for nothing that was committed", "unfinished", 1, 64, bulkBefore + bulkFill + `
	fence.proxy.async;
	bar.sync 0;
	@%t0 cp.async.bulk.global.shared::cta.bulk_group [%b], [%r4], 256;
	@%t0 cp.async.bulk.wait_group 0;`,
		bulkBefore + bulkFill + `
	fence.proxy.async;
	bar.sync 0;
	@%t0 cp.async.bulk.global.shared::cta.bulk_group [%b], [%r4], 256;
	@%t0 cp.async.bulk.commit_group;
	@%t0 cp.async.bulk.wait_group 0;`},
	{"result of a wgmma that nobody has waited for", "unfinished", 1, 128, productBefore + productFill + `
	fence.proxy.async;
	bar.sync 0;` + product + `
	add.f32 %f1, %f1, %f2;
	mov.b32 %x, %f1;
	wgmma.wait_group.sync.aligned 0;`,
		productBefore + productFill + `
	fence.proxy.async;
	bar.sync 0;` + product + `
	wgmma.wait_group.sync.aligned 0;
	add.f32 %f1, %f1, %f2;
	mov.b32 %x, %f1;`},
	{"wgmma of what threads have written, without a fence between the proxies", "no-proxy-fence", 1, 128, productBefore + productFill + `
	bar.sync 0;` + product + `
	wgmma.wait_group.sync.aligned 0;`,
		productBefore + productFill + `
	fence.proxy.async.shared::cta;
	bar.sync 0;` + product + `
	wgmma.wait_group.sync.aligned 0;`},
	{"wgmma of what a copy brings for which nobody has waited", "unfinished", 1, 128, productBefore + `
	bar.sync 0;` + bulkLoad + `
	bar.sync 0;` + product + `
	wgmma.wait_group.sync.aligned 0;`,
		productBefore + `
	bar.sync 0;` + bulkLoad + bulkWait + product + `
	wgmma.wait_group.sync.aligned 0;`},
	{"bulk copy over what a wgmma of another warp still reads", "unfinished", 1, 128, productBefore + productFill + `
	fence.proxy.async;
	bar.sync 0;` + product + `
	bar.sync 0;` + bulkLoad + bulkWait + `
	wgmma.wait_group.sync.aligned 0;`,
		productBefore + productFill + `
	fence.proxy.async;
	bar.sync 0;` + product + `
	wgmma.wait_group.sync.aligned 0;` + bulkLoad + bulkWait},
}

const (
	bulkBefore = `
	.reg .b64 %state;
	@%t0 mbarrier.init.shared.b64 [sh+512], 1;
	mov.u32 %r4, sh;
	shl.b32 %r1, %id, 2;
	add.u32 %r2, %r4, %r1;
	bar.sync 0;`
	bulkFill = `
	st.shared.u32 [%r2], %id;`
	bulkLoad = `
	@%t0 mbarrier.arrive.expect_tx.shared.b64 %state, [sh+512], 256;
	@%t0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%b], 256, [sh+512];`
	bulkWait = `
	WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [sh+512], 0;
	@!%p1 bra WAIT;`
	bulkStore = `
	@%t0 cp.async.bulk.global.shared::cta.bulk_group [%b], [%r4], 256;
	@%t0 cp.async.bulk.commit_group;`
	bulkRead = `
	@%t0 cp.async.bulk.wait_group.read 0;`
	// The first two warps write what is multiplied.
	productBefore = `
	.reg .b64 %state;
	@%t0 mbarrier.init.shared.b64 [sh+512], 1;
	mov.u32 %r4, sh;
	shl.b32 %r1, %id, 2;
	add.u32 %r2, %r4, %r1;
	shr.u32 %r3, %r4, 4;
	cvt.u64.u32 %d3, %r3;
	or.b64 %d3, %d3, 0x800080000;
	mov.u32 %r8, 0;`
	productFill = `
	setp.lt.u32 %p3, %id, 64;
	@%p3 st.shared.u32 [%r2], 0;`
	product = `
	wgmma.fence.sync.aligned;
	wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%r8, %r8, %r8, %r8}, %d3, 0, 1, 1, 0;
	wgmma.commit_group.sync.aligned;`
)

// TestCheckQuiet: nothing of a program that is in order goes to the detector, be it made of bulk copies,
// copies by tensor maps, or products of warpgroups.
func TestCheckQuiet(t *testing.T) {
	for _, f := range bulkFaults {
		t.Run(f.name, func(t *testing.T) {
			p := program{checkPrelude + f.good + checkEnd, fmt.Sprintf(checkManifest, f.ctas, f.block)}
			quiet(t, p.source(t, t.TempDir()))
		})
	}
}

// quiet holds that nothing is found in a program, and no launch goes to the detector.
func quiet(t *testing.T, src source.File) {
	t.Helper()
	opts := DefaultOptions()
	opts.Check = &check.Run{Groups: check.AllGroups}
	s, err := OpenManifest(src, opts)
	if err == nil {
		err = s.Execute(context.Background())
	}
	if err != nil {
		t.Fatal(err)
	}
	if list := opts.Check.List.Findings(); opts.Check.Again != 0 || len(list) > 0 {
		t.Errorf("%d launches run again, found\n%s", opts.Check.Again, show(list))
	}
}
