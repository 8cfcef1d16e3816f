package fatbin

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// written is an entry as the tests write it.
type written struct {
	kind, sm int
	text     string
	how      uint64 // 0, flagLZ4 or flagZstd
}

// pack writes an entry: its header, what it holds, and zeros up to a multiple of 8.
func (e written) pack(t testing.TB) []byte {
	body, packed := []byte(e.text), 0
	switch e.how {
	case flagLZ4:
		to := make([]byte, lz4.CompressBlockBound(len(body)))
		n, err := lz4.CompressBlock(body, to, nil)
		if err != nil || n == 0 {
			t.Fatalf("%d bytes: %v", n, err)
		}
		body, packed = to[:n], n
	case flagZstd:
		w, err := zstd.NewWriter(nil)
		if err != nil {
			t.Fatal(err)
		}
		body = w.EncodeAll(body, nil)
		packed = len(body)
	}
	h := make([]byte, entryBytes)
	binary.LittleEndian.PutUint16(h, uint16(e.kind))
	binary.LittleEndian.PutUint16(h[2:], 0x101)
	binary.LittleEndian.PutUint32(h[4:], entryBytes)
	padded := append(bytes.Clone(body), make([]byte, -len(body)&7)...)
	binary.LittleEndian.PutUint64(h[8:], uint64(len(padded)))
	binary.LittleEndian.PutUint32(h[16:], uint32(packed))
	binary.LittleEndian.PutUint32(h[28:], uint32(e.sm))
	binary.LittleEndian.PutUint64(h[40:], e.how|1)
	if e.how != 0 {
		binary.LittleEndian.PutUint64(h[56:], uint64(len(e.text)))
	}
	return append(h, padded...)
}

// fatbin writes a container.
func container(t testing.TB, entries ...written) []byte {
	var body []byte
	for _, e := range entries {
		body = append(body, e.pack(t)...)
	}
	h := make([]byte, headerBytes)
	binary.LittleEndian.PutUint32(h, magic)
	binary.LittleEndian.PutUint16(h[4:], 1)
	binary.LittleEndian.PutUint16(h[6:], headerBytes)
	binary.LittleEndian.PutUint64(h[8:], uint64(len(body)))
	return append(h, body...)
}

// ptx is a module that packs well.
func ptx(name string) string {
	return ".version 8.0\n.target sm_80\n.address_size 64\n" + strings.Repeat("// a line of a comment\n", 50) + ".visible .entry " + name + "() { ret; }\n"
}

