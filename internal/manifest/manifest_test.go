package manifest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hyptx/internal/strictjson"
)

const whole = `{
  "version": 1, "name": "net",
  "modules": {"m": {"files": ["k.ptx"]}},
  "buffers": {
    "z":   {"bytes": 1000},
    "a b": {"type": "s32", "init": {"values": [1, -2, "0xffffffff"]}, "align": 4096},
    "p":   {"type": "u64", "init": {"pointers": [{"buffer": "z", "offset": 8}, null, {"buffer": "last"}]}},
    "raw": {"bytes": 4, "init": {"file": "raw.bin", "offset": 2}},
    "last": {"bytes": 16, "type": "f32", "init": {"fill": 1}}
  },
  "symbols": [{"module": "m", "name": "bias", "init": {"values": [1, 2]}}],
  "limits": {"stackBytes": 2048, "heapBytes": 1, "printfBytes": 2},
  "device": {"sms": 132},
  "launches": [
    {"label": "one", "module": "m", "kernel": "k<1>", "grid": [19, 38], "block": [16], "cluster": [1, 2, 1], "dynamicSharedBytes": 64,
     "count": 3, "cooperative": true, "stream": 2,
     "args": [{"buffer": "last"}, {"buffer": "z", "offset": 1000}, {"value": 7, "type": "s32"}, {"value": "nan"}, {"hex": "0011"},
              {"null": true}, {"symbol": {"module": "m", "name": "bias", "offset": 4}}, {"function": "f"},
              {"bytes": 16, "fields": [{"at": 0, "buffer": "z"}, {"at": 8, "value": 3, "type": "s32"}], "hex": "ff"}]},
    {"copy": {"from": {"buffer": "last", "offset": 4}, "to": {"buffer": "z"}, "bytes": 12}},
    {"memset": {"buffer": "last", "offset": 4, "bytes": 8, "value": 2}},
    {"repeat": 2, "steps": [
      {"write": {"symbol": {"module": "m", "name": "bias"}, "init": "zero"}},
      {"repeat": 3, "steps": [{"module": "./k2.ptx", "kernel": "k", "grid": [1], "block": [1], "args": {"x": {"value": 1}}}]},
      {"write": {"buffer": "last", "init": {"fill": 3}}}]},
    {"module": "k2.ptx", "kernel": "k", "grid": [1], "block": [1], "args": []}
  ],
  "outputs": ["last", {"name": "head", "buffer": "z", "offset": 4, "bytes": 8, "type": "u32"}, {"symbol": {"module": "m", "name": "bias"}}],
  "meta": {"any": [1, {"thing": null}]}
}`

