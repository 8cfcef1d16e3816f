package manifest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// table resolves names for tests.
type table map[string]uint64

func (t table) Symbol(m *Module, name string) (uint64, int64, error) {
	if a, ok := t[m.Name+"."+name]; ok {
		return a, 16, nil
	}
	return 0, 0, fmt.Errorf("module %s has no variable %s", m.Name, name)
}

func (t table) Function(m *Module, name string) (uint64, error) {
	if a, ok := t[m.Name+"."+name]; ok {
		return a, nil
	}
	return 0, errors.New("there is no such function")
}

var params = []Param{
	{Name: "p", Bytes: 8, Align: 8, Type: "u64"},
	{Name: "n", Bytes: 4, Align: 4, Type: "u32"},
	{Name: "b", Bytes: 1, Align: 1, Type: "u8"},
	{Name: "x", Bytes: 4, Align: 4, Type: ".f32"},
	{Name: "s", Bytes: 20, Align: 16, Type: "b8", Count: 20},
}

func packOf(t *testing.T, text string, params []Param) (*ParamBlock, error) {
	t.Helper()
	m := parseOK(t, args(text))
	m.File = "m.json"
	return m.PackArgs(m.Steps[0].Launch, params, table{"k.ptx.v": 0x7e0000000000, "k.ptx.f": 0x790000000010})
}

