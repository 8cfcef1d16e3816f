package textfile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
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
