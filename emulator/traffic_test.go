package emulator_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"hyptx/emulator"
	"hyptx/internal/slice"
	"hyptx/internal/traffic"
	"hyptx/ir"
)

// countTraffic makes l's program one that counts traffic.
func (l *loaded) countTraffic(t testing.TB) {
	t.Helper()
	var err error
	if l.prog, err = l.machine.Compile(t.Context(), l.prog.Kernel, emulator.Options{Traffic: true}); err != nil {
		t.Fatal(err)
	}
}

// TestTrafficAllocatesNothing: neither more rounds nor more CTAs cost memory,
// also where all accesses are counted.
func TestTrafficAllocatesNothing(t *testing.T) {
	allocs := func(rounds uint32, ctas uint32) float64 {
		l := load(t, busy, 4, rounds)
		l.countTraffic(t)
		return testing.AllocsPerRun(3, func() {
			if _, err := l.launch(emulator.LaunchConfig{Grid: [3]uint32{ctas, 1, 1}, Block: [3]uint32{96, 1, 1}, Workers: 1}); err != nil {
				t.Fatal(err)
			}
		})
	}
	base := allocs(3, 2)
	if n := allocs(300, 2); n > base {
		t.Errorf("%v allocations for 300 rounds, %v for 3", n, base)
	}
	if n := allocs(3, 200); n > base {
		t.Errorf("%v allocations for 200 CTAs, %v for 2", n, base)
	}
}

// scatter is a kernel whose thread i stores a word at i << n.
const scatter = `.version 8.3
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{
	.reg .b32 %r<9>;
	.reg .b64 %d<9>;
	ld.param.u64 %d1, [out];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x;
	mov.u32 %r3, %ctaid.x;
	mad.lo.u32 %r4, %r3, 64, %r2;
	cvt.u64.u32 %d2, %r4;
	shl.b64 %d2, %d2, %r1;
	add.u64 %d1, %d1, %d2;
	st.global.u32 [%d1], %r2;
	ret;
}
`

// TestFootprint: each word counts once, over all launches, CTAs and workers,
// near each other or pages apart; the sets' memory is given back.
func TestFootprint(t *testing.T) {
	for shift := uint32(2); shift <= 20; shift += 3 {
		for _, workers := range []int{1, 3} {
			l := load(t, scatter, 64*10<<shift+4, shift)
			l.countTraffic(t)
			all := l.machine.Memory.NewFootprint()
			for _, ctas := range []uint32{4, 10, 7} {
				part := l.machine.Memory.NewFootprint()
				_, err := l.launch(emulator.LaunchConfig{Grid: [3]uint32{ctas, 1, 1}, Block: [3]uint32{64, 1, 1}, Workers: workers, Footprint: part})
				if err != nil {
					t.Fatal(err)
				}
				if n := part.Bytes(); n != uint64(4*64*ctas) {
					t.Errorf("shift %d: %d CTAs touch %d bytes, by hand %d", shift, ctas, n, 4*64*ctas)
				}
				all.Merge(part)
			}
			if n := all.Bytes(); n != 4*64*10 {
				t.Errorf("shift %d: the launches together touch %d bytes, by hand %d", shift, n, 4*64*10)
			}
			all.Release()
			if n := all.Bytes(); n != 0 {
				t.Errorf("%d bytes are left", n)
			}
		}
	}
}

// TestFootprintLimit: the sets count against the limit of memory, in the run
// and where its parts are put together.
func TestFootprintLimit(t *testing.T) {
	l := load(t, scatter, 4, 24)
	// A slice without the store's value: only its address counts, so that of the
	// buffer no page is made.
	slice := sliceOf(l.prog.Kernel)
	l.machine = emulator.NewMachine(1<<20 + 64<<10) // of which 64 KiB are for what runs
	if _, err := l.machine.Memory.AddBuffer("out", outBase, 256<<24, nil, false); err != nil {
		t.Fatal(err)
	}
	if err := l.machine.Load(l.prog.Module); err != nil {
		t.Fatal(err)
	}
	var err error
	if l.prog, err = l.machine.Compile(t.Context(), l.prog.Kernel, emulator.Options{Slice: slice, Traffic: true}); err != nil {
		t.Fatal(err)
	}
	for ctas, fits := range map[uint32]bool{1: true, 4: false} {
		_, err := l.launch(emulator.LaunchConfig{Grid: [3]uint32{ctas, 1, 1}, Block: [3]uint32{64, 1, 1}, Workers: 1})
		var limit *emulator.LimitError
		if fits && err != nil || !fits && !errors.As(err, &limit) {
			t.Errorf("%d CTAs with %d pages of 8 KiB in little more than 1 MiB: %v", ctas, 64*ctas, err)
		}
	}
}

// TestTrafficMisaligned: an access whose address alone is needed is checked as
// the access would be.
func TestTrafficMisaligned(t *testing.T) {
	for shift, want := range map[uint32]string{2: "", 1: "misaligned: 4 bytes at global address"} {
		l := load(t, scatter, 4096, shift)
		var err error
		if l.prog, err = l.machine.Compile(t.Context(), l.prog.Kernel, emulator.Options{Slice: sliceOf(l.prog.Kernel), Traffic: true}); err != nil {
			t.Fatal(err)
		}
		_, err = l.launch(emulator.LaunchConfig{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{64, 1, 1}, Workers: 1})
		if got := fmt.Sprint(err); want == "" && err != nil || !strings.Contains(got, want) && want != "" {
			t.Errorf("shift %d: %v, want %q", shift, err, want)
		}
	}
}

// sliceOf is all of a kernel's instructions, no accesses of which are done but
// those of parameters.
func sliceOf(k *ir.Func) *slice.Slice {
	n := len(k.Module.Instrs)
	s := &slice.Slice{Run: slice.NewSet(n), Value: slice.NewSet(n)}
	for pc := k.First; pc < k.End; pc++ {
		s.Run.Add(pc)
	}
	return s
}

// TestSorts: what is counted of sorts of CTAs is what these move alone, for any number of
// workers.
func TestSorts(t *testing.T) {
	for _, workers := range []int{1, 3} {
		l := load(t, busy, 4, 7)
		l.countTraffic(t)
		cfg := emulator.LaunchConfig{Grid: [3]uint32{50, 1, 1}, Block: [3]uint32{96, 1, 1}, Workers: workers, Sorts: &traffic.Sorts{Of: func(cta int64) int { return int(cta % 5 * (cta % 2)) }}}
		r, err := l.launch(cfg)
		if err != nil {
			t.Fatal(err)
		}
		var sum traffic.Counts
		for sort, of := range cfg.Sorts.Counts {
			one := cfg
			one.CTAs, one.Sorts = nil, nil
			for cta := range int64(50) {
				if cfg.Sorts.Of(cta) == sort {
					one.CTAs = append(one.CTAs, cta)
				}
			}
			if (one.CTAs == nil) != (of == nil) {
				t.Fatalf("sort %d: CTAs %v, %v", sort, one.CTAs, of)
			}
			if of == nil {
				continue
			}
			sum.Add(of)
			if alone, err := l.launch(one); err != nil || !reflect.DeepEqual(alone.Traffic, of) {
				t.Errorf("%d workers, sort %d: %+v, alone %+v, %v", workers, sort, of, alone, err)
			}
		}
		if !reflect.DeepEqual(&sum, r.Traffic) {
			t.Errorf("%d workers: sorts sum to %+v, not %+v", workers, sum, r.Traffic)
		}
	}
}