func TestPackArgs(t *testing.T) {
	for _, text := range []string{
		`[{"buffer": "b", "offset": 4}, {"value": 258}, {"value": 7, "type": "s8"}, {"value": 1}, {"fields": [{"at": 1, "value": -1, "type": "s16"}, {"at": 8, "symbol": {"name": "v", "offset": 16}}, {"at": 16, "bytes": 4, "fields": [{"at": 3, "hex": "ee"}]}], "hex": "a1a2a3a4"}]`,
		`{"s": {"bytes": 20, "fields": [{"at": 1, "value": 65535, "type": "b16"}, {"at": 8, "symbol": {"module": "k.ptx", "name": "v", "offset": 16}}, {"at": 19, "hex": "ee"}], "hex": "a1a2a3a4"},
		  "3": {"hex": "0000803f"}, "n": {"value": "0x102"}, "2": {"value": 7}, "0": {"buffer": "b", "offset": 4}}`,
	} {
		b, err := packOf(t, text, params)
		if err != nil {
			t.Error(err)
			continue
		}
		// By hand: p at 0, n at 8, b at 12, x at 16, s at the next 16, 32.
		want := "040000 00007f0000 02010000 07000000 0000803f 000000000000000000000000 a1ffffa4 00000000 10000000 007e0000 000000ee"
		if got := fmt.Sprintf("%x", b.Data); got != strings.ReplaceAll(want, " ", "") {
			t.Errorf("block %s\nwant  %s", got, want)
		}
		if fmt.Sprint(b.Offsets) != "[0 8 12 16 32]" || len(b.Pointers) != 1 || b.Pointers[0].At != 0 || b.Pointers[0].Offset != 4 || b.Assumed != nil {
			t.Errorf("%+v", b)
		}
	}
	one := func(typ string, bytes int) []Param {
		return []Param{{Name: "q", Bytes: bytes, Align: bytes, Type: typ}}
	}
	for _, c := range []struct {
		text string
		p    []Param
		want string
	}{
		{`[{"value": 1}]`, params, "m.json: launches[0].args: 1 argument for the 5 parameters of k"},
		{`{"q": {"value": 1}, "0": {"null": true}, "p": {"null": true}}`, params[:2],
			"m.json: launches[0].args.q: k has no parameter \"q\"; it has p, n\nm.json: launches[0].args.p: parameter p has an argument already, \"0\"\nm.json: launches[0].args: lacks an argument for parameter 1 of k, n"},
		{`{"00": {"value": 1}}`, params[:1], "m.json: launches[0].args[\"00\"]: k has no parameter \"00\"; it has p\nm.json: launches[0].args: lacks an argument for parameter 0 of k, p"},
		{`[{"value": 1, "type": "s32"}]`, params[:1], "m.json: launches[0].args[0].type: s32 has 4 bytes, parameter p (u64) has 8"},
		{`[{"value": 300}]`, one("u8", 1), "m.json: launches[0].args[0].value: 300 does not fit u8"},
		{`[{"value": -129}]`, one("u8", 1), "m.json: launches[0].args[0].value: -129 does not fit s8"},
		{`[{"value": 3}]`, one("f16x2", 4), "m.json: launches[0].args[0].value: parameter q is f16x2; give it as hex"},
		{`[{"value": 3}]`, params[4:], "m.json: launches[0].args[0].value: one value for parameter s, which is an array of 20 bytes; give it as fields or hex"},
		{`[{"hex": "00"}]`, params[:1], "m.json: launches[0].args[0].hex: 1 byte for the 8 of parameter p"},
		{`[{"buffer": "b"}]`, params[1:2], "m.json: launches[0].args[0]: the address 0x7f0000000000 does not fit 4 bytes"},
		{`[{"buffer": "b"}]`, params[2:3], "m.json: launches[0].args[0]: an address for parameter b, which is u8"},
		{`[{"buffer": "b"}]`, one("f64", 8), "m.json: launches[0].args[0]: an address for parameter q, which is f64"},
		{`[{"bytes": 8, "fields": [{"at": 4, "null": true}]}]`, params[:1], "m.json: launches[0].args[0].fields[0]: bytes 4 to 12 lie outside the 8 of p"},
		{`[{"bytes": 16, "fields": []}]`, params[:1], "m.json: launches[0].args[0].bytes: 16 bytes for the 8 of p"},
		{`[{"fields": [{"at": 0, "fields": []}]}]`, params[:1], "m.json: launches[0].args[0].fields[0]: a field needs \"bytes\""},
		{`[{"symbol": {"name": "w"}}, {"value": 1}]`, params[:2], "m.json: launches[0].args[0]: module k.ptx has no variable w"},
		{`[{"symbol": {"name": "v", "offset": 17}}]`, params[:1], "m.json: launches[0].args[0]: offset 17 lies outside the 16 bytes of symbol v"},
		{`[{"function": "g"}]`, params[:1], "m.json: launches[0].args[0]: there is no such function"},
	} {
		if _, err := packOf(t, c.text, c.p); message(err) != c.want {
			t.Errorf("%s\n got: %v\nwant: %s", c.text, err, c.want)
		}
	}
	if b, err := packOf(t, `[{"function": "f"}]`, params[:1]); err != nil || fmt.Sprintf("%x", b.Data) != "1000000000790000" {
		t.Errorf("a function: %v, %v", b, err)
	}
}

func TestCheckLaunch(t *testing.T) {
	m := &Manifest{File: "m.json"}
	ok := Launch{Path: "launches[0]", Grid: [3]int{8, 1, 1}, Block: [3]int{32, 32, 1}, Cluster: [3]int{1, 1, 1}}
	change := func(f func(*Launch)) *Launch {
		l := ok
		f(&l)
		return &l
	}
	for _, c := range []struct {
		l    *Launch
		sm   int
		far  bool
		want string
	}{
		{&ok, 70, false, ""},
		{change(func(l *Launch) { l.Grid = [3]int{1<<31 - 1, 65535, 65535} }), 70, false, ""},
		{change(func(l *Launch) { l.Grid = [3]int{0, 65536, 65536} }), 70, false,
			"m.json: launches[0].grid[0]: 0 must be between 1 and 2147483647\nm.json: launches[0].grid[1]: 65536 must be between 1 and 65535\nm.json: launches[0].grid[2]: 65536 must be between 1 and 65535"},
		{change(func(l *Launch) { l.Block = [3]int{1, 1, 65} }), 70, false, "m.json: launches[0].block[2]: 65 must be between 1 and 64"},
		{change(func(l *Launch) { l.Block = [3]int{33, 32, 1} }), 70, false, "m.json: launches[0].block: 1056 threads; a block has at most 1024"},
		{change(func(l *Launch) { l.Cluster = [3]int{8, 1, 1} }), 90, false, ""},
		{change(func(l *Launch) { l.Cluster = [3]int{8, 1, 1} }), 80, false, "m.json: launches[0].cluster: the target has no clusters; they need sm_90"},
		{change(func(l *Launch) { l.Grid[0], l.Cluster[0] = 16, 16 }), 90, false, "m.json: launches[0].cluster: 16 blocks; a cluster has at most 8"},
		{change(func(l *Launch) { l.Grid[0], l.Cluster[0] = 16, 16 }), 90, true, ""},
		{change(func(l *Launch) { l.Cluster[0] = 3 }), 100, false, "m.json: launches[0].cluster[0]: 3 does not divide the grid's 8"},
		{change(func(l *Launch) { l.DynamicSharedBytes = 232449 }), 100, false, "m.json: launches[0].dynamicSharedBytes: 232449 bytes; a block has at most 232448"},
	} {
		if got := message(m.CheckLaunch(c.l, LimitsFor(c.sm, c.far))); got != c.want {
			t.Errorf("got:  %s\nwant: %s", got, c.want)
		}
	}
}

