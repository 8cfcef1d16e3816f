package textfile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func packed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestRead: packed or not, with a mark or not, from a file or stdin, the text
// is the same; what is no text has a reason that names the file.
func TestRead(t *testing.T) {
	const mib = 1 << 20
	whole := packed(t, "\ufeffabc")
	for _, c := range []struct{ in, want, err string }{
		{"abc", "abc", ""},
		{"", "", ""},
		{"\ufeffabc", "abc", ""},
		{whole, "abc", ""},
		{whole[:len(whole)-9], "", "the file ends too early: it is not whole"},
		{"\x1f\x8bx", "", "the file ends too early: it is not whole"},
		{"\xff\xfea\x00", "", "the text is UTF-16; save it as UTF-8"},
		{packed(t, "\xfe\xff\x00a"), "", "the text is UTF-16; save it as UTF-8"},
		{strings.Repeat("x", mib), strings.Repeat("x", mib), ""},
		{strings.Repeat("x", mib+1), "", "larger than 1 MiB"},
		{packed(t, strings.Repeat("x", mib+1)), "", "larger than 1 MiB"},
	} {
		path := filepath.Join(t.TempDir(), "f.gz")
		if err := os.WriteFile(path, []byte(c.in), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, from := range []string{path, "-"} {
			name, text, err := Read(from, strings.NewReader(c.in), mib)
			want := map[string]string{path: path, "-": "stdin"}[from]
			if name != want || string(text) != c.want || (err == nil) != (c.err == "") || err != nil && err.Error() != want+": "+c.err {
				t.Errorf("%.20q from %s: %q, %.20q, %v; want %.20q, %s", c.in, from, name, text, err, c.want, c.err)
			}
		}
	}
}

func TestNoFile(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		"":                      "a file's name is empty",
		dir:                     dir + ": is a directory; name the files in it",
		filepath.Join(dir, "n"): filepath.Join(dir, "n") + ": no such file or directory",
	} {
		if _, _, err := Read(path, nil, 1); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", path, err, want)
		}
	}
	if _, _, err := Read(filepath.Join(dir, "n"), nil, 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is no fs.ErrNotExist", err)
	}
}

// endless is a text without an end.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

// TestEndless: of a text without an end no more is held than the limit and a piece, and
// of one that is no text nothing but its beginning.
func TestEndless(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		of   endless
		want string
		most uint64 // memory
	}{
		{' ', "stdin: larger than 64 MiB", 80 * mib},
		{0, "stdin: it begins with 65536 NUL bytes: it is no text", mib},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := Read("-", c.of, 64*mib)
		runtime.ReadMemStats(&after)
		if err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > c.most {
			t.Errorf("%s took %d bytes", c.want, took)
		}
	}
}
