package analysis

import (
	"context"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hyptx/internal/number"

	"github.com/gocarina/gocsv"
)

// buffer32 is a buffer of the given size for [launch].
func buffer32(name string, bytes int) string {
	return fmt.Sprintf(`"%s": {"bytes": %d, "init": "zero"}`, name, bytes)
}

// moves are what columns of the memory block have to say.
type moves map[string]string

// checkMoves profiles a program in memory mode, which verifies it, and in full
// mode, and compares columns.
func checkMoves(t *testing.T, name string, p program, want moves) {
	t.Helper()
	for _, mode := range []Mode{Memory, Full} {
		row := p.profile(t, mode).Rows[0]
		for column, value := range want {
			if got := row.column(column); got != value {
				t.Errorf("%s, mode %s: %s is %s, by hand %s", name, mode, column, got, value)
			}
		}
	}
	if t.Failed() {
		t.Logf("\n%s", numbered(p.ptx))
	}
}

// column returns a column of a row as the CSV has it.
func (r *Row) column(name string) string {
	lines := csv.NewReader(strings.NewReader(csvOf(r)))
	names, _ := lines.Read()
	values, _ := lines.Read()
	if i := slices.Index(names, name); i >= 0 {
		return values[i]
	}
	return "no column"
}

// csvOf returns a row with its heading.
func csvOf(r *Row) string {
	s, err := gocsv.MarshalString([]*Row{r})
	if err != nil {
		panic(err)
	}
	return s
}

// element is PTX that leaves in %d4 the address of element %r5 of a.
const element = `
	ld.param.u64 %%d1, [a];
	mov.u32 %%r2, %%ctaid.x;
	mov.u32 %%r3, %%ntid.x;
	mov.u32 %%r4, %%tid.x;
	mad.lo.s32 %%r5, %%r2, %%r3, %%r4;
	mul.wide.s32 %%d5, %%r5, %d;
	add.s64 %%d4, %%d1, %%d5;
`

// TestTrafficVectorAdd: three arrays of 4-byte words, a warp's 32 words in 4
// sectors each, so 12 sectors a warp; the tail of 8 threads takes 3.
func TestTrafficVectorAdd(t *testing.T) {
	const n, warps = 200, 7 // 6 full ones and one with 8 threads in the array
	p := program{entry(".param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n", `
	ld.param.u64 %d1, [a];
	ld.param.u64 %d2, [b];
	ld.param.u64 %d3, [c];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.s32 %r5, %r2, %r3, %r4;
	setp.ge.s32 %p1, %r5, %r1;
	@%p1 bra END;
	mul.wide.s32 %d5, %r5, 4;
	add.s64 %d6, %d1, %d5;
	ld.global.f32 %f1, [%d6];
	add.s64 %d8, %d2, %d5;
	ld.global.f32 %f2, [%d8];
	add.f32 %f3, %f1, %f2;
	add.s64 %d10, %d3, %d5;
	st.global.f32 [%d10], %f3;
END:
	ret;`), launch(4, 64, buffer32("a", 4*n)+","+buffer32("b", 4*n)+","+buffer32("c", 4*n),
		fmt.Sprintf(`{"buffer": "a"}, {"buffer": "b"}, {"buffer": "c"}, {"value": %d}`, n))}
	checkMoves(t, "vector add", p, moves{
		"global_load_requests": fmt.Sprint(2 * warps), "global_store_requests": fmt.Sprint(warps),
		"gld_transactions": fmt.Sprint(2 * (6*4 + 1)), "gst_transactions": fmt.Sprint(6*4 + 1),
		"gld_efficiency_pct": "100.0000", "gst_efficiency_pct": "100.0000", "gld_unique_efficiency_pct": "100.0000",
		"bytes_requested": fmt.Sprint(3 * 4 * n), "bytes_transferred": fmt.Sprint(32 * 3 * (6*4 + 1)), "footprint_bytes": fmt.Sprint(3 * 4 * n),
		"shared_load_requests": "0", "shared_efficiency_pct": "", "const_requests": "0", "tex_requests": "0",
	})
}

