package manifest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var bareParams = []Param{
	{Name: "in", Bytes: 8, Align: 8, Type: "u64", Pointer: true},
	{Name: "out", Bytes: 8, Align: 8, Type: "u64", Pointer: true},
	{Name: "n", Bytes: 4, Align: 4, Type: "u32"},
	{Name: "c", Bytes: 1, Align: 1, Type: "s8"},
	{Name: "a", Bytes: 4, Align: 4, Type: "f32"},
	{Name: "m", Bytes: 8, Align: 8, Type: "u64"},
	{Name: "s", Bytes: 12, Align: 4, Type: "b8", Count: 12},
}

func TestAssume(t *testing.T) {
	k := Kernel{Module: "dir/k.ptx", Name: "k", Params: bareParams, MaxThreads: [3]int{128, 2, 0}}
	m, assumed, err := Assume(k, Flags{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(assumed, " | "), "grid=1,1,1 | block=128,2,1 | in=buffer of unspecified contents | out=buffer of unspecified contents | n=1024 | c=127 | a=1024 | m=1024 | s=12 zero bytes"; got != want {
		t.Errorf("assumed %s\nwant    %s", got, want)
	}
	for i, base := range []uint64{FirstAddress, FirstAddress + 1<<32 + 256} {
		if b := m.Buffers[i]; !b.Elastic || b.Bytes != 1<<32 || b.Specified() || b.Base != base {
			t.Errorf("buffer %+v at %#x, want %#x", b, b.Base, base)
		}
	}
	l := m.Steps[0].Launch
	block, err := m.PackArgs(l, bareParams, nil)
	if err != nil {
		t.Fatal(err)
	}
	// in, out, n = 1024, c = 127, a = 1024.0 = 0x44800000, m, s.
	want := "000000000 07f0000 000100000 17f0000 00040000 7f000000 00008044 00000000 0004000000000000 000000000000000000000000"
	if got := fmt.Sprintf("%x", block.Data); got != strings.ReplaceAll(want, " ", "") {
		t.Errorf("block %s\nwant  %s", got, want)
	}
	if got := fmt.Sprint(block.Assumed); got != "[[16 20] [20 21] [24 28] [32 40] [40 52]]" {
		t.Errorf("assumed bytes %s", got)
	}
	if !l.AssumedGrid || !l.AssumedBlock || m.Name != "k" {
		t.Errorf("%+v", l)
	}
}

// TestAssumeShape: the assumed block has the dimensions that the kernel reads, and
// dynamic shared memory the room that is left.
func TestAssumeShape(t *testing.T) {
	for _, c := range []struct {
		k    Kernel
		want string
	}{
		{Kernel{}, "block=256,1,1"},
		{Kernel{Dimensions: 2}, "block=16,16,1"},
		{Kernel{Dimensions: 3}, "block=8,8,4"},
		{Kernel{Dimensions: 2, MaxThreads: [3]int{1024}}, "block=32,32,1"},
		{Kernel{Dimensions: 2, MaxThreads: [3]int{128}}, "block=16,8,1"},
		{Kernel{Dimensions: 2, MaxThreads: [3]int{100}}, "block=100,1,1"},
		{Kernel{Dimensions: 2, MaxThreads: [3]int{64, 2}}, "block=64,2,1"},
		{Kernel{Dimensions: 1, DynamicShared: true, StaticShared: 1000}, "block=256,1,1 dynamic_shared=48144"},
		{Kernel{DynamicShared: true, StaticShared: 50000}, "block=256,1,1 dynamic_shared=0"},
	} {
		m, assumed, err := Assume(c.k, Flags{})
		if err != nil {
			t.Fatal(err)
		}
		l := m.Steps[0].Launch
		if got := strings.Join(assumed[1:], " "); got != c.want || c.k.DynamicShared && !strings.HasSuffix(got, fmt.Sprint(l.DynamicSharedBytes)) {
			t.Errorf("%+v: %s, %+v; want %s", c.k, got, l, c.want)
		}
	}
	if _, assumed, _ := Assume(Kernel{Dimensions: 2, ReqThreads: [3]int{64}}, Flags{}); len(assumed) != 1 {
		t.Errorf("a block that the module fixes is assumed: %v", assumed)
	}
}

func TestAssumeFlags(t *testing.T) {
	file := filepath.Join(t.TempDir(), "in.npy")
	putNPY(t, file, F32, []byte{0, 0, 0x80, 0x3f})
	k := Kernel{Module: "k.ptx", Name: "k", Params: bareParams[:3], ReqThreads: [3]int{64}, MaxThreads: [3]int{128}, ReqCluster: [3]int{2}}
	m, assumed, err := Assume(k, Flags{Grid: []int{4, 2}, Args: []string{"in=@" + file, "2=77", "out=0x10"}, DynamicSharedBytes: 32})
	if err != nil {
		t.Fatal(err)
	}
	l := m.Steps[0].Launch
	if len(assumed) != 0 || l.Grid != [3]int{4, 2, 1} || l.Block != [3]int{64, 1, 1} || l.Cluster != [3]int{2, 1, 1} || l.AssumedGrid || l.DynamicSharedBytes != 32 {
		t.Errorf("%v %+v", assumed, l)
	}
	b := m.Buffers[0]
	data := make([]byte, 4)
	if err := b.Fill(data, 0); err != nil || b.Bytes != 4 || b.Type != F32 || !b.Specified() || data[3] != 0x3f || b.Elastic || len(m.Buffers) != 1 {
		t.Errorf("%+v, %v", b, err)
	}
	block, err := m.PackArgs(l, k.Params, nil)
	if err != nil || fmt.Sprintf("%x", block.Data) != "0000000000"+"7f0000"+"1000000000000000"+"4d000000" || block.Assumed != nil {
		t.Errorf("%+v, %v", block, err)
	}
	if m, assumed, _ := Assume(k, Flags{Block: []int{8}}); m.Steps[0].Launch.Grid != [3]int{2, 1, 1} || assumed[0] != "grid=2,1,1" {
		t.Errorf("the grid must hold a cluster: %v", assumed)
	}
	if m, assumed, _ := Assume(Kernel{ExplicitCluster: true}, Flags{}); !m.Steps[0].Launch.ExplicitCluster || assumed[0] != "cluster=1,1,1" {
		t.Errorf("a cluster that is to be given: %v", assumed)
	}
	if _, assumed, _ := Assume(Kernel{ExplicitCluster: true}, Flags{Cluster: []int{2}, Grid: []int{2}, Block: []int{32}}); len(assumed) != 0 {
		t.Errorf("a cluster that is given is assumed: %v", assumed)
	}
	here, err := filepath.Abs("no.npy")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		f    Flags
		want string
	}{
		{Flags{Args: []string{"x=1"}}, `k.ptx: option arg x=1: k has no parameter "x"; its parameters are 0: in (u64), 1: out (u64), 2: n (u32); a position works, too: option arg 0=...`},
		{Flags{Args: []string{"3=1"}}, `k.ptx: option arg 3=1: k has no parameter "3"; its parameters are 0: in (u64), 1: out (u64), 2: n (u32); a position works, too: option arg 0=...`},
		{Flags{Args: []string{"n"}}, `k.ptx: option arg n: must be name=value, position=value, name=hex:00ff or name=@file.npy`},
		{Flags{Args: []string{"n=1", "2=2"}}, `k.ptx: option arg 2=2: parameter n has a value already`},
		{Flags{Args: []string{"n=one"}}, `k.ptx: option arg n=one: "one" is no number; write it in decimal, as 0x..., nan, inf or -inf`},
		{Flags{Args: []string{"in=@no.npy"}}, `k.ptx: option arg in: no.npy: no such file or directory: it was looked for at ` + here},
		{Flags{Args: []string{"in=@w.npz"}}, `k.ptx: option arg in: w.npz holds several arrays; write a manifest`},
		{Flags{Block: []int{1, 2, 3, 4}}, `k.ptx: option block: must hold 1 to 3 numbers, not 4`},
		{Flags{DefaultScalar: "0.5"}, `k.ptx: args[2]: parameter n: 0.5 is no whole number that fits u32; option arg gives it one`},
		{Flags{DefaultScalar: "x"}, `k.ptx: option default-scalar: "x" is no number; write it in decimal, as 0x..., nan, inf or -inf`},
	} {
		if _, _, err := Assume(k, c.f); message(err) != c.want {
			t.Errorf("%+v\n got: %v\nwant: %s", c.f, err, c.want)
		}
	}
}

func TestNew(t *testing.T) {
	file := home(t)
	got := New("net", []Kernel{{Module: "k.ptx", Name: "f<a>", Params: bareParams[:3]}, {Module: "k.ptx", Name: "g", Params: bareParams[6:], ReqThreads: [3]int{64}}, {Module: "k2.ptx", Name: "h", Params: bareParams[:1], ReqCluster: [3]int{2}, DynamicShared: true}})
	want := `{
  "version": 1,
  "name": "net",
  "buffers": {
    "in": {"bytes": "FILL IN: the size; init, too, if the contents matter"},
    "out": {"bytes": "FILL IN: the size; init, too, if the contents matter"},
    "in_2": {"bytes": "FILL IN: the size; init, too, if the contents matter"}
  },
  "launches": [
    {"label": "f<a>", "module": "k.ptx", "kernel": "f<a>", "grid": G, "block": B, "args": {"in": {"buffer": "in"}, "out": {"buffer": "out"}, "n": {"value": "FILL IN: u32"}}},
    {"label": "g", "module": "k.ptx", "kernel": "g", "grid": G, "block": [64, 1, 1], "args": {"s": {"bytes": 12, "hex": "FILL IN: 12 bytes in hexadecimal; or \"fields\" instead"}}},
    {"label": "h", "module": "k2.ptx", "kernel": "h", "grid": G, "block": B, "cluster": [2, 1, 1], "dynamicSharedBytes": "FILL IN: bytes of dynamic shared memory", "args": {"in": {"buffer": "in_2"}}}
  ]
}
`
	want = strings.NewReplacer("G,", `"FILL IN: CTAs in x, y, z, as [1024] or [32, 32]",`, "B,", `"FILL IN: threads of a CTA in x, y, z, as [256] or [16, 16]",`).Replace(want)
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	_, err := Parse("m.json", []byte(got))
	lines := strings.Split(message(err), "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.Contains(l, "no such file") })
	if len(lines) != 11 || lines[0] != `m.json: buffers.in.bytes: still to be filled in: the size; init, too, if the contents matter` ||
		lines[5] != `m.json: launches[0].args.n.value: still to be filled in: u32` {
		t.Errorf("%d lines: %v", len(lines), err)
	}
	if _, err := Parse(file, []byte(`{"version": 1, "launches": [], "meta": {"x": ["FILL IN"]}}`)); err != nil {
		t.Error(err)
	}
}

// TestBlanksAndErrors: what is to be filled in hides nothing else that is wrong,
// and a long list of it ends with a number.
func TestBlanksAndErrors(t *testing.T) {
	const blank = `"FILL IN: a number"`
	_, err := Parse("m.json", []byte(`{"version": 1, "buffers": {"x": {"bytes": `+blank+`}, "y": {"bytes": 0}},
"launches": [{"module": "k.ptx", "kernel": "k", "gird": 1, "grid": [1], "block": `+blank+`, "args": {"x": {"buffer": "x", "offset": 4}, "n": {"value": "one"}, "a": [`+
		strings.Repeat(blank+", ", 10)+`1]}}]}`))
	var places []string
	for line := range strings.SplitSeq(message(err), "\n") {
		place, _, _ := strings.Cut(strings.TrimPrefix(line, "m.json: "), ": ")
		places = append(places, place)
	}
	want := "buffers.y.bytes launches[0] launches[0].module launches[0].args.n.value launches[0].args.a buffers.x.bytes launches[0].block"
	for i := range 8 {
		want += fmt.Sprintf(" launches[0].args.a[%d]", i)
	}
	if got := strings.Join(places, " "); got != want+" and 2 more to be filled in" {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestRest reads what the manifest of TestWholeManifest has none of.
func TestRest(t *testing.T) {
	m := parseOK(t, `{"version": 1, "modules": {"m": {"files": ["k.ptx", "k2.ptx"]}},
	  "buffers": {"u": {"bytes": 8, "type": "f16", "init": {"uniform": {"seed": 18446744073709551615, "low": -1, "high": 1}}},
	    "n": {"bytes": 8, "type": "f64", "init": {"normal": {"seed": 1, "mean": 0, "stddev": 1e-3}}},
	    "i": {"bytes": 8, "type": "s16", "init": {"iota": {"start": 1, "step": -1}}},
	    "f": {"bytes": 256, "init": {"fill": "0x7f"}}, "q": {"init": {"file": "raw.bin", "offset": 1, "bytes": 2}}},
	  "textures": {"t": {"buffer": "f", "kind": "1d", "format": "u8", "width": 4}},
	  "tensorMaps": {"A": {"buffer": "f", "type": "u8", "dims": [16, 2, 2], "stridesBytes": [16, 32], "im2col": {"lower": [0], "upper": [0], "channels": 1, "pixels": 2}}},
	  "symbols": [{"module": "m", "name": "x", "sampler": "t"}],
	  "launches": [{"module": "m", "kernel": "k", "grid": [2], "block": [2], "args": {"p": {"texture": "t"}, "q": {"tensorMap": "A"}, "0": {"function": "f"}}}]}`)
	var inits []string
	for _, b := range m.Buffers {
		inits = append(inits, fmt.Sprint(b.Name, " ", b.Init.Kind, " ", b.Init.Seed, " ", b.Init.A, " ", b.Init.B))
	}
	want := fmt.Sprintf("u %d 18446744073709551615 -1 1 n %d 1 0 1e-3 i %d 0 1 -1 f %d 0 0x7f  q %d 0  ", InitUniform, InitNormal, InitIota, InitFill, InitFile)
	if got := strings.Join(inits, " "); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	x, a, s := m.Textures[0], m.TensorMaps[0], m.Symbols[0]
	if x.Name != "t" || x.Buffer != m.Buffer("f") || x.Width != 4 || x.Height != 0 || x.Filter != "point" || a.Name != "A" || a.Im2col.Pixels != 2 || s.Bind != "sampler" || s.Target != "t" {
		t.Errorf("%+v, %+v, %+v", x, a, s)
	}
	l := m.Steps[0].Launch
	for i, want := range []Arg{{Kind: ArgTexture, Key: "p", Name: "t"}, {Kind: ArgTensorMap, Key: "q", Name: "A"}, {Kind: ArgFunction, Key: "0", Name: "f"}} {
		if a := l.Args[i]; !l.ByName || a.Kind != want.Kind || a.Key != want.Key || a.Name != want.Name {
			t.Errorf("%+v, want %+v", a, want)
		}
	}
}

// Any bytes are a manifest or an error.
func FuzzManifest(f *testing.F) {
	file := tensorHome(f)
	if err := os.Chdir(filepath.Dir(file)); err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(whole))
	for _, c := range badManifests {
		if len(c.text) < 4096 {
			f.Add([]byte(c.text))
		}
	}
	page := make([]byte, 4096)
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse(file, data)
		if err != nil {
			return
		}
		for _, b := range m.Buffers {
			part := page[:min(b.Bytes, int64(len(page)))]
			if err := b.Fill(part, b.Bytes-int64(len(part))); err != nil && b.Init != nil && b.Init.Kind != InitFile {
				t.Errorf("buffer %s: %v", b.Name, err)
			}
		}
		steps := 0
		for s := range m.All() {
			if steps++; s.Launch != nil && steps < 10 {
				m.PackArgs(s.Launch, params, nil)
				m.CheckLaunch(s.Launch, LimitsFor(90, false))
			}
		}
		if steps > MaxSteps {
			t.Errorf("%d steps", steps)
		}
	})
}

// TestFixedBlock: .reqntid fixes a block, so that nothing is assumed of it.
func TestFixedBlock(t *testing.T) {
	m, assumed, err := Assume(Kernel{Module: "k.ptx", Name: "k", ReqThreads: [3]int{64, 2, 0}}, Flags{Grid: []int{3}})
	if err != nil || len(assumed) != 0 {
		t.Fatalf("assumed %q, %v", assumed, err)
	}
	if l := m.Steps[0].Launch; l.Block != [3]int{64, 2, 1} || l.AssumedBlock {
		t.Errorf("%v, assumed: %v", l.Block, l.AssumedBlock)
	}
}
