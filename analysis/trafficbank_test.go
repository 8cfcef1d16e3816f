package analysis

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"hyptx/internal/number"
)

// sharedAccess is a kernel whose lane i accesses shared memory as form says, at
// byte offset[i].
func sharedAccess(target int, form string, offset []int) program {
	values := make([]string, len(offset))
	for i, o := range offset {
		values[i] = fmt.Sprint(o)
	}
	ptx := entry(".param .u64 a", ".shared .align 16 .b8 sh[16384];\n"+fmt.Sprintf(element, 4)+`
	ld.global.u32 %r6, [%d4];
	mov.u32 %r7, sh;
	add.u32 %r7, %r7, %r6;
	`+fmt.Sprintf(form, "%r7")+";\nret;")
	return program{strings.Replace(ptx, "sm_70", fmt.Sprintf("sm_%d", target), 1),
		launch(1, len(offset), fmt.Sprintf(`"a": {"bytes": %d, "type": "u32", "init": {"values": [%s]}}`, 4*len(offset), strings.Join(values, ",")), `{"buffer": "a"}`)}
}

// lanesAt returns what a function gives for the lanes of a warp.
func lanesAt(f func(lane int) int) []int {
	out := make([]int, 32)
	for i := range out {
		out[i] = f(i)
	}
	return out
}

const (
	load32  = "ld.shared.u32 %%r8, [%s]"
	load64  = "ld.shared.v2.u32 {%%r8, %%r9}, [%s]"
	load128 = "ld.shared.v4.u32 {%%r8, %%r9, %%r10, %%r11}, [%s]"
	store32 = "st.shared.u32 [%s], %%r4"
)

// TestBankStrides: lane i at word i*stride. 32 banks: stride s hits 32/gcd(s,
// 32) of them, so that gcd(s, 32) lanes meet in each.
func TestBankStrides(t *testing.T) {
	gcd := func(a, b int) int {
		for b != 0 {
			a, b = b, a%b
		}
		return a
	}
	for stride := 1; stride <= 33; stride++ {
		offset := lanesAt(func(lane int) int { return 4 * stride * lane })
		passes := gcd(stride, 32)
		checkMoves(t, fmt.Sprint("load, stride ", stride), sharedAccess(70, load32, offset), moves{
			"shared_load_requests": "1", "shared_load_transactions": fmt.Sprint(passes), "shared_store_transactions": "0",
			"shared_efficiency_pct": number.Percent(1, uint64(passes), number.Real{}).String(),
		})
		if stride%8 == 0 {
			checkMoves(t, fmt.Sprint("store, stride ", stride), sharedAccess(70, store32, offset), moves{"shared_store_transactions": fmt.Sprint(passes)})
		}
	}
}

// TestBankCases are patterns whose passes can be told by hand.
func TestBankCases(t *testing.T) {
	for _, c := range []struct {
		name   string
		target int
		form   string
		offset func(lane int) int
		passes int
	}{
		{"broadcast", 70, load32, func(int) int { return 64 }, 1},
		{"two words, two banks", 70, load32, func(i int) int { return i % 2 * 4 }, 1},
		{"two words, one bank", 70, load32, func(i int) int { return i % 2 * 128 }, 2},
		{"bytes of one word", 70, "ld.shared.u8 %%r8, [%s]", func(i int) int { return i % 4 }, 1},
		{"neighbouring bytes", 70, "ld.shared.u8 %%r8, [%s]", func(i int) int { return i }, 1},
		{"16 words, twice each", 70, load32, func(i int) int { return i / 2 * 4 }, 1},
		{"rows of 33 words", 70, load32, func(i int) int { return i * 33 * 4 }, 1},
		// 16 lanes of 8 bytes fill the banks once.
		{"64 bits in a row", 70, load64, func(i int) int { return 8 * i }, 2},
		{"64 bits, stride 2", 70, load64, func(i int) int { return 16 * i }, 4},
		{"64 bits, one address", 70, load64, func(int) int { return 8 }, 1},
		{"64 bits, one address, sm_60", 60, load64, func(int) int { return 8 }, 2},
		{"64 bits, pairs n and n^1", 70, load64, func(i int) int { return i / 2 * 8 }, 1},
		{"64 bits, pairs n and n^2", 70, load64, func(i int) int { return (i&1 | i>>2<<1) * 8 }, 1},
		{"64 bits, fours, shifted by one", 70, load64, func(i int) int { return (i + 1) / 4 * 8 }, 2},
		{"64 bits, pairs, sm_60", 60, load64, func(i int) int { return i / 2 * 8 }, 2},
		{"64 bits, pairs in one bank", 70, load64, func(i int) int { return i / 2 * 128 }, 16},
		// 8 lanes of 16 bytes fill the banks once.
		{"128 bits in a row", 70, load128, func(i int) int { return 16 * i }, 4},
		{"128 bits, one address", 70, load128, func(int) int { return 16 }, 2},
		{"128 bits, pairs n and n^1", 70, load128, func(i int) int { return i / 2 * 16 }, 2},
		{"128 bits, stride 2", 70, load128, func(i int) int { return 32 * i }, 8},
		{"atomics in a row", 70, "atom.shared.add.u32 %%r8, [%s], 1", func(i int) int { return 4 * i }, 1},
		{"atomics on one word", 70, "atom.shared.add.u32 %%r8, [%s], 1", func(int) int { return 4 }, 32},
		{"atomics in pairs", 70, "atom.shared.add.u32 %%r8, [%s], 1", func(i int) int { return i / 2 * 4 }, 2},
	} {
		p := sharedAccess(c.target, c.form, lanesAt(c.offset))
		checkMoves(t, c.name, p, moves{"shared_load_transactions": fmt.Sprint(c.passes)})
	}
	p := sharedAccess(70, "red.shared.add.u32 [%s], 1", lanesAt(func(i int) int { return i % 3 * 4 }))
	checkMoves(t, "reductions", p, moves{"shared_store_transactions": "11", "atomic_requests": "1", "atomic_transactions": "0"})
}