// TestTrafficInPlace: an increment in place loads and stores 4 sectors a warp
// and touches each byte once.
func TestTrafficInPlace(t *testing.T) {
	p := program{entry(".param .u64 a", fmt.Sprintf(element, 4)+`
	ld.global.u32 %r6, [%d4];
	add.u32 %r6, %r6, 1;
	st.global.u32 [%d4], %r6;
	ret;`), launch(3, 96, buffer32("a", 4*3*96), `{"buffer": "a"}`)}
	checkMoves(t, "in place", p, moves{
		"global_load_requests": "9", "gld_transactions": "36", "global_store_requests": "9", "gst_transactions": "36",
		"bytes_requested": "2304", "bytes_transferred": "2304", "footprint_bytes": "1152",
	})
}

// TestTrafficStrides: lane i of a warp reads word i*stride from byte 4*first
// on. A sector has 8 words, so that from stride 8 on each lane has its own.
func TestTrafficStrides(t *testing.T) {
	for stride := 1; stride <= 64; stride++ {
		for _, first := range []int{0, 1, 7, 8} {
			if first > 0 && stride%9 != 1 {
				continue
			}
			p := program{entry(".param .u64 a", fmt.Sprintf(element, 4*stride)+fmt.Sprintf("ld.global.u32 %%r6, [%%d4+%d];\nret;", 4*first)),
				launch(2, 32, buffer32("a", 4*(64*stride+8)), `{"buffer": "a"}`)}
			sectors := 0
			for warp := range 2 {
				last := -1
				for lane := range 32 {
					if s := ((warp*32+lane)*stride + first) / 8; s != last {
						sectors, last = sectors+1, s
					}
				}
			}
			if first == 0 && (stride <= 8 && sectors != 8*stride || stride > 8 && sectors != 64) {
				t.Fatalf("the test counts %d sectors for stride %d", sectors, stride)
			}
			checkMoves(t, fmt.Sprintf("stride %d from %d", stride, first), p, moves{
				"gld_transactions": fmt.Sprint(sectors), "bytes_requested": "256", "footprint_bytes": "256",
				"gld_efficiency_pct": number.Percent(256, 32*uint64(sectors), number.Real{}).String(),
			})
		}
	}
}

// TestTrafficMisaligned: 32 words from the second word of a sector on lie in 5.
func TestTrafficMisaligned(t *testing.T) {
	for first := range 9 {
		p := program{entry(".param .u64 a", fmt.Sprintf(element, 4)+fmt.Sprintf("st.global.u32 [%%d4+%d], %%r4;\nret;", 4*first)),
			launch(1, 32, buffer32("a", 4*41), `{"buffer": "a"}`)}
		want := "5"
		if first%8 == 0 {
			want = "4"
		}
		checkMoves(t, fmt.Sprint("from word ", first), p, moves{"gst_transactions": want, "footprint_bytes": "128"})
	}
}

// TestTrafficWidths: a full warp of neighbouring accesses of n bytes touches n
// sectors; one byte each fill one.
func TestTrafficWidths(t *testing.T) {
	for _, c := range []struct {
		form  string
		bytes int
	}{
		{"ld.global.u8 %r6", 1}, {"ld.global.v2.u8 {%r6, %r7}", 2}, {"ld.global.u64 %d6", 8}, {"ld.global.v2.u32 {%r6, %r7}", 8},
		{"ld.global.v4.u32 {%r6, %r7, %r8, %r9}", 16}, {"ld.global.v2.u64 {%d6, %d7}", 16}, {"ld.global.v4.u16 {%r6, %r7, %r8, %r9}", 8},
	} {
		form := strings.ReplaceAll(c.form, "u16 {%r6, %r7, %r8, %r9}", "u16 {%h1, %h2, %h3, %h4}")
		p := program{entry(".param .u64 a", ".reg .b16 %h<5>;\n"+fmt.Sprintf(element, c.bytes)+form+", [%d4];\nret;"),
			launch(1, 40, buffer32("a", 40*c.bytes), `{"buffer": "a"}`)}
		tail := (8*c.bytes + 31) / 32
		checkMoves(t, c.form, p, moves{
			"global_load_requests": "2", "gld_transactions": fmt.Sprint(c.bytes + tail),
			"bytes_requested": fmt.Sprint(40 * c.bytes), "footprint_bytes": fmt.Sprint(40 * c.bytes),
		})
	}
}

// TestTrafficBroadcast: all lanes at one word ask for 128 bytes of one sector,
// of which 4 are distinct.
func TestTrafficBroadcast(t *testing.T) {
	p := program{entry(".param .u64 a", "ld.param.u64 %d1, [a];\nld.global.u32 %r6, [%d1+64];\nret;"),
		launch(5, 64, buffer32("a", 128), `{"buffer": "a"}`)}
	checkMoves(t, "broadcast", p, moves{
		"global_load_requests": "10", "gld_transactions": "10", "gld_efficiency_pct": "400.0000",
		"gld_unique_efficiency_pct": "12.5000", "bytes_requested": "1280", "footprint_bytes": "4",
	})
}