// TestModules: all modules are found, however they are packed and whatever stands around
// them; machine code is none.
func TestModules(t *testing.T) {
	both := append(container(t, written{1, 80, ptx("a"), flagLZ4}, written{2, 80, "machine code", 0}, written{1, 90, ptx("b") + "\x00", flagZstd}), make([]byte, 40)...)
	both = append(both, container(t, written{1, 70, ptx("c"), 0})...)
	for name, data := range map[string][]byte{
		"alone":     both,
		"a program": append([]byte("\x7fELF and other things \x50\xed\x55\xba which is no header"), both...),
		"archive":   append([]byte("!<arch>\n"), both...),
	} {
		if !Is(data) {
			t.Errorf("%s is no program", name)
		}
		list, err := Modules(data, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range list {
			_, entry, _ := strings.Cut(string(m.Text), ".entry ")
			got = append(got, fmt.Sprintf("%d %s %d", m.SM, entry[:1], len(m.Text)))
		}
		n := len(ptx("a"))
		if want := fmt.Sprintf("[80 a %d 90 b %d 70 c %d]", n, n, n); fmt.Sprint(got) != want {
			t.Errorf("%s: %v, want %s", name, got, want)
		}
	}
}

// TestBroken: each way in which lengths can be wrong is an error that names the place, and
// the modules before it are there.
func TestBroken(t *testing.T) {
	good := container(t, written{1, 70, ptx("good"), 0})
	bad := func(change func(data []byte)) []byte {
		data := container(t, written{1, 80, ptx("a"), flagLZ4}, written{1, 80, ptx("b"), flagZstd})
		change(data)
		return append(bytes.Clone(good), data...)
	}
	put32 := func(at int, v uint32) func([]byte) {
		return func(d []byte) { binary.LittleEndian.PutUint32(d[headerBytes+at:], v) }
	}
	put64 := func(at int, v uint64) func([]byte) {
		return func(d []byte) { binary.LittleEndian.PutUint64(d[headerBytes+at:], v) }
	}
	for _, c := range []struct {
		what, want string
		data       []byte
	}{
		{"a header of nothing", "an entry with a header of 0 bytes", bad(put32(4, 0))},
		{"a large header", "an entry with a header of 4294967295 bytes", bad(put32(4, 1<<32-1))},
		{"a large entry", "and 18446744073709551615 behind it", bad(put64(8, 1<<64-1))},
		{"more compressed than there is", "compressed bytes in an entry of", bad(put32(16, 1<<20))},
		{"a bomb", "more than 1048576 bytes of PTX", bad(put64(56, 1<<62))},
		{"a small bomb", "bytes that are said to be 1000000 unpacked", bad(put64(56, 1000000))},
		{"too little", "what is compressed is broken", bad(put64(56, 5))},
		{"too much", "bytes unpacked, not", bad(put64(56, 4000))},
		{"noise", "what is compressed", bad(func(d []byte) {
			for i := range 50 {
				d[headerBytes+entryBytes+i] ^= 0xa5
			}
		})},
		{"cut", "it is not whole", bad(func([]byte) {})[:len(good)+300]},
	} {
		list, err := Modules(c.data, 1<<20)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "at byte ") {
			t.Errorf("%s: %v", c.what, err)
		}
		if len(list) == 0 || !strings.Contains(string(list[0].Text), "good") {
			t.Errorf("%s: what is good is lost", c.what)
		}
	}
	for text, want := range map[string]string{
		"\x7fELF": "no fat binary", string(container(t)): "hold no PTX",
		string(container(t, written{2, 80, "code", 0})): "only machine code (1 modules)",
	} {
		if list, err := Modules([]byte(text), 1<<20); err == nil || !strings.Contains(err.Error(), want) || len(list) != 0 {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := Modules(append(bytes.Clone(good), good...), int64(len(ptx("good"))+10)); err == nil || !strings.Contains(err.Error(), "more than ") {
		t.Errorf("two modules within the limit of one: %v", err)
	}
}

// TestDebug: the PTX of a debug build of machine code.
func TestDebug(t *testing.T) {
	data := debugELF(strings.ReplaceAll(ptx("d"), "\n", "\x00"))
	list, err := Modules(data, 1<<20)
	if err != nil || len(list) != 1 || string(list[0].Text) != ptx("d") {
		t.Errorf("%d modules, %v", len(list), err)
	}
	binary.LittleEndian.PutUint64(data[64+64+32:], 1<<60) // the section's size
	if list, err := Modules(data, 1<<20); err == nil || len(list) != 0 {
		t.Errorf("%d modules, %v", len(list), err)
	}
}

// debugELF writes an ELF file of machine code with one section of text.
func debugELF(text string) []byte {
	names := "\x00" + debugSections + "\x00.shstrtab\x00"
	h := make([]byte, 64+3*64)
	copy(h, "\x7fELF\x02\x01\x01")
	le := binary.LittleEndian
	le.PutUint16(h[16:], 2)
	le.PutUint16(h[18:], machineCUDA)
	le.PutUint32(h[20:], 1)
	le.PutUint64(h[40:], 64) // sections
	le.PutUint16(h[52:], 64)
	le.PutUint16(h[58:], 64)
	le.PutUint16(h[60:], 3)
	le.PutUint16(h[62:], 2)
	section := func(i, name, kind, at, size int) {
		s := h[64+64*i:]
		le.PutUint32(s, uint32(name))
		le.PutUint32(s[4:], uint32(kind))
		le.PutUint64(s[24:], uint64(at))
		le.PutUint64(s[32:], uint64(size))
	}
	section(1, 1, 1, len(h), len(text))
	section(2, 2+len(debugSections), 3, len(h)+len(text), len(names))
	return append(append(h, text...), names...)
}

// FuzzExtract: no bytes end the program, and what is found stays within the limit.
func FuzzExtract(f *testing.F) {
	for _, how := range []uint64{0, flagLZ4, flagZstd} {
		f.Add(container(f, written{1, 80, ptx("a"), how}, written{2, 80, "code", 0}))
	}
	f.Add(debugELF(strings.ReplaceAll(ptx("d"), "\n", "\x00")))
	f.Fuzz(func(t *testing.T, data []byte) {
		const most = 1 << 16
		list, err := Modules(data, most)
		all := 0
		for _, m := range list {
			all += len(m.Text)
		}
		if all > most || len(list) == 0 && err == nil {
			t.Errorf("%d bytes in %d modules, %v", all, len(list), err)
		}
	})
}
