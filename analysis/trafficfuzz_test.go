package analysis

import (
	"context"
	"testing"

	"hyptx/ptx-samples/features"
)

// TestTrafficFeatures holds the memory profile of every feature program against
// full emulation: every form of access there is.
func TestTrafficFeatures(t *testing.T) {
	samples, err := features.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, sample := range samples {
		if sample.Fault != "" {
			continue
		}
		s := featureSession(t, sample)
		s.Options.Mode, s.traffic = Memory, true
		p, err := s.Profile(context.Background())
		if err == nil {
			err = s.Verify(context.Background(), p)
		}
		if err != nil {
			t.Errorf("%s: %v", sample.Name, err)
		}
	}
}

// TestVerifyRandomTraffic holds the memory profiles of random programs against
// full emulation: every request, sector, pass and byte.
func TestVerifyRandomTraffic(t *testing.T) {
	dir := t.TempDir()
	opts := DefaultOptions()
	opts.Mode = Memory
	for _, seed := range randomSeeds(0, 400, 40) {
		s, err := OpenManifest(randomProgram(seed).source(t, dir), opts)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Profile(context.Background())
		if err == nil {
			err = s.Verify(context.Background(), p)
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, numbered(randomProgram(seed).ptx))
		}
	}
}

// TestTrafficSliceIsMinimal drops each instruction of memory slices in turn:
// an address, a count or the run itself has to change.
func TestTrafficSliceIsMinimal(t *testing.T) {
	dropEachIn(t, program{entry(".param .u64 a, .param .u64 b, .param .u32 n", `.shared .align 4 .b8 sh[1024];
	ld.param.u64 %d1, [a];
	ld.param.u64 %d2, [b];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.s32 %r5, %r2, 64, %r4;
	setp.ge.s32 %p1, %r5, %r1;
	@%p1 bra END;
	mul.wide.s32 %d5, %r5, 4;
	add.s64 %d6, %d1, %d5;
	ld.global.u32 %r6, [%d6+4];
	mul.wide.u32 %d7, %r6, 4;
	add.s64 %d8, %d2, %d7;
	ld.global.u32 %r7, [%d8+8];
	add.u32 %r7, %r7, 1;
	mov.u32 %r8, sh; // idle: it is 0
	shl.b32 %r9, %r4, 3;
	add.u32 %r9, %r9, %r8; // idle: of 0
	st.shared.u32 [%r9+32], %r7;
	setp.lt.u32 %p2, %r4, 3;
	@%p2 red.global.add.u32 [%d8], %r7;
END:
	ret;`), launch(2, 64, `"a": {"bytes": 412, "type": "u32", "init": {"iota": {"start": 1, "step": 3}}}, `+buffer32("b", 4*400),
		`{"buffer": "a"}, {"buffer": "b"}, {"value": 100}`)}, Memory)
}