// TestTrafficLocal: a word of local memory of 32 lanes lies in 4 sectors; an
// aligned vector of four words takes 16. Half a warp takes half.
func TestTrafficLocal(t *testing.T) {
	p := program{entry("", `.local .align 16 .b8 l[64];
	mov.u32 %r4, %tid.x;
	st.local.u32 [l+4], %r4;
	ld.local.v4.u32 {%r5, %r6, %r7, %r8}, [l+16];
	st.local.u8 [l+3], %r4;
	ret;`), launch(3, 48, "", "")}
	checkMoves(t, "local", p, moves{
		"local_store_requests": fmt.Sprint(3 * 2 * 2), "local_load_requests": fmt.Sprint(3 * 2),
		"local_store_transactions": fmt.Sprint(3 * 2 * (4 + 2)), "local_load_transactions": fmt.Sprint(3 * (16 + 8)),
		"bytes_requested": fmt.Sprint(3 * 48 * (4 + 16 + 1)), "footprint_bytes": fmt.Sprint(3 * 48 * (4 + 16 + 1)),
		"global_load_requests": "0", "local_bytes": "64",
	})
	// Each lane at a word of its own: lane i at word i%16, so that the 8 lanes of
	// a sector's width have 8 different words.
	p = program{entry("", `.local .align 16 .b8 l[64];
	mov.u32 %r4, %tid.x;
	and.b32 %r5, %r4, 15;
	shl.b32 %r5, %r5, 2;
	mov.u64 %d1, l;
	cvt.u64.u32 %d2, %r5;
	add.u64 %d1, %d1, %d2;
	ld.local.u32 %r6, [%d1];
	ret;`), launch(1, 32, "", "")}
	checkMoves(t, "local, apart", p, moves{"local_load_requests": "1", "local_load_transactions": "32"})
}

// TestTrafficSpaces: generic addresses count where they lie; a request whose
// lanes lie in two spaces is one in each.
func TestTrafficSpaces(t *testing.T) {
	p := program{module(".const .align 4 .b8 cc[64];\n", ".param .u64 a", `.shared .align 16 .b8 sh[256];
	ld.param.u64 %d1, [a];
	mov.u32 %r4, %tid.x;
	mul.wide.u32 %d2, %r4, 4;
	mov.u64 %d3, sh;
	cvta.shared.u64 %d3, %d3;
	setp.lt.u32 %p1, %r4, 16;
	selp.b64 %d4, %d1, %d3, %p1;
	add.u64 %d4, %d4, %d2;
	ld.u32 %r5, [%d4];
	ld.const.u32 %r6, [cc+8];
	mov.u64 %d6, cc;
	cvta.const.u64 %d6, %d6;
	ld.u32 %r7, [%d6];
	atom.global.add.u32 %r8, [%d1], 1;
	red.global.add.u32 [%d1+32], 1;
	ret;`), launch(1, 32, buffer32("a", 128), `{"buffer": "a"}`)}
	checkMoves(t, "spaces", p, moves{
		"global_load_requests": "1", "gld_transactions": "2", "shared_load_requests": "1", "shared_load_transactions": "1",
		"const_requests": "2", "atomic_requests": "2", "atomic_transactions": "2",
		// 16 words and two atomics of 32 lanes each; the words of the atomics are a[0], which a lane
		// loads too, and a[8].
		"bytes_requested": fmt.Sprint(16*4 + 2*32*4), "footprint_bytes": "64",
	})
}

