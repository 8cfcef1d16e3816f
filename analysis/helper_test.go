package analysis

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"hyptx/internal/source"
)

// program is PTX, and a manifest that calls it k.ptx.
type program struct{ ptx, manifest string }

// randomSeeds returns the seeds of a test's random programs: from first on, as many as are
// usual, a tenth or so of them in short runs, or what the environment says.
func randomSeeds(first, usual, short uint64) (seeds []uint64) {
	set := func(to *uint64, name string) bool {
		n, err := strconv.ParseUint(os.Getenv(name), 10, 64)
		if err == nil {
			*to = n
		}
		return err == nil
	}
	if !set(&usual, "HYPTX_PROGRAMS") && testing.Short() {
		usual = short
	}
	set(&first, "HYPTX_SEED")
	for i := range usual {
		seeds = append(seeds, first+i)
	}
	return seeds
}

// source writes the program's PTX into dir and returns its manifest there.
func (p program) source(t testing.TB, dir string) source.File {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "k.ptx"), []byte(p.ptx), 0o666); err != nil {
		t.Fatal(err)
	}
	return source.File{Name: filepath.Join(dir, "m.json"), Text: []byte(p.manifest)}
}

// session opens the program in a mode.
func (p program) session(t testing.TB, mode Mode) *Session {
	t.Helper()
	opts := DefaultOptions()
	opts.Mode = mode
	s, err := OpenManifest(p.source(t, t.TempDir()), opts)
	if err != nil {
		t.Fatalf("%v\n%s", err, numbered(p.ptx))
	}
	return s
}

// profile profiles the program in a mode and, unless that is full, verifies
// the result.
func (p program) profile(t testing.TB, mode Mode) *Profile {
	t.Helper()
	s := p.session(t, mode)
	prof, err := s.Profile(context.Background())
	if err == nil && mode != Full {
		err = s.Verify(context.Background(), prof)
	}
	if err != nil {
		t.Fatalf("mode %s: %v\n%s", mode, err, numbered(p.ptx))
	}
	return prof
}

// numbered puts line numbers before the lines of a text.
func numbered(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		b.WriteString(strings.Repeat(" ", max(0, 4-len(strconv.Itoa(i+1)))) + strconv.Itoa(i+1) + " " + line + "\n")
	}
	return b.String()
}
