package analysis

import (
	"context"
	"os"
	"strings"
	"testing"

	"hyptx/internal/check"
	"hyptx/internal/manifest"
	"hyptx/internal/source"
)

// unmapped loads two tiles, which it expects together, by tensor maps of which nothing is
// known, over and behind words that it has stored; its mbarrier lies behind the 48 KiB that
// a block has without asking. By hand three decisions rest on what was not given: that the
// wait ends (it need not be repeated), and on the first word of each tile; what lies behind
// as many bytes as are expected is what was stored.
const unmapped = `.version 8.5
.target sm_90a
.address_size 64
.extern .shared .align 128 .b8 s[];
.visible .entry k(.param .align 64 .b8 a[128], .param .align 64 .b8 b[128])
.reqntid 32
{
	.reg .b32 r<9>;
	.reg .b64 d<4>;
	.reg .pred p<4>;
	mov.u32 r1, s;
	mov.u32 r2, 5;
	st.shared.u32 [r1], r2;
	st.shared.u32 [r1+8192], r2;
	st.shared.u32 [r1+16384], r2;
	mov.u32 r3, %tid.x;
	setp.ne.u32 p1, r3, 0;
	bar.sync 0;
	@p1 bra W;
	mbarrier.init.shared.b64 [r1+131072], 1;
	add.u32 r4, r1, 131072;
	add.u32 r5, r1, 8192;
	mov.u32 r6, 0;
	mov.b64 d1, a;
	cvta.param.u64 d1, d1;
	mov.b64 d2, b;
	cvta.param.u64 d2, d2;
	mbarrier.arrive.expect_tx.shared.b64 d3, [r4], 8192;
	cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [r1], [d1, {r6, r6}], [r4];
	cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [r5], [d2, {r6, r6}], [r4];
W:	bar.sync 0;
L:	mbarrier.try_wait.parity.shared.b64 p2, [r1+131072], 0;
	@!p2 bra L;
	ld.shared.u32 r7, [r1];
	setp.eq.u32 p3, r7, 7;
	@p3 bra A;
	add.u32 r2, r2, 1;
A:	ld.shared.u32 r7, [r1+8192];
	setp.eq.u32 p3, r7, 7;
	@p3 bra B;
	add.u32 r2, r2, 1;
B:	ld.shared.u32 r7, [r1+16384];
	setp.eq.u32 p3, r7, 7;
	@p3 bra C;
	add.u32 r2, r2, 1;
C:	ret;
}
`

// TestUnknownMap: a copy by a tensor map that nobody gave completes what is expected, what it
// may have filled is not known, and full emulation agrees.
func TestUnknownMap(t *testing.T) {
	for _, mode := range []Mode{Full, Memory, Control} {
		opts := DefaultOptions()
		opts.Mode, opts.Verify = mode, true
		sessions, err := OpenBare(context.Background(), source.File{Name: "k.ptx", Text: []byte(unmapped)}, manifest.Flags{}, opts)
		if err != nil {
			t.Fatal(err)
		}
		p, err := ProfileAll(context.Background(), sessions)
		if err != nil {
			t.Fatalf("%s: %v", mode, err)
		}
		r := p.Rows[0]
		if r.Exactness != "assumed" || r.AssumedDecisions.N != 3 {
			t.Errorf("%s: %s with %d assumed decisions; by hand assumed with 3", mode, r.Exactness, r.AssumedDecisions.N)
		}
		if mode != Control && p.Launches[0].Facts.UnknownTraffic() == nil {
			t.Errorf("%s: nobody knows what was moved, and its traffic is known", mode)
		}
		for _, want := range []string{"dynamic_shared=232448", "dynamic shared memory of 49152 bytes is too little", "no faults"} {
			if !strings.Contains(r.AssumedInputs, want) {
				t.Errorf("%s: assumed %s; want %s", mode, r.AssumedInputs, want)
			}
		}
	}
}

// TestUnknownBesideObjects: what a copy may have filled ends where mbarrier objects lie, so that
// the modes agree on what decisions rest on.
func TestUnknownBesideObjects(t *testing.T) {
	text, err := os.ReadFile("../ptx-samples/features/gemm_wgmma.ptx")
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range runningModes {
		opts := DefaultOptions()
		opts.Mode, opts.Verify = mode, true
		sessions, err := OpenBare(t.Context(), source.File{Name: "k.ptx", Text: text}, manifest.Flags{}, opts)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ProfileAll(t.Context(), sessions); err != nil {
			t.Errorf("%s: %v", mode, err)
		}
	}
}

// TestUnknownMapChecked: a check assumes the tensor maps that a profile does, says so, and tells nothing of what
// the copies may have filled.
func TestUnknownMapChecked(t *testing.T) {
	opts := DefaultOptions()
	opts.Check = &check.Run{Groups: check.AllGroups}
	sessions, err := OpenBare(context.Background(), source.File{Name: "k.ptx", Text: []byte(unmapped)}, manifest.Flags{}, opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sessions {
		if err := s.Execute(context.Background()); err != nil {
			t.Fatal(err)
		}
		if said := strings.Join(s.Assumed, "; "); !strings.Contains(said, "tensor maps that nobody gave") && !strings.Contains(said, "no faults") {
			t.Errorf("assumed %s", said)
		}
	}
	for _, f := range opts.Check.List.Findings() {
		if !f.Remark() { // all threads store one value
			t.Error(f.Text())
		}
	}
}