func TestMatchKernel(t *testing.T) {
	names := map[string]string{"_Z1fIiEvi": "void f<int>(int)", "_Z1fIfEvf": "void f<float>(float)", "_Z1gi": "g(int)", "_Z1gf": "g(float)",
		"_ZN12_GLOBAL__N_11hEv": "(anonymous namespace)::h()", "k": "k",
		"_ZN1a1mIiEEvi": "void a::m<int>(int)", "_ZN1b1mIdfEEvd": "void b::m<double, float>(double)", "_ZN1a1mEv": "a::m()"}
	kernels := []string{"_Z1fIiEvi", "_Z1fIfEvf", "_Z1gi", "_Z1gf", "_ZN12_GLOBAL__N_11hEv", "k", "_ZN1a1mIiEEvi", "_ZN1b1mIdfEEvd", "_ZN1a1mEv"}
	for want, result := range map[string]string{
		"k": "5", "_Z1gf": "3", "g(int)": "2", "f<int>": "0", "void f<float>(float)": "1", "(anonymous namespace)::h": "4",
		"g": `"g" may be _Z1gi, _Z1gf; give the PTX name`,
		"f": `"f" may be _Z1fIiEvi, _Z1fIfEvf; give the PTX name`, "h": "4",
		"x": `there is no kernel "x"; there are _Z1fIiEvi, _Z1fIfEvf, _Z1gi, _Z1gf, _ZN12_GLOBAL__N_11hEv, k, _ZN1a1mIiEEvi, _ZN1b1mIdfEEvd, _ZN1a1mEv`,
		"m": `"m" may be _ZN1a1mIiEEvi, _ZN1b1mIdfEEvd, _ZN1a1mEv; give the PTX name`, "a::m": "8",
		"m<int>": "6", "m<double,float>": "7", "b::m<double,float>": "7",
	} {
		i, err := MatchKernel(want, kernels, func(s string) string { return names[s] })
		if got := fmt.Sprint(i); err == nil && got != result || err != nil && err.Error() != result {
			t.Errorf("%s: %d, %v, want %s", want, i, err, result)
		}
	}
}

// A negative number is the argument of a parameter that PTX declares unsigned, as compilers do
// with the int of CUDA.
func TestNegativeArgument(t *testing.T) {
	for _, c := range []struct {
		t, want Type
		number  string
	}{{U8, S8, "-1"}, {U32, S32, "-7"}, {U64, S64, "-7"}, {U32, U32, "7"}, {B32, B32, "-7"}, {F32, F32, "-7"}, {S16, S16, "-7"}} {
		n, err := ParseNumber(c.number)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.t.signedFor(n); got != c.want {
			t.Errorf("%s for %s is %s, want %s", c.number, c.t, got, c.want)
		}
	}
}