// TestBankGroups: half a warp of 64-bit accesses is one group; the other costs
// nothing.
func TestBankGroups(t *testing.T) {
	for threads, want := range map[int]string{16: "1", 17: "2", 32: "2"} {
		offset := lanesAt(func(i int) int { return 8 * i })[:threads]
		checkMoves(t, fmt.Sprint(threads, " lanes"), sharedAccess(60, load64, offset), moves{"shared_load_transactions": want})
	}
	for threads, want := range map[int]string{1: "1", 8: "1", 9: "2", 25: "4"} {
		offset := lanesAt(func(i int) int { return 16 * i })[:threads]
		checkMoves(t, fmt.Sprint(threads, " lanes of 128 bits"), sharedAccess(60, load128, offset), moves{"shared_load_transactions": want})
	}
}

// TestBankRandom holds the passes of random patterns against a brute force over
// sets of words for each bank.
func TestBankRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		size := 4 << r.IntN(3)
		words := 1 << (2 + r.IntN(8))
		offset := lanesAt(func(int) int { return r.IntN(words) * size })
		if r.IntN(3) == 0 { // pairs
			for i := range offset {
				offset[i] = offset[i&^1]
			}
		}
		form := map[int]string{4: load32, 8: load64, 16: load128}[size]
		for target, merge := range map[int]bool{60: false, 70: true} {
			want := bankPasses(offset, size, merge)
			checkMoves(t, fmt.Sprint(size, " bytes"), sharedAccess(target, form, offset), moves{"shared_load_transactions": fmt.Sprint(want)})
		}
		if t.Failed() {
			t.Fatal(offset)
		}
	}
}

// bankPasses is the definition of docs/columns.md, written down as it stands.
func bankPasses(offset []int, size int, merge bool) int {
	per := 32 * 4 / max(size, 4)
	passes := 0
	for first := 0; first < 32; first += per {
		group := offset[first : first+per]
		if next := first + per; merge && first/per%2 == 0 && next < 32 {
			both := offset[first : next+per]
			for _, d := range []int{1, 2} {
				all := true
				for n := range both {
					all = all && both[n] == both[n^d]
				}
				if all {
					group = both
				}
			}
			if len(group) > per {
				first += per
			}
		}
		banks := map[int]map[int]bool{}
		for _, o := range group {
			for b := 0; b < size; b += 4 {
				word := (o + b) / 4
				if banks[word%32] == nil {
					banks[word%32] = map[int]bool{}
				}
				banks[word%32][word] = true
			}
		}
		most := 0
		for _, words := range banks {
			most = max(most, len(words))
		}
		passes += most
	}
	return passes
}

// TestTrafficCopies: cp.async loads from global memory and stores to shared;
// ldmatrix takes 8 rows of 16 bytes for each matrix.
func TestTrafficCopies(t *testing.T) {
	ptx := entry(".param .u64 a", `.shared .align 16 .b8 sh[1024];
	ld.param.u64 %d1, [a];
	mov.u32 %r4, %tid.x;
	mul.wide.u32 %d2, %r4, 16;
	add.u64 %d3, %d1, %d2;
	mov.u32 %r5, sh;
	shl.b32 %r6, %r4, 4;
	add.u32 %r7, %r5, %r6;
	cp.async.cg.shared.global [%r7], [%d3], 16;
	setp.lt.u32 %p1, %r4, 8;
	selp.b32 %r9, 4, 0, %p1;
	cp.async.ca.shared.global [%r7], [%d3], 4, %r9;
	cp.async.wait_all;
	bar.sync 0;
	and.b32 %r8, %r6, 127;
	add.u32 %r8, %r8, %r5;
	ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r8];
	ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r11, %r12, %r13, %r14}, [%r7];
	ret;`)
	p := program{strings.Replace(ptx, "sm_70", "sm_80", 1), launch(1, 32, buffer32("a", 512), `{"buffer": "a"}`)}
	checkMoves(t, "copies", p, moves{
		"global_load_requests": "2", "gld_transactions": fmt.Sprint(16 + 4), "shared_store_requests": "2", "shared_load_requests": "2",
		// 128 bits in a row take 4 passes; 4 bytes at a distance of 16 meet 4 at a time.
		"shared_store_transactions": fmt.Sprint(4 + 4), "shared_load_transactions": fmt.Sprint(1 + 4),
		"bytes_requested": fmt.Sprint(512 + 8*4), "footprint_bytes": "512",
	})
}
