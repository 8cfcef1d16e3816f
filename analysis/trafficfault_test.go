package analysis

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hyptx/internal/manifest"
	"hyptx/internal/source"
)

// sameEnd fails unless a program's memory profile ends as full emulation does.
func sameEnd(t *testing.T, p program) (fault string) {
	t.Helper()
	end := map[Mode]string{}
	for _, mode := range []Mode{Memory, Full} {
		if _, err := p.session(t, mode).Profile(context.Background()); err != nil {
			_, end[mode], _ = strings.Cut(err.Error(), "k.ptx:") // without the directory
		}
	}
	if end[Memory] != end[Full] {
		t.Errorf("memory: %s\n  full: %s\n%s", end[Memory], end[Full], numbered(p.ptx))
	}
	return end[Full]
}

// TestTrafficFaults: random accesses, some of which hit no memory or are not
// aligned, are the same errors whether or not the access is done.
func TestTrafficFaults(t *testing.T) {
	const n = 600
	kinds := map[bool]int{}
	for seed := range uint64(n) {
		kinds[sameEnd(t, faultyProgram(rand.New(rand.NewPCG(seed, 8)))) != ""]++
	}
	if kinds[true] < n/5 || kinds[false] < n/5 {
		t.Errorf("%d programs fail, %d do not", kinds[true], kinds[false])
	}
}

// faultyProgram accesses memory at up to four places: a space, a kind of
// access, a stride and an offset around the size of what is there.
func faultyProgram(r *rand.Rand) program {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	body := "\n\tmov.u32 %r1, %tid.x;\n\tmov.u32 %r2, %ctaid.x;\n\tmad.lo.u32 %r3, %r2, 32, %r1;\n\tsetp.lt.u32 %p1, %r1, " + pick("1", "20", "32") + ";"
	for range 1 + r.IntN(4) {
		space, at := "global", "%d1"
		switch r.IntN(6) {
		case 0:
			space, at = "shared", "%d2"
			body += "\n\tmov.u64 %d2, sh;"
		case 1:
			space, at = "local", "%d2"
			body += "\n\tmov.u64 %d2, lo;"
		case 2:
			space, at = "", "%d2" // a generic address, perhaps in shared memory
			body += "\n\tmov.u64 %d3, sh;\n\tcvta.shared.u64 %d4, %d3;\n\tld.param.u64 %d5, [a];\n\tselp.u64 %d2, %d4, %d5, %p1;"
		default:
			body += "\n\tld.param.u64 %d1, [a];"
		}
		if space != "" {
			space = "." + space
		}
		body += fmt.Sprintf("\n\tmul.lo.u32 %%r4, %%r%d, %d;\n\tcvt.u64.u32 %%d6, %%r4;\n\tadd.s64 %%d7, %s, %%d6;", 1+2*r.IntN(2), []int{0, 4, 8, 16, 32}[r.IntN(5)], at)
		address := fmt.Sprintf("[%%d7%+d]", []int{0, 0, 0, 4, 16, -16, 256, 1000}[r.IntN(8)])
		guard := pick("", "", "@%p1 ", "@!%p1 ")
		switch r.IntN(6) {
		case 0:
			body += "\n\t" + guard + "ld" + space + ".v4.u32 {%r5, %r6, %r7, %r8}, " + address + ";"
		case 1:
			body += "\n\t" + guard + "st" + space + ".v2.u32 " + address + ", {%r1, %r2};"
		case 2:
			body += "\n\t" + guard + "st" + space + ".u64 " + address + ", %d6;"
		case 3:
			body += "\n\t" + guard + "ld" + space + ".u8 %r5, " + address + ";"
		case 4:
			if space != ".local" {
				body += "\n\t" + guard + "atom" + space + ".add.u32 %r5, " + address + ", 1;"
			}
		default:
			body += "\n\t" + guard + "ld" + space + ".u32 %r5, " + address + ";"
		}
	}
	ptx := entry(".param .u64 a", ".shared .align 16 .b8 sh[512];\n\t.local .align 16 .b8 lo[256];"+body+"\n\tret;")
	return program{ptx, fmt.Sprintf(`{"version": 1, "buffers": {"a": {"bytes": %d, "init": "zero"}, "b": {"bytes": 100, "init": "zero"}},
		"launches": [{"module": "k.ptx", "kernel": "k", "grid": [%d], "block": [%d], "args": [{"buffer": "a"}]}]}`,
		[]int{512, 1024, 2050, 8192}[r.IntN(4)], 1+r.IntN(3), 1+r.IntN(70))}
}

// TestTrafficFeatureFaults runs the feature programs with more threads than
// their buffers are made for.
func TestTrafficFeatureFaults(t *testing.T) {
	files, err := filepath.Glob("../ptx-samples/features/*.ptx")
	if err != nil || len(files) < 100 {
		t.Fatal(len(files), err)
	}
	// The arrivals at an mbarrier are no accesses: only full emulation counts
	// more than there may be.
	full := map[string]bool{"mbarrier.ptx": true, "mbarrier_drop.ptx": true}
	failed := 0
	for _, file := range files {
		end := map[Mode]string{}
		for _, mode := range []Mode{Memory, Full} {
			end[mode] = bareEnd(t, file, mode)
		}
		if end[Full] != "" {
			failed++
		}
		if end[Memory] != end[Full] && !full[filepath.Base(file)] {
			t.Errorf("%s:\nmemory %s\n  full %s", file, end[Memory], end[Full])
		}
	}
	if failed < 10 {
		t.Errorf("%d programs fail", failed)
	}
}

// bareEnd returns the error with which a file's kernels end.
func bareEnd(t *testing.T, file string, mode Mode) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	opts := DefaultOptions()
	opts.Mode = mode
	sessions, err := OpenBare(context.Background(), source.File{Name: file, Text: text}, manifest.Flags{Grid: []int{5}, Block: []int{96}}, opts)
	if err != nil {
		return err.Error()
	}
	if _, err := ProfileAll(context.Background(), sessions); err != nil {
		first, _, _ := strings.Cut(err.Error(), "; CTA") // of the threads of a deadlock
		first, _, _ = strings.Cut(first, "; assumed are")
		return first
	}
	return ""
}
