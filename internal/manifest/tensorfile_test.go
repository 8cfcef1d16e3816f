package manifest

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sbinet/npyio"
)

// npyBytes makes a .npy file by the format's description (NEP 1).
func npyBytes(major byte, dict string, data []byte) []byte {
	b := append([]byte("\x93NUMPY"), major, 0)
	if major == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(dict)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(dict)))
	}
	return append(append(b, dict...), data...)
}

func dict(descr, shape string) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, shape)
}

func safetensorsBytes(header string, data []byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), data...)
}

func npzBytes(t testing.TB, method uint16, members map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, data := range members {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err == nil {
			_, err = w.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sixteen is 16 bytes of data.
var sixteen = []byte("0123456789abcdef")

func tensorHome(t testing.TB) string {
	file := home(t)
	header := `{"__metadata__": {"a": "b"}, "w": {"dtype": "F32", "shape": [2, 2], "data_offsets": [4, 20]}, "h": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]},
	  "far": {"dtype": "U8", "shape": [2], "data_offsets": [100, 102]}, "odd": {"dtype": "U8", "shape": [3], "data_offsets": [0, 4]},
	  "big": {"dtype": "F64", "shape": [4294967296, 4294967296], "data_offsets": [0, 0]}, "bad": 3, "new": {"dtype": "F4", "shape": [1], "data_offsets": [0, 1]}}`
	array := npyBytes(1, dict("<f4", "(4,)"), sixteen)
	for name, data := range map[string][]byte{
		"f4.npy":            array,
		"v2.npy":            npyBytes(2, dict("<i8", "(1, 2)"), sixteen),
		"u2.npy":            npyBytes(3, dict("<u2", "(2, 2, 2)"), sixteen),
		"scalar.npy":        npyBytes(1, dict("<f8", "()"), sixteen[:8]),
		"be.npy":            npyBytes(1, dict(">f4", "(4,)"), sixteen),
		"fortran.npy":       npyBytes(1, strings.Replace(dict("<f4", "(2, 2)"), "False", "True", 1), sixteen),
		"vector.npy":        npyBytes(1, strings.Replace(dict("<f4", "(1, 4)"), "False", "True", 1), sixteen),
		"short.npy":         npyBytes(1, dict("<f4", "(5,)"), sixteen),
		"huge.npy":          npyBytes(1, dict("<f4", "(4294967296, 4294967296)"), sixteen),
		"record.npy":        npyBytes(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (4,), }\n", sixteen),
		"cut.npy":           array[:20],
		"v9.npy":            npyBytes(9, dict("<f4", "(4,)"), sixteen),
		"long.npy":          append([]byte("\x93NUMPY\x02\x00"), 255, 255, 255, 255),
		"text.npy":          []byte("hello"),
		"s.npz":             npzBytes(t, zip.Store, map[string][]byte{"w.npy": array, "x.npy": []byte("hello")}),
		"d.npz":             npzBytes(t, zip.Deflate, map[string][]byte{"w.npy": array}),
		"text.npz":          []byte("hello"),
		"w.safetensors":     safetensorsBytes(header, append([]byte("wxyz"), sixteen...)),
		"long.safetensors":  binary.LittleEndian.AppendUint64(nil, 1<<40),
		"text.safetensors":  []byte("hi"),
		"bad.safetensors":   safetensorsBytes("[]", nil),
		"lower/F4.NPY.data": nil,
	} {
		path := filepath.Join(filepath.Dir(file), name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, path, data)
	}
	return file
}

func TestTensorFiles(t *testing.T) {
	file := tensorHome(t)
	const init = "m.json: buffers.b.init: "
	for _, c := range []struct{ buffer, want string }{
		{`"init": {"file": "f4.npy"}`, "f32 16 0123456789abcdef"},
		{`"bytes": 16, "type": "f32", "init": {"file": "f4.npy"}`, "f32 16 0123456789abcdef"},
		{`"type": "b32", "init": {"file": "f4.npy"}`, "b32 16 0123456789abcdef"},
		{`"type": "b8", "init": {"file": "f4.npy"}`, "b8 16 0123456789abcdef"},
		{`"init": {"file": "v2.npy"}`, "s64 16 0123456789abcdef"},
		{`"type": "bf16", "init": {"file": "u2.npy"}`, "bf16 16 0123456789abcdef"},
		{`"init": {"file": "scalar.npy"}`, "f64 8 01234567"},
		{`"init": {"file": "vector.npy"}`, "f32 16 0123456789abcdef"},
		{`"init": {"file": "s.npz", "key": "w"}`, "f32 16 0123456789abcdef"},
		{`"init": {"file": "d.npz", "key": "w"}`, "f32 16 0123456789abcdef"},
		{`"init": {"file": "w.safetensors", "tensor": "w"}`, "f32 16 0123456789abcdef"},
		{`"init": {"file": "w.safetensors", "tensor": "h"}`, "bf16 4 wxyz"},
		{`"init": {"file": "raw.bin", "offset": 10, "bytes": 3}`, "b8 3 abc"},
		{`"init": {"file": "raw.bin", "offset": 10}`, "b8 6 abcdef"},

		{`"type": "u32", "init": {"file": "f4.npy"}`, init + "f4.npy holds <f4, not u32"},
		{`"type": "f16", "init": {"file": "u2.npy"}`, init + "u2.npy holds <u2, not f16"},
		{`"bytes": 12, "type": "f32", "init": {"file": "f4.npy"}`, init + "f4.npy has 16 bytes, not 12"},
		{`"init": {"file": "be.npy"}`, `m.json: buffers.b.init.file: be.npy: the array is in big-endian order; save it with a.astype(a.dtype.newbyteorder('<'))`},
		{`"init": {"file": "fortran.npy"}`, "m.json: buffers.b.init.file: fortran.npy: the array is in Fortran order; save it with numpy.ascontiguousarray"},
		{`"init": {"file": "short.npy"}`, "m.json: buffers.b.init.file: short.npy: the header promises 20 bytes of elements, the file holds 16"},
		{`"init": {"file": "huge.npy"}`, "m.json: buffers.b.init.file: huge.npy: the shape in the .npy header is larger than any file"},
		{`"init": {"file": "record.npy"}`, "m.json: buffers.b.init.file: record.npy: the .npy header does not describe a plain array"},
		{`"init": {"file": "cut.npy"}`, "m.json: buffers.b.init.file: cut.npy: the .npy header is cut off"},
		{`"init": {"file": "v9.npy"}`, "m.json: buffers.b.init.file: v9.npy: .npy version 9 is unknown; 1, 2 and 3 are known"},
		{`"init": {"file": "long.npy"}`, "m.json: buffers.b.init.file: long.npy: a .npy header of 4294967295 bytes; at most 16777216"},
		{`"init": {"file": "text.npy"}`, `m.json: buffers.b.init.file: text.npy: not a .npy file: it does not start with \x93NUMPY`},
		{`"init": {"file": "s.npz", "key": "v"}`, `m.json: buffers.b.init.file: s.npz: holds no array "v"`},
		{`"init": {"file": "s.npz", "key": "x"}`, `m.json: buffers.b.init.file: s.npz: not a .npy file: it does not start with \x93NUMPY`},
		{`"init": {"file": "text.npz", "key": "x"}`, `m.json: buffers.b.init.file: text.npz: zip: not a valid zip file`},
		{`"init": {"file": "w.safetensors", "tensor": "__metadata__"}`, `m.json: buffers.b.init.file: w.safetensors: holds no tensor "__metadata__"`},
		{`"init": {"file": "w.safetensors", "tensor": "far"}`, `m.json: buffers.b.init.file: w.safetensors: tensor "far": bytes 100 to 102 lie outside the file`},
		{`"init": {"file": "w.safetensors", "tensor": "odd"}`, `m.json: buffers.b.init.file: w.safetensors: tensor "odd": 4 bytes for the shape [3] of U8`},
		{`"init": {"file": "w.safetensors", "tensor": "big"}`, `m.json: buffers.b.init.file: w.safetensors: tensor "big": 0 bytes for the shape [4294967296 4294967296] of F64`},
		{`"init": {"file": "w.safetensors", "tensor": "bad"}`, `m.json: buffers.b.init.file: w.safetensors: the header does not describe tensor "bad"`},
		{`"init": {"file": "w.safetensors", "tensor": "new"}`, `m.json: buffers.b.init.file: w.safetensors: tensor "new" has an unknown type; known are BF16, BOOL, C64, F16, F32, F64, F8_E4M3, F8_E5M2, F8_E8M0, I16, I32, I64, I8, U16, U32, U64, U8`},
		{`"init": {"file": "long.safetensors", "tensor": "w"}`, `m.json: buffers.b.init.file: long.safetensors: a .safetensors header of 1099511627776 bytes in a file of 8; at most 16777216`},
		{`"init": {"file": "text.safetensors", "tensor": "w"}`, `m.json: buffers.b.init.file: text.safetensors: not a .safetensors file: shorter than 8 bytes`},
		{`"type": "f32", "init": {"file": "w.safetensors", "tensor": "h"}`, init + "w.safetensors: h holds BF16, not f32"},
	} {
		m, err := Parse(file, []byte(buffers(`"b": {`+c.buffer+`}`)))
		got := strings.ReplaceAll(message(err), file, "m.json")
		if err == nil {
			b := m.Buffers[0]
			// In two pieces that no element boundary separates.
			data := make([]byte, b.Bytes)
			if err = errors.Join(b.Fill(data[:3], 0), b.Fill(data[3:], 3)); err != nil {
				t.Error(err)
			}
			got = fmt.Sprintf("%s %d %s", b.Type, b.Bytes, data)
		}
		if got != c.want {
			t.Errorf("%s\n got: %s\nwant: %s", c.buffer, got, c.want)
		}
	}
}

// TestDataFileIsNotQuoted: whatever file a manifest names as data, by mistake or
// on purpose, no error shows what stands in it.
func TestDataFileIsNotQuoted(t *testing.T) {
	const secret = "hunter2"
	file := home(t)
	dir := filepath.Dir(file)
	for name, data := range map[string][]byte{
		"text.npy":   []byte(secret + strings.Repeat(secret, 10)),
		"type.npy":   npyBytes(1, dict(secret, "(4,)"), sixteen),
		"order.npy":  npyBytes(1, strings.Replace(dict("<f4", "(4,)"), "False", secret, 1), sixteen),
		"be.npy":     npyBytes(1, dict(">"+secret, "(4,)"), sixteen),
		"shape.npy":  npyBytes(1, dict("<f4", "("+secret+",)"), sixteen),
		"digits.npy": npyBytes(1, dict("<f4", "(7777777 7777777,)"), sixteen),
		"long.npy":   npyBytes(1, dict("<f4", "(7777777777777777777777,)"), sixteen),

		"text.npz":    []byte(secret),
		"member.npz":  npzBytes(t, zip.Store, map[string][]byte{"w.npy": []byte(secret + secret + secret)}),
		"other.npz":   npzBytes(t, zip.Store, map[string][]byte{secret + ".npy": sixteen}),
		"cut.npz":     npzBytes(t, zip.Deflate, map[string][]byte{"w.npy": npyBytes(1, dict("<f4", "(400,)"), []byte(secret))}),
		"text.sa":     []byte(secret),
		"text.raw":    []byte(secret),
		"length.sa":   []byte(strings.Repeat(secret, 9)),
		"nojson.sa":   safetensorsBytes(secret, nil),
		"list.sa":     safetensorsBytes(`["`+secret+`"]`, nil),
		"type.sa":     safetensorsBytes(`{"w": {"dtype": "`+secret+`", "shape": [1], "data_offsets": [0, 4]}}`, sixteen),
		"shape.sa":    safetensorsBytes(`{"w": {"dtype": "F32", "shape": "`+secret+`", "data_offsets": [0, 4]}}`, sixteen),
		"key.sa":      safetensorsBytes(`{"`+secret+`": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}`, sixteen),
		"trailing.sa": safetensorsBytes(`{}`+secret, nil),
	} {
		name = strings.Replace(name, ".sa", ".safetensors", 1)
		write(t, filepath.Join(dir, name), data)
		init := `"file": "` + name + `"`
		switch filepath.Ext(name) {
		case ".npz":
			init += `, "key": "w"`
		case ".safetensors":
			init += `, "tensor": "w"`
		}
		_, err := Parse(file, []byte(buffers(`"b": {"bytes": 3, "init": {`+init+`}}`)))
		if err == nil || strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), secret[:2]) || strings.Contains(err.Error(), "7777777") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestMissingFile: who runs a manifest from elsewhere sees where its files were
// looked for.
func TestMissingFile(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	dir, err := os.Getwd() // without links
	if err != nil {
		t.Fatal(err)
	}
	absolute := filepath.Join(dir, "none.npy")
	for _, c := range []struct{ manifest, file, want string }{
		{"m.json", "w.npy", "w.npy: no such file or directory: it was looked for at " + filepath.Join(dir, "w.npy")},
		{"runs/m.json", "../data/w.npy", "../data/w.npy: no such file or directory: it was looked for at " + filepath.Join(dir, "data", "w.npy")},
		{"m.json", absolute, absolute + ": no such file or directory"},
		{"m.json", ".", ".: not a regular file"},
	} {
		_, err := Parse(c.manifest, []byte(buffers(`"b": {"init": {"file": "`+c.file+`"}}`)))
		if want := c.manifest + ": buffers.b.init.file: " + c.want; message(err) != want {
			t.Errorf("%s: %v, want %s", c.file, err, want)
		}
		_, err = Parse(c.manifest, []byte(launch(`{"module": "`+c.file+`", "kernel": "k", "grid": [1], "block": [1], "args": []}`)))
		if want := c.manifest + ": launches[0].module: " + c.want; message(err) != want {
			t.Errorf("%s: %v, want %s", c.file, err, want)
		}
	}
}

// A file that shrinks after the check is an error, not wrong data.
func TestFileShrinks(t *testing.T) {
	file := home(t)
	m, err := Parse(file, []byte(buffers(`"b": {"init": {"file": "raw.bin"}}`)))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(filepath.Dir(file), "raw.bin"), []byte("short"))
	if err := m.Buffers[0].Fill(make([]byte, 16), 0); message(err) != "buffer b: reading initial contents: EOF" {
		t.Errorf("%v", err)
	}
	if err := m.Buffers[0].Fill(make([]byte, 16), 1); message(err) != "buffer b: bytes 1 to 17 lie outside its 16" {
		t.Errorf("%v", err)
	}
}

// What npyio writes is read here; what is written here npyio reads.
func TestAgainstNpyio(t *testing.T) {
	want := []float32{1, -2.5, 3e-40, 4}
	var b bytes.Buffer
	if err := npyio.Write(&b, want); err != nil {
		t.Fatal(err)
	}
	file := home(t)
	dir := filepath.Dir(file)
	write(t, filepath.Join(dir, "theirs.npy"), b.Bytes())
	m, err := Parse(file, []byte(buffers(`"b": {"type": "f32", "init": {"file": "theirs.npy"}}`)))
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, m.Buffers[0].Bytes)
	if err := m.Buffers[0].Fill(data, 0); err != nil {
		t.Fatal(err)
	}
	ours := filepath.Join(dir, "ours.npy")
	putNPY(t, ours, F32, data)
	checkNPY(t, ours, want)
	// bf16 -2.5 is the upper half of the float32's bits, c020.
	putNPY(t, ours, BF16, []byte{0x80, 0x3f, 0x20, 0xc0})
	checkNPY(t, ours, []float32{1, -2.5})
	putNPY(t, ours, S64, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	checkNPY(t, ours, []int64{1})
	putNPY(t, ours, B16, []byte{1, 0, 0, 1})
	checkNPY(t, ours, []uint16{1, 256})
}

func checkNPY[T comparable](t *testing.T, path string, want []T) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var got []T
	if err := npyio.Read(f, &got); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s holds %v, want %v", path, got, want)
	}
}

