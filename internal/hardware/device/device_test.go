package device_test

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/hardware/cuda"
	"hyptx/internal/hardware/cuda/cudatest"
	"hyptx/internal/hardware/device"
	"hyptx/internal/source"
)

// module holds kernels that the stand-in knows by name; the emulator executes
// what stands here, which is the same.
const module = `.version 7.0
.target sm_70
.address_size 64
.visible .global .align 8 .b32 weights[4];
.visible .const .align 4 .u32 factor[2];

.visible .func (.param .b32 r) twice(.param .b32 x)
{
	.reg .b32 %r<2>;
	ld.param.b32 %r0, [x];
	add.u32 %r1, %r0, %r0;
	st.param.b32 [r], %r1;
	ret;
}

.visible .entry count_up(.param .u64 counter)
{
	.reg .b64 %rd<2>; .reg .b32 %r<2>;
	ld.param.u64 %rd0, [counter];
	ld.global.u32 %r0, [%rd0];
	add.u32 %r0, %r0, 1;
	st.global.u32 [%rd0], %r0;
	ret;
}

// out[i] = *table[i], 0 for null; one thread does it all.
.visible .entry follow(.param .u64 out, .param .u64 table, .param .u32 n)
{
	.reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred %p<3>;
	ld.param.u64 %rd0, [out];
	ld.param.u64 %rd1, [table];
	ld.param.u32 %r0, [n];
	mov.u32 %r1, 0;
L:	setp.ge.u32 %p0, %r1, %r0;
	@%p0 ret;
	ld.global.u64 %rd2, [%rd1];
	setp.ne.u64 %p1, %rd2, 0;
	mov.u32 %r2, 0;
	@%p1 ld.global.u32 %r2, [%rd2];
	st.global.u32 [%rd0], %r2;
	add.u64 %rd0, %rd0, 4;
	add.u64 %rd1, %rd1, 8;
	add.u32 %r1, %r1, 1;
	bra L;
}

// The bytes of the other parameters.
.visible .entry store_params(.param .u64 out, .param .align 8 .b8 s[24], .param .u64 a, .param .u64 b)
{
	.reg .b64 %rd<7>;
	ld.param.u64 %rd0, [out];
	ld.param.u64 %rd1, [s];
	ld.param.u64 %rd2, [s+8];
	ld.param.u64 %rd3, [s+16];
	ld.param.u64 %rd4, [a];
	ld.param.u64 %rd5, [b];
	st.global.u64 [%rd0], %rd1;
	st.global.u64 [%rd0+8], %rd2;
	st.global.u64 [%rd0+16], %rd3;
	st.global.u64 [%rd0+24], %rd4;
	st.global.u64 [%rd0+32], %rd5;
	ret;
}

// *out = f(x)
.visible .entry call(.param .u64 out, .param .u64 f, .param .b32 x)
{
	.reg .b64 %rd<3>; .reg .b32 %r<3>;
	ld.param.u64 %rd0, [out];
	ld.param.u64 %rd1, [f];
	ld.param.b32 %r0, [x];
	{
		.param .b32 in;
		.param .b32 back;
		st.param.b32 [in], %r0;
		P: .callprototype (.param .b32 _) _ (.param .b32 _);
		call (back), %rd1, (in), P;
		ld.param.b32 %r1, [back];
	}
	st.global.u32 [%rd0], %r1;
	ret;
}

.visible .entry illegal()
{
	ret;
}
`