func TestWholeManifest(t *testing.T) {
	m := parseOK(t, whole)
	// By hand: 1000 bytes and 256 of guard, up to the next 4096; then 12
	// bytes, guard and 256, and so on.
	for i, want := range []string{"z 7f0000000000 1000", "a b 7f0000001000 12", "p 7f0000001200 24", "raw 7f0000001400 4", "last 7f0000001600 16"} {
		b := m.Buffers[i]
		if got := fmt.Sprintf("%s %x %d", b.Name, b.Base, b.Bytes); got != want {
			t.Errorf("buffer %d: %s, want %s", i, got, want)
		}
	}
	if m.Buffers[0].Specified() || !m.Buffers[1].Specified() {
		t.Error("only buffers with init are specified")
	}
	check := func(name string, want ...byte) {
		t.Helper()
		got := make([]byte, len(want))
		if err := m.Buffer(name).Fill(got, 0); err != nil || string(got) != string(want) {
			t.Errorf("%s holds % x, %v, want % x", name, got, err, want)
		}
	}
	check("z", 0, 0, 0)
	check("a b", 1, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
	check("raw", '2', '3', '4', '5')
	check("last", 0, 0, 0x80, 0x3f)
	check("p", 8, 0, 0, 0, 0, 0x7f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x16, 0, 0, 0, 0x7f, 0, 0)

	var steps []string
	for s := range m.All() {
		steps = append(steps, s.Path)
	}
	inner := "launches[3].steps[0] launches[3].steps[1].steps[0] launches[3].steps[1].steps[0] launches[3].steps[1].steps[0] launches[3].steps[2] "
	if got, want := strings.Join(steps, " "), "launches[0] launches[1] launches[2] "+inner+inner+"launches[4]"; got != want {
		t.Errorf("steps %s, want %s", got, want)
	}
	l := m.Steps[0].Launch
	if l.Grid != [3]int{19, 38, 1} || l.Block != [3]int{16, 1, 1} || l.Cluster != [3]int{1, 2, 1} || l.Count != 3 || l.Stream != "2" || !l.Cooperative || l.DynamicSharedBytes != 64 {
		t.Errorf("launch %+v", l)
	}
	if k2 := m.Steps[4].Launch.Module; k2 != m.Steps[3].Repeat.Steps[1].Repeat.Steps[0].Launch.Module || len(m.Modules) != 2 {
		t.Error("./k2.ptx and k2.ptx are one module")
	}
	if s := m.Steps[2].Memset; s.Bits != 0x40000000 || s.Type != F32 {
		t.Errorf("memset %+v takes the buffer's type", s)
	}
	if string(m.Meta) != `{"any": [1, {"thing": null}]}` {
		t.Errorf("meta %s", m.Meta)
	}
	if o := m.Outputs; o[0].Bytes != 16 || o[1].Type != U32 || o[2].Name != "bias" || o[2].Bytes != -1 {
		t.Errorf("outputs %+v", o)
	}
}

// launch wraps the text of one launch or step into a manifest.
func launch(text string) string {
	return `{"version": 1, "buffers": {"b": {"bytes": 16, "type": "f32"}}, "launches": [` + text + `]}`
}

// args wraps arguments.
func args(text string) string {
	return launch(`{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [1], "args": ` + text + `}`)
}

func buffers(text string) string {
	return `{"version": 1, "launches": [], "buffers": {` + text + `}}`
}

var badManifests = []struct{ text, want string }{
	{``, `m.json:1:1: not valid JSON: unexpected end of JSON input`},
	{"{\n  \"version\" 1}", `m.json:2:13: not valid JSON: invalid character '1' after object key`},
	{`{} x`, `m.json:1:4: not valid JSON: invalid character 'x' after top-level value`},
	{"\xff", `m.json: not UTF-8 text`},
	{`[]`, `m.json: must be an object, not a list`},
	{`{"launches": []}`, `m.json: lacks the key "version"`},
	{`{"version": 2, "launches": []}`, `m.json: version: 2 must be 1`},
	{`{"version": 1}`, `m.json: lacks the key "launches"`},
	{`{"version": 1, "launches": [], "buffer": {}}`, `m.json: unknown key "buffer"; known here: version, name, modules, buffers, symbols, textures, tensorMaps, limits, device, launches, outputs, meta`},
	{`{"version": 1, "launches": [], "version": 1}`, `m.json: version: the key stands twice`},
	{`{"version": 1, "launches": [], "meta": {"a": [{"b": 1, "b": 2}]}}`, `m.json: meta.a[0].b: the key stands twice`},
	{`{"version": 1, "launches": ` + strings.Repeat("[", 101) + strings.Repeat("]", 101) + `}`, `m.json: nested more than 100 deep`},
	{`{"version": 1, "launches": [], "modules": {"m": {"files": []}}}`, `m.json: modules.m.files: must name at least one file`},
	{`{"version": 1, "launches": [], "modules": {"m": {"files": ["no.ptx"]}}}`, `m.json: modules.m.files[0]: no.ptx: no such file or directory: it was looked for at no.ptx`},
	{`{"version": 1, "launches": [], "modules": {"m": {"files": ["."]}}}`, `m.json: modules.m.files[0]: .: not a regular file`},
	{`{"version": 1, "launches": [], "limits": {"stackBytes": -1}, "device": {"sms": 0}}`,
		"m.json: limits.stackBytes: -1 must be a whole number between 0 and 524288\nm.json: device.sms: 0 must be a whole number between 1 and 65536"},

	{buffers(`"b": {}`), `m.json: buffers.b: lacks the key "bytes"; only values, files and pointers give a size of their own`},
	{buffers(`"b": {"bytes": 0}`), `m.json: buffers.b.bytes: 0 must be a whole number between 1 and 1099511627776`},
	{buffers(`"b": {"bytes": 1.5}`), `m.json: buffers.b.bytes: 1.5 must be a whole number between 1 and 1099511627776`},
	{buffers(`"b": {"bytes": "4"}`), `m.json: buffers.b.bytes: must be a number, not the string "4"`},
	{buffers(`"b": {"bytes": 6, "type": "f32"}`), `m.json: buffers.b.bytes: 6 bytes are no whole number of f32`},
	{buffers(`"b": {"bytes": 8, "type": "f128"}`), `m.json: buffers.b.type: "f128" is no type; the types are s8, s16, s32, s64, u8, u16, u32, u64, b8, b16, b32, b64, f16, bf16, f32, f64`},
	{buffers(`"b": {"bytes": 8, "align": 48}`), `m.json: buffers.b.align: 48 is no power of two`},
	{buffers(`"": {"bytes": 8}`), `m.json: buffers[""]: must not be empty`},
	{buffers(`"b": {"bytes": 8, "size": 8}`), `m.json: buffers.b: unknown key "size"; known here: bytes, type, align, init`},
	{buffers(`"a": {"bytes": 1099511627776}, "b": {"bytes": 1}`), `m.json: buffers.b: 1 bytes at 0x800000000100 lie behind the end of the address space at 0x800000000000`},
	{buffers(`"b": {"bytes": 8, "init": "one"}`), `m.json: buffers.b.init: "one" is no way to initialise; the only word is "zero"`},
	{buffers(`"b": {"bytes": 8, "init": {}}`), `m.json: buffers.b.init: needs one of the keys fill, iota, uniform, normal, values, file, pointers`},
	{buffers(`"b": {"bytes": 8, "init": {"fill": 1, "iota": {}}}`), `m.json: buffers.b.init: the keys fill and iota exclude each other`},
	{buffers(`"b": {"bytes": 8, "init": {"fill": 1, "offset": 2}}`), `m.json: buffers.b.init.offset: does not go with "fill"`},
	{buffers(`"b": {"bytes": 8, "init": {"fill": 256}}`), `m.json: buffers.b.init: 256 does not fit b8`},
	{buffers(`"b": {"bytes": 8, "init": {"fill": "x"}}`), `m.json: buffers.b.init.fill: "x" is no number; write it in decimal, as 0x..., nan, inf or -inf`},
	{buffers(`"b": {"bytes": 8, "init": {"fill": null}}`), `m.json: buffers.b.init.fill: must be a number, or a string that holds one, not null`},
	{buffers(`"b": {"bytes": 8, "init": {"values": [1, 2]}}`), `m.json: buffers.b.init: 2 values for 8 elements of b8`},
	{buffers(`"b": {"init": {"values": []}}`), `m.json: buffers.b: must hold at least one byte`},
	{buffers(`"b": {"init": {"values": [1, true]}}`), `m.json: buffers.b.init.values[1]: must be a number, or a string that holds one, not true or false`},
	{buffers(`"b": {"init": {"values": [1, 300]}}`), `m.json: buffers.b.init: values[1]: 300 does not fit b8`},
	{buffers(`"b": {"bytes": 4, "type": "f32", "init": {"uniform": {"seed": 1, "low": 0}}}`), `m.json: buffers.b.init.uniform: lacks the key "high"`},
	{buffers(`"b": {"bytes": 4, "type": "f32", "init": {"uniform": {"seed": -1, "low": 0, "high": 1}}}`), `m.json: buffers.b.init.uniform.seed: -1 must be a whole number between 0 and 2^64-1`},
	{buffers(`"b": {"bytes": 4, "type": "f32", "init": {"uniform": {"seed": 1, "low": 2, "high": 1}}}`), `m.json: buffers.b.init: low 2 is above high 1`},
	{buffers(`"b": {"bytes": 4, "type": "f32", "init": {"uniform": {"seed": 1, "low": -1e308, "high": 1e308}}}`), `m.json: buffers.b.init: -1e308 to 1e308 is too wide: high - low must be finite`},
	{buffers(`"b": {"bytes": 4, "type": "u8", "init": {"uniform": {"seed": 1, "low": 0, "high": 256}}}`), `m.json: buffers.b.init: 256 does not fit u8`},
	{buffers(`"b": {"bytes": 4, "type": "f32", "init": {"uniform": {"seed": 1, "low": "nan", "high": 256}}}`), `m.json: buffers.b.init: nan must be finite`},
	{buffers(`"b": {"bytes": 4, "type": "f32", "init": {"normal": {"seed": 1, "mean": 0, "stddev": -1}}}`), `m.json: buffers.b.init: stddev -1 is negative`},
	{buffers(`"b": {"bytes": 4, "type": "f32", "init": {"normal": {"seed": 1, "mean": 0, "stddev": 1e308}}}`), `m.json: buffers.b.init: mean 0, stddev 1e308 leave the range of f64`},
	{buffers(`"b": {"bytes": 4, "type": "s32", "init": {"iota": {"start": 0.5}}}`), `m.json: buffers.b.init: start 0.5 is no whole number that fits s32`},
	{buffers(`"b": {"init": {"file": "no.bin"}}`), `m.json: buffers.b.init.file: no.bin: no such file or directory: it was looked for at no.bin`},
	{buffers(`"b": {"init": {"file": "empty.bin"}}`), `m.json: buffers.b: must hold at least one byte`},
	{buffers(`"b": {"init": {"file": "raw.bin", "offset": 17}}`), `m.json: buffers.b.init.file: raw.bin: offset 17 lies behind the file's 16 bytes`},
	{buffers(`"b": {"init": {"file": "raw.bin", "offset": 8, "bytes": 9}}`), `m.json: buffers.b.init.file: raw.bin: bytes 8 to 17 lie outside the file's 16`},
	{buffers(`"b": {"bytes": 8, "init": {"file": "raw.bin"}}`), `m.json: buffers.b.init: raw.bin has 16 bytes, not 8`},
	{buffers(`"b": {"init": {"file": "raw.bin", "key": "k"}}`), `m.json: buffers.b.init.key: does not go with the file "raw.bin"`},
	{buffers(`"b": {"init": {"file": "x.npy", "offset": 4}}`), `m.json: buffers.b.init.offset: does not go with the file "x.npy"`},
	{buffers(`"b": {"init": {"file": "x.npz"}}`), `m.json: buffers.b.init: lacks the key "key"`},
	{buffers(`"b": {"init": {"pointers": [{"buffer": "c"}]}}`), `m.json: buffers.b.init.pointers[0].buffer: there is no buffer "c"`},
	{buffers(`"b": {"init": {"pointers": [null, {"buffer": "b", "offset": 17}]}}`), `m.json: buffers.b.init.pointers[1]: offset 17 lies outside the 16 bytes of buffer "b"`},
	{buffers(`"b": {"type": "f32", "init": {"pointers": [null]}}`), `m.json: buffers.b.init: pointers need the type u64, s64, b64 or b8, not f32`},

	{launch(`{}`), "m.json: launches[0]: lacks the key \"module\"\nm.json: launches[0]: lacks the key \"kernel\"\nm.json: launches[0]: lacks the key \"grid\"\n" +
		"m.json: launches[0]: lacks the key \"block\"\nm.json: launches[0]: lacks the key \"args\""},
	{launch(`{"module": "no.ptx", "kernel": "k", "grid": [1], "block": [1], "args": []}`), `m.json: launches[0].module: no.ptx: no such file or directory: it was looked for at no.ptx`},
	{launch(`{"module": "k.ptx", "kernel": "k", "grid": [1, 0], "block": [1, 1, 1, 1], "args": []}`),
		"m.json: launches[0].grid[1]: 0 must be a whole number between 1 and 2147483647\nm.json: launches[0].block: must hold 1 to 3 numbers, not 4"},
	{launch(`{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [1], "args": [], "count": 0, "stream": []}`),
		"m.json: launches[0].count: 0 must be a whole number between 1 and 2147483647\nm.json: launches[0].stream: must be a number or a string"},
	{launch(`{"copy": {"from": {"buffer": "b"}, "to": {"buffer": "b", "offset": 8}, "bytes": 9}}`), `m.json: launches[0].copy.to: bytes 8 to 17 lie outside the 16 bytes of buffer "b"`},
	{launch(`{"memset": {"buffer": "b", "bytes": 6, "value": 0}}`), `m.json: launches[0].memset.bytes: 6 bytes are no whole number of f32`},
	{launch(`{"memset": {"buffer": "b", "bytes": 4, "value": 256, "type": "u8"}}`), `m.json: launches[0].memset.value: 256 does not fit u8`},
	{launch(`{"write": {"buffer": "b", "init": {"values": [1]}}}`), `m.json: launches[0].write.init: 1 value for 4 elements of f32`},
	{launch(`{"write": {"buffer": "b", "symbol": {}, "init": "zero"}}`), `m.json: launches[0].write: the keys symbol and buffer exclude each other`},
	{launch(`{"copy": {}, "memset": {}}`), "m.json: launches[0]: unknown key \"memset\"; known here: copy\nm.json: launches[0].copy: lacks the key \"from\""},
	{launch(`{"repeat": 1048577, "steps": [{"memset": {"buffer": "b", "bytes": 4, "value": 1}}]}`), `m.json: launches: more than 1048576 steps once every repeat is written out`},
	{launch(`{"repeat": 2000000000, "steps": [{"repeat": 2000000000, "steps": [{"repeat": 2000000000, "steps": [{"memset": {"buffer": "b", "bytes": 4, "value": 1}}]}]}]}`),
		`m.json: launches: more than 1048576 steps once every repeat is written out`},

	{launch(`{"repeat": 2000000000, "steps": [{"repeat": 2000000000, "steps": []}]}`), `m.json: launches: more than 1048576 steps once every repeat is written out`},

	{args(`3`), `m.json: launches[0].args: must be a list or an object, not a number`},
	{args(`[{"buffer": "c"}]`), `m.json: launches[0].args[0].buffer: there is no buffer "c"`},
	{args(`{"x": {"buffer": "b", "offset": 17}}`), `m.json: launches[0].args.x: offset 17 lies outside the 16 bytes of buffer "b"`},
	{args(`[{"value": 1, "type": "s32", "offset": 3}]`), `m.json: launches[0].args[0].offset: does not go with "value"`},
	{args(`[{"value": 3000000000, "type": "s32"}]`), `m.json: launches[0].args[0].value: 3000000000 does not fit s32`},
	{args(`[{"value": 1, "buffer": "b"}]`), `m.json: launches[0].args[0]: the keys value and buffer exclude each other`},
	{args(`[{"hex": "012"}, {"null": false}, {"texture": "t"}, {"tensorMap": "A"}]`),
		"m.json: launches[0].args[0].hex: \"012\" is not an even number of hexadecimal digits\nm.json: launches[0].args[1].null: must be true\n" +
			"m.json: launches[0].args[2].texture: there is no texture \"t\"\nm.json: launches[0].args[3].tensorMap: there is no tensor map \"A\""},
	{args(`[{"bytes": 8, "fields": [{"at": 0, "value": 3}, {"buffer": "b"}, {"at": 40000, "null": true}]}]`),
		"m.json: launches[0].args[0].fields[0].value: needs a type: a field has none of its own\nm.json: launches[0].args[0].fields[1]: lacks the key \"at\"\n" +
			"m.json: launches[0].args[0].fields[2].at: 40000 must be a whole number between 0 and 32763"},
	{args(`[{"at": 3, "value": 3}]`), `m.json: launches[0].args[0]: unknown key "at"; known here: value, type, hex, null, buffer, offset, symbol, function, texture, surface, sampler, tensorMap, bytes, fields`},

	{`{"version": 1, "buffers": {"b": {"bytes": 16}}, "launches": [], "outputs": ["c", "b", "b", {"buffer": "b", "name": "../x"}, {"buffer": "b", "offset": 16, "name": "y"}, {"buffer": "b", "name": "q", "offset": 3, "type": "u32"}]}`,
		"m.json: outputs[0]: there is no buffer \"c\"\nm.json: outputs[2]: there are two outputs \"b\"; give them names\nm.json: outputs[3]: \"../x\" cannot name a file; give the output another \"name\"\n" +
			"m.json: outputs[4]: bytes 16 to 17 lie outside the 16 bytes of buffer \"b\"\nm.json: outputs[5]: 13 bytes are no whole number of u32"},
	{`{"version": 1, "launches": [], "symbols": [{"name": "s", "init": "zero"}]}`, `m.json: symbols[0]: lacks the key "module"`},
	{`{"version": 1, "launches": [], "textures": {"t": {"buffer": "c", "kind": "4d", "format": "f32", "width": 4, "channels": 3, "address": ["up"]}}}`,
		"m.json: textures.t.buffer: there is no buffer \"c\"\nm.json: textures.t.kind: \"4d\" is none of 2d, 1d, 3d, 1dLayered, 2dLayered, cube, cubeLayered, mipmapped, linear, pitch2d, 2dMultisample, 2dMultisampleLayered\n" +
			"m.json: textures.t.channels: must be 1, 2 or 4\nm.json: textures.t.address[0]: \"up\" is none of clamp, wrap, mirror, border"},
	{`{"version": 1, "buffers": {"b": {"bytes": 16}}, "launches": [], "textures": {"t": {"buffer": "b", "kind": "linear", "format": "f32", "width": 268435456}, "u": {"buffer": "b", "kind": "1d", "format": "f32", "width": 4194305}}}`,
		"m.json: textures.t: bytes 0 to 1073741824 lie outside the 16 bytes of buffer \"b\"\nm.json: textures.u.width: 4194305 must be a whole number between 1 and 4194304"},
	{`{"version": 1, "buffers": {"b": {"bytes": 16}}, "launches": [], "tensorMaps": {"A": {"buffer": "b", "offset": 8, "type": "f16", "dims": [4, 4], "stridesBytes": [1, 2], "box": [4, 300]}}}`,
		"m.json: tensorMaps.A.offset: must be a multiple of 16\nm.json: tensorMaps.A.stridesBytes: must hold 1 numbers, not 2\nm.json: tensorMaps.A.box[1]: 300 must be a whole number between 1 and 256"},
	{`{"version": 1, "buffers": {"b": {"bytes": 16}}, "launches": [], "tensorMaps": {"A": {"buffer": "b", "type": "f16", "dims": [4, 4], "box": [4, 4]}}}`, `m.json: tensorMaps.A: lacks the key "stridesBytes"`},
	{`{"version": 1, "buffers": {"b": {"bytes": 16}}, "launches": [], "tensorMaps": {"A": {"buffer": "b", "type": "u16", "dims": [4, 4, 2], "stridesBytes": [32, 40], "box": [4, 4, 1], "fill": "nan"}}}`,
		"m.json: tensorMaps.A.stridesBytes[1]: 40 must be a multiple of 16\nm.json: tensorMaps.A.fill: nan is for numbers with a point, not u16"},
}

func TestBadManifests(t *testing.T) {
	file := home(t)
	prefix := filepath.Dir(file) + string(filepath.Separator)
	for _, c := range badManifests {
		_, err := Parse(file, []byte(c.text))
		if got := strings.ReplaceAll(message(err), prefix, ""); got != c.want {
			t.Errorf("%s\n got: %s\nwant: %s", strictjson.Clip(c.text), got, c.want)
		}
	}
}

func TestManyErrors(t *testing.T) {
	_, err := Parse(home(t), []byte(launch(strings.Repeat(`{},`, 100)+`{}`)))
	var list strictjson.Errors
	if !errors.As(err, &list) || len(list) != strictjson.MaxErrors+1 || !strings.HasSuffix(err.Error(), "more than 50 errors; the others are not shown") {
		t.Errorf("%d errors: %v", len(list), err)
	}
	var first *strictjson.Error
	if !errors.As(list[0], &first) || first.Path != "launches[0]" {
		t.Errorf("the first error is %v", list[0])
	}
}

func TestTooManyValues(t *testing.T) {
	_, err := Parse(home(t), []byte(buffers(`"b": {"init": {"values": [`+strings.Repeat("1,", MaxJSONValues)+`1]}}`)))
	if err == nil || !strings.Contains(err.Error(), "more than 1048576 JSON values") {
		t.Errorf("%v", err)
	}
}

// The networks of the shared folder load, and their buffers can be filled.
func TestNetworks(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/cnn/*/*.json")
	if len(files) == 0 {
		t.Skip("there is no ../shared")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Parse(file, text)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		launches := 0
		for s := range m.All() {
			if err := m.CheckLaunch(s.Launch, LimitsFor(70, false)); err != nil {
				t.Error(err)
			}
			launches++
		}
		page := make([]byte, 4096)
		for _, b := range m.Buffers {
			part := page[:min(b.Bytes, 4096)]
			if err := b.Fill(part, b.Bytes-int64(len(part))); err != nil {
				t.Error(err)
			}
			if b.Specified() && b.Type == F32 && binary.LittleEndian.Uint32(part) == 0 && binary.LittleEndian.Uint32(part[len(part)-4:]) == 0 {
				t.Errorf("%s: buffer %s is empty", file, b.Name)
			}
		}
		if launches == 0 || len(m.Outputs) == 0 {
			t.Errorf("%s: %d launches, %d outputs", file, launches, len(m.Outputs))
		}
	}
}

func TestMemsetFill(t *testing.T) {
	m := parseOK(t, launch(`{"memset": {"buffer": "b", "offset": 4, "bytes": 8, "value": -2, "type": "s16"}}`))
	got := make([]byte, 5)
	if err := m.Steps[0].Memset.Fill(got, 3); err != nil || fmt.Sprintf("%x", got) != "fffefffeff" {
		t.Errorf("% x, %v", got, err)
	}
	if b := m.Buffers[0]; b.Bytes != 4*int64(b.Type.Size()) {
		t.Errorf("%d bytes of %s", b.Bytes, b.Type)
	}
}

// A consumer may stop in the middle of a repeat.
func TestAllStops(t *testing.T) {
	m := parseOK(t, launch(`{"repeat": 5, "steps": [{"memset": {"buffer": "b", "bytes": 4, "value": 1}}]}, {"memset": {"buffer": "b", "bytes": 4, "value": 2}}`))
	n := 0
	for range m.All() {
		if n++; n == 3 {
			break
		}
	}
	if n != 3 {
		t.Errorf("%d steps", n)
	}
}

// Errors can be taken apart.
func TestErrorParts(t *testing.T) {
	m := &Manifest{File: "m.json"}
	err := m.Errorf("launches[0]", "kernel: %w", os.ErrNotExist)
	if !errors.Is(strictjson.Errors{err}, os.ErrNotExist) || err.Error() != "m.json: launches[0]: kernel: file does not exist" {
		t.Errorf("%v", err)
	}
}

// Buffer returns the buffer of that name, or nil.
func (m *Manifest) Buffer(name string) *Buffer {
	for _, b := range m.Buffers {
		if b.Name == name {
			return b
		}
	}
	return nil
}