func TestWriteNPYBytes(t *testing.T) {
	var got bytes.Buffer
	if err := WriteNPY(&got, F16, 2, bytes.NewReader([]byte{0, 0x3c})); err != nil {
		t.Fatal(err)
	}
	// NEP 1: magic, version 1.0, length of the header; elements at 64 bytes.
	want := "\x93NUMPY\x01\x00\x76\x00" + fmt.Sprintf("%-117s\n", "{'descr': '<f2', 'fortran_order': False, 'shape': (1,), }") + "\x00\x3c"
	if got.String() != want {
		t.Errorf("%q\n%q", got.String(), want)
	}
	if err := WriteNPY(&got, F32, 3, bytes.NewReader([]byte{1, 2, 3})); err == nil {
		t.Error("three bytes are no f32")
	}
}

// putNPY writes an array file.
func putNPY(t *testing.T, path string, typ Type, data []byte) {
	t.Helper()
	var b bytes.Buffer
	if err := WriteNPY(&b, typ, int64(len(data)), bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A compressed array is inflated once, however many buffers hold it, and only
// as far as its header promises.
func TestInflatedArray(t *testing.T) {
	file := tensorHome(t)
	m, err := Parse(file, []byte(buffers(`"a": {"init": {"file": "d.npz", "key": "w"}}, "b": {"init": {"file": "d.npz", "key": "w.npy"}}`)))
	if err != nil {
		t.Fatal(err)
	}
	if m.Buffers[0].source != m.Buffers[1].source {
		t.Error("two copies of one array")
	}
	if err := os.Remove(filepath.Join(filepath.Dir(file), "d.npz")); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time as well
		if err := m.Buffers[0].Fill(make([]byte, 4), 0); err == nil || !strings.Contains(err.Error(), "d.npz") {
			t.Errorf("the file is gone: %v", err)
		}
	}
}