// everything uses all that a manifest has and a GPU can do.
const everything = `{"version": 1, "name": "everything",
"limits": {"stackBytes": 4096, "heapBytes": 1048576, "printfBytes": 65536},
"buffers": {
 "data":    {"type": "u32", "bytes": 40, "init": {"iota": {"start": 100, "step": 1}}},
 "moved":   {"type": "u32", "bytes": 40},
 "table":   {"type": "u64", "init": {"pointers": [{"buffer": "data", "offset": 8}, null, {"buffer": "late", "offset": 4092}]}},
 "slots":   {"type": "u64", "bytes": 40},
 "found":   {"type": "u32", "bytes": 32, "init": {"fill": 9}},
 "counter": {"type": "u32", "bytes": 8, "init": "zero"},
 "noise":   {"type": "f32", "bytes": 5242880, "init": {"normal": {"seed": 7, "mean": 0, "stddev": 1}}},
 "late":    {"type": "u32", "bytes": 4096, "align": 4096, "init": {"fill": 77}}},
"symbols": [{"module": "m.ptx", "name": "weights", "init": {"values": [1, 2, 3, 4]}}, {"module": "m.ptx", "name": "factor", "init": {"values": [5, 6]}}],
"launches": [
 {"module": "m.ptx", "label": "look", "kernel": "follow", "grid": [1], "block": [1], "args": [{"buffer": "found"}, {"buffer": "table"}, {"value": 3}]},
 {"repeat": 2, "steps": [
  {"module": "m.ptx", "kernel": "count_up", "grid": [1], "block": [1], "count": 3, "args": {"counter": {"buffer": "counter", "offset": 4}}},
  {"copy": {"from": {"buffer": "data"}, "to": {"buffer": "moved", "offset": 4}, "bytes": 36}}]},
 {"copy": {"from": {"buffer": "moved", "offset": 4}, "to": {"buffer": "moved", "offset": 12}, "bytes": 28}},
 {"copy": {"from": {"buffer": "moved", "offset": 20}, "to": {"buffer": "moved", "offset": 16}, "bytes": 20}},
 {"copy": {"from": {"buffer": "noise"}, "to": {"buffer": "noise", "offset": 40}, "bytes": 5242840}},
 {"copy": {"from": {"buffer": "noise", "offset": 4}, "to": {"buffer": "noise"}, "bytes": 5000000}},
 {"memset": {"buffer": "data", "offset": 4, "bytes": 8, "value": 3}},
 {"memset": {"buffer": "data", "offset": 36, "bytes": 4, "value": 0}},
 {"write": {"buffer": "late", "init": {"iota": {"start": 0, "step": 1}}}},
 {"write": {"symbol": {"name": "weights", "offset": 8}, "init": {"values": [30, 40]}}},
 {"module": "m.ptx", "kernel": "store_params", "grid": [1], "block": [1], "args": [{"buffer": "slots"},
  {"bytes": 24, "fields": [{"at": 0, "buffer": "late", "offset": 40}, {"at": 8, "null": true}, {"at": 16, "bytes": 8, "fields": [{"at": 0, "buffer": "data"}]}]},
  {"symbol": {"name": "weights", "offset": 12}}, {"hex": "0000000000000000"}]},
 {"module": "m.ptx", "kernel": "follow", "grid": [1], "block": [1], "args": [{"buffer": "found", "offset": 12}, {"buffer": "slots"}, {"value": 5}]},
 {"write": {"buffer": "table", "init": {"pointers": [{"buffer": "data", "offset": 4}, {"buffer": "moved", "offset": 4}, null]}}}],
"outputs": ["data", "moved", "found", "counter", "noise", {"symbol": {"name": "weights"}}, {"name": "half", "symbol": {"name": "weights"}, "offset": 8, "bytes": 4, "type": "s32"},
 {"name": "end", "buffer": "late", "offset": 4088}]}`