// TestTrafficGather: random word addresses against a brute force over sets.
func TestTrafficGather(t *testing.T) {
	const warps, words = 8, 256
	r := rand.New(rand.NewPCG(1, 2))
	index := make([]string, 32*warps)
	sectors, unique, all := 0, 0, map[uint32]bool{}
	for w := range warps {
		touched, distinct := map[uint32]bool{}, map[uint32]bool{}
		for lane := range 32 {
			i := r.Uint32N(words)
			index[32*w+lane] = fmt.Sprint(i)
			touched[i/8], distinct[i], all[i] = true, true, true
		}
		sectors += len(touched)
		unique += len(distinct)
	}
	p := program{entry(".param .u64 a, .param .u64 b", fmt.Sprintf(element, 4)+`
	ld.global.u32 %r6, [%d4];
	ld.param.u64 %d2, [b];
	mul.wide.u32 %d6, %r6, 4;
	add.u64 %d6, %d6, %d2;
	ld.global.u32 %r7, [%d6];
	ret;`), launch(1, 32*warps, fmt.Sprintf(`"a": {"bytes": %d, "type": "u32", "init": {"values": [%s]}},`, 4*len(index), strings.Join(index, ","))+buffer32("b", 4*words),
		`{"buffer": "a"}, {"buffer": "b"}`)}
	checkMoves(t, "gather", p, moves{
		"gld_transactions":          fmt.Sprint(4*warps + sectors),
		"gld_unique_efficiency_pct": number.Percent(uint64(4*32*warps+4*unique), uint64(32*(4*warps+sectors)), number.Real{}).String(),
		"footprint_bytes":           fmt.Sprint(4*32*warps + 4*len(all)),
		"exactness":                 "exact",
	})
}

// TestTrafficExactness: addresses that nobody gave make the block assumed,
// though no branch depends on them.
func TestTrafficExactness(t *testing.T) {
	p := program{entry(".param .u64 a, .param .u64 b", fmt.Sprintf(element, 4)+`
	ld.global.u32 %r6, [%d4];
	ld.param.u64 %d2, [b];
	mul.wide.u32 %d6, %r6, 4;
	add.u64 %d6, %d6, %d2;
	ld.global.u32 %r7, [%d6];
	ret;`), launch(1, 32, `"a": {"bytes": 128}, `+buffer32("b", 4), `{"buffer": "a"}, {"buffer": "b"}`)}
	for mode, want := range map[Mode]string{Control: "", Memory: "assumed"} {
		row := p.profile(t, mode).Rows[0]
		if row.Exactness != "exact" || row.MemoryExactness != want || row.AssumedDecisions.N != 0 {
			t.Errorf("mode %s: %s, memory block %q, with %d assumed decisions, by hand exact, %q, with none", mode, row.Exactness, row.MemoryExactness, row.AssumedDecisions.N, want)
		}
	}
}

// TestTrafficRepeats: columns count all repetitions, the footprint does not
// grow with them; one worker or several make no difference.
func TestTrafficRepeats(t *testing.T) {
	p := program{entry(".param .u64 a", fmt.Sprintf(element, 8)+"st.global.u32 [%d4], %r4;\nret;"),
		strings.Replace(launch(40, 64, buffer32("a", 8*40*64), `{"buffer": "a"}`), `"grid"`, `"count": 3, "grid"`, 1)}
	checkMoves(t, "repeats", p, moves{"gst_transactions": fmt.Sprint(3 * 80 * 8), "footprint_bytes": fmt.Sprint(4 * 40 * 64)})
	var first string
	for _, jobs := range []int{1, 2, 3} {
		s := p.session(t, Memory)
		s.Options.Jobs = jobs
		prof, err := s.Profile(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		prof.Rows[0].AnalysisMS = number.Real{}
		if got := csvOf(prof.Rows[0]); first == "" {
			first = got
		} else if got != first {
			t.Errorf("%d workers: %s\none: %s", jobs, got, first)
		}
	}
}

// TestTrafficSameRegister: accesses that share a register have one pattern only
// as long as nobody writes it, with a guard or without.
func TestTrafficSameRegister(t *testing.T) {
	for _, guard := range []string{"", "@%p1 "} {
		p := program{entry(".param .u64 a", fmt.Sprintf(element, 4)+`
	setp.lt.u32 %p1, %r4, 64;
	ld.global.u32 %r6, [%d4];
	ld.global.u32 %r7, [%d4+32];
	`+guard+`add.s64 %d4, %d4, %d5;
	ld.global.u32 %r7, [%d4+32];
	ld.global.u64 %d4, [%d4];
	st.global.u32 [%d4], %r6;
	ret;`), launch(1, 32, `"a": {"bytes": 304, "init": {"pointers": [`+strings.Repeat(`{"buffer": "a", "offset": 0},`, 37)+`{"buffer": "a", "offset": 0}]}}`, `{"buffer": "a"}`)}
		checkMoves(t, "guard "+guard, p, moves{
			"global_load_requests": "4", "gld_transactions": fmt.Sprint(4 + 4 + 8 + 8), "gst_transactions": "1",
		})
	}
}
