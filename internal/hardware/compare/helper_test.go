package compare

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/source"
	"hyptx/internal/vary"
)

// program is one kernel k(x, y) over a CTA: body computes from %rd1, the
// address of its thread's element of x, and writes to %rd2, that of y. The
// buffers are b32 or b64 words of the types given.
type program struct {
	target   string // sm_90 if ""
	in, out  string // types of x and y
	x        []any  // contents of x: numbers or "0x" bits
	elements int    // of y; len(x) if 0
	threads  int    // len(x) if 0
	ctas     int    // 1 if 0
	body     string
	launches []string // the arguments of each, x and y once if nil
}

var typeBytes = map[string]int{"f16": 2, "bf16": 2, "f32": 4, "u32": 4, "b32": 4, "s32": 4, "f64": 8}

// opener writes the program and its manifest into a folder of the test's.
func (p program) opener(t *testing.T) Opener {
	t.Helper()
	dir := t.TempDir()
	p.target = orElse(p.target, "sm_90")
	text := ".version 8.6\n.target " + p.target + "\n.address_size 64\n.visible .entry k(.param .u64 x, .param .u64 y)\n{\n" +
		".reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .f32 %f<16>; .reg .f64 %fd<8>;\n" +
		"ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; mov.u32 %r1, %tid.x;\n" +
		fmt.Sprintf("mul.wide.u32 %%rd3, %%r1, %d; add.u64 %%rd1, %%rd1, %%rd3; mul.wide.u32 %%rd3, %%r1, %d; add.u64 %%rd2, %%rd2, %%rd3;\n", typeBytes[p.in], typeBytes[p.out]) +
		p.body + "\nret;\n}\n"
	n, threads, ctas := max(p.elements, 0), max(p.threads, 0), max(p.ctas, 1)
	if n == 0 {
		n = len(p.x)
	}
	if threads == 0 {
		threads = len(p.x)
	}
	values := make([]string, len(p.x))
	for i, x := range p.x {
		values[i] = fmt.Sprint(x)
		if s, ok := x.(string); ok {
			values[i] = `"` + s + `"`
		}
	}
	if p.launches == nil {
		p.launches = []string{`{"buffer": "x"}, {"buffer": "y"}`}
	}
	var launches []string
	for _, args := range p.launches {
		launches = append(launches, fmt.Sprintf(`{"module": "k.ptx", "kernel": "k", "grid": [%d], "block": [%d], "args": [%s]}`, ctas, threads, args))
	}
	m := fmt.Sprintf(`{"version": 1, "name": "t", "buffers": {
"x": {"bytes": %d, "type": %q, "init": {"values": [%s]}}, "y": {"bytes": %d, "type": %q, "init": "zero"}},
"launches": [%s],
"outputs": ["y"]}`, len(p.x)*typeBytes[p.in], p.in, strings.Join(values, ", "), n*typeBytes[p.out], p.out, strings.Join(launches, ", "))
	if err := os.WriteFile(filepath.Join(dir, "k.ptx"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return func(v *vary.Variation) (*analysis.Session, error) {
		opts := analysis.DefaultOptions()
		opts.Mode, opts.Variation = analysis.Full, v
		return analysis.OpenManifest(source.File{Name: filepath.Join(dir, "k.json"), Text: []byte(m)}, opts)
	}
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// outputs runs a program as a variation.
func outputs(t *testing.T, open Opener, v *vary.Variation) []analysis.Output {
	t.Helper()
	s, err := open(v)
	if err != nil {
		t.Fatal(err)
	}
	outs, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return outs
}

// with returns outputs whose element i has other bits.
func with(outs []analysis.Output, i int, bits uint64) []analysis.Output {
	o := outs[0]
	o.Data = append([]byte(nil), o.Data...)
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], bits)
	copy(o.Data[i*o.Type.Size():], b[:o.Type.Size()])
	return append([]analysis.Output{o}, outs[1:]...)
}

// compared judges outputs against a program.
func compared(t *testing.T, open Opener, theirs []analysis.Output) *Report {
	t.Helper()
	r, err := Program(context.Background(), open, theirs)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// f32 are the bits of a number.
func f32(x float64) uint64 { return uint64(math.Float32bits(float32(x))) }