// open writes a manifest beside the module and opens it.
func open(t *testing.T, text string) *analysis.Session {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"m.ptx": module, "m.json": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	src, err := source.Read(filepath.Join(dir, "m.json"), nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := analysis.OpenManifest(src, analysis.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// gpu makes a context on the stand-in.
func gpu(t *testing.T) *cuda.Context {
	t.Helper()
	d, err := cuda.Open("")
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.Context(0)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// run runs a manifest on the stand-in.
func run(t *testing.T, text string) (*device.Result, error) {
	t.Helper()
	c := gpu(t)
	r, err := device.Run(context.Background(), c, open(t, text))
	if closing := c.Close(); closing != nil {
		t.Error(closing)
	}
	return r, err
}

// TestSameAsEmulator: a program leaves the same on the GPU as in the emulator.
func TestSameAsEmulator(t *testing.T) {
	d := cudatest.Use(t)
	got, err := run(t, everything)
	if err != nil {
		t.Fatal(err)
	}
	want, err := open(t, everything).Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Outputs) != len(want) {
		t.Fatalf("%d outputs, want %d", len(got.Outputs), len(want))
	}
	for i, w := range want {
		g := got.Outputs[i]
		if g.Name != w.Name || g.Type != w.Type || !slices.Equal(g.Data, w.Data) {
			t.Errorf("%s is %s of %d bytes, % .40x; the emulator's %s is %s of %d bytes, % .40x", g.Name, g.Type, len(g.Data), g.Data, w.Name, w.Type, len(w.Data), w.Data)
		}
	}
	var took []string
	for i, l := range got.Launches {
		if l.Index != i {
			t.Errorf("launch %d has the index %d", i, l.Index)
		}
		took = append(took, l.Path+" "+l.Label+" "+l.Kernel)
		if l.TimeMS != 0.125 || l.Registers != 24 || l.LocalBytes != 16 || l.StaticSharedBytes != 128 {
			t.Errorf("launch %d took %+v", i, l)
		}
	}
	if want := []string{"launches[0] look follow", "launches[1].steps[0]  count_up", "launches[1].steps[0]  count_up", "launches[10]  store_params", "launches[11]  follow"}; !slices.Equal(took, want) {
		t.Errorf("launches %q, want %q", took, want)
	}
	calls := d.Calls()
	if last := calls[len(calls)-1]; last != "left 0 allocations 0 modules 0 events" {
		t.Errorf("the last line is %q", last)
	}
	for _, want := range []string{"cuCtxSetLimit 0 4096", "cuCtxSetLimit 2 1048576", "cuCtxSetLimit 1 65536"} {
		if !slices.Contains(calls, want) {
			t.Errorf("no call %s", want)
		}
	}
}

// word is the 8 bytes at a place.
func word(data []byte, at int) uint64 { return binary.LittleEndian.Uint64(data[at:]) }

// TestAddresses: functions have the GPU's addresses; alignments are kept; what
// lies over a pointer in a struct stays.
func TestAddresses(t *testing.T) {
	cudatest.Use(t)
	r, err := run(t, `{"version": 1, "buffers": {"out": {"bytes": 40, "type": "u64"}, "big": {"bytes": 16, "align": 1048576}},
"launches": [{"module": "m.ptx", "kernel": "store_params", "grid": [1], "block": [1], "args": [{"buffer": "out"},
 {"bytes": 24, "fields": [{"at": 0, "buffer": "big"}, {"at": 8, "function": "twice"}, {"at": 16, "buffer": "big"}, {"at": 16, "value": 12345, "type": "u64"}]},
 {"function": "twice"}, {"function": "count_up"}]}], "outputs": ["out"]}`)
	if err != nil {
		t.Fatal(err)
	}
	out := r.Outputs[0].Data
	if big := word(out, 0); big == 0 || big%1048576 != 0 {
		t.Errorf("big lies at %#x, which is not aligned", big)
	}
	for i, want := range []uint64{0xF000 + 't', 12345, 0xF000 + 't', 0xF000 + 'c'} {
		if got := word(out, 8+8*i); got != want {
			t.Errorf("word %d is %#x, want %#x", i+1, got, want)
		}
	}
}

// TestAgain: a program runs several times, timed or not, and can be filled again.
func TestAgain(t *testing.T) {
	cudatest.Use(t)
	c := gpu(t)
	defer c.Close()
	p, err := device.New(c, open(t, `{"version": 1, "buffers": {"counter": {"bytes": 4, "type": "u32", "init": {"fill": 10}}},
"launches": [{"module": "m.ptx", "kernel": "count_up", "grid": [1], "block": [1], "count": 2, "args": [{"buffer": "counter"}]}], "outputs": ["counter"]}`))
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	check := func(want uint64) {
		t.Helper()
		out, err := p.Outputs()
		if err != nil || out[0].Bits(0) != want {
			t.Errorf("the counter is %d, %v; want %d", out[0].Bits(0), err, want)
		}
	}
	for range 2 {
		if _, err := p.Run(ctx); err != nil {
			t.Fatal(err)
		}
	}
	check(14)
	for range 3 {
		if err := p.Enqueue(ctx); err != nil {
			t.Fatal(err)
		}
	}
	check(20)
	if err := p.Fill(); err != nil {
		t.Fatal(err)
	}
	check(10)
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestAfter: the callback sees the memory as each launch left it and can end
// the run.
func TestAfter(t *testing.T) {
	cudatest.Use(t)
	c := gpu(t)
	defer c.Close()
	p, err := device.New(c, open(t, `{"version": 1, "buffers": {"counter": {"bytes": 4, "type": "u32", "init": "zero"}},
"launches": [{"repeat": 5, "steps": [{"module": "m.ptx", "kernel": "count_up", "grid": [1], "block": [1], "args": [{"buffer": "counter"}]}]}], "outputs": ["counter"]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	enough := errors.New("enough")
	p.After = func(index int) error {
		out, err := p.Outputs()
		if err != nil || out[0].Bits(0) != uint64(index+1) {
			t.Errorf("after launch %d the counter is %d, %v", index, out[0].Bits(0), err)
		}
		if index == 2 {
			return enough
		}
		return nil
	}
	if took, err := p.Run(context.Background()); err != enough || len(took) != 3 {
		t.Errorf("%v after %d launches, want enough after 3", err, len(took))
	}
}

// TestNotOnGPU: what a GPU cannot do is an error before anything runs.
func TestNotOnGPU(t *testing.T) {
	d := cudatest.Use(t)
	launch := func(more string) string {
		return `{"version": 1, "buffers": {"b": {"bytes": 64}}, "launches": [{"module": "m.ptx", "kernel": "count_up", "args": [{"buffer": "b"}], ` + more + `}]}`
	}
	for _, test := range []struct{ manifest, want string }{
		{strings.Replace(launch(`"grid": [1], "block": [1]`), `"buffers"`, `"device": {"sms": 80}, "buffers"`, 1), "device.sms: Stand-in GPU 0 has 132 SMs, not 80; leave the key out"},
		{launch(`"grid": [1], "block": [1], "dynamicSharedBytes": 232400`), "launches[0].dynamicSharedBytes: with the kernel's own, 232528 bytes of shared memory; a CTA has at most 232448 on Stand-in GPU 0"},
	} {
		d.Calls()
		_, err := run(t, test.manifest)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
		if calls := strings.Join(d.Calls(), "\n"); strings.Contains(calls, "cuMemAlloc") || strings.Contains(calls, "cuLaunch") || !strings.Contains(calls, "left 0 allocations 0 modules") {
			t.Errorf("%s: calls\n%s", test.want, calls)
		}
	}
}
