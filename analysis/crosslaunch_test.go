package analysis

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hyptx/internal/source"
)

// crossLaunch opens testdata/crosslaunch: the second launch's loop bound and
// the third's branch are what the launch before has computed.
func crossLaunch(t *testing.T, mode Mode) *Session {
	t.Helper()
	path := filepath.Join("testdata", "crosslaunch", "crosslaunch.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	opts := DefaultOptions()
	opts.Mode = mode
	s, err := OpenManifest(source.File{Name: path, Text: text}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// crossLaunchModels work the three launches out by hand: 2 CTAs of 64 threads
// hold 0 to 127, whose low two bits add up to 32 * (0+1+2+3) = 192. So the
// loop goes 192/16 = 12 rounds, in each of the 128 threads the sum 66, and
// 128 * 66 / 256 = 33 threads of the 64 of a CTA stay.
func crossLaunchModels() []*model {
	reduce := newModel()
	reduce.run(4, 128, "misc*8 integer*7 compute_ld_st*3 bar")
	for stride := uint64(32); stride > 0; stride /= 2 {
		// Per CTA: the first warp splits below a stride of 32, the second one
		// only waits.
		split := uint64(2)
		if stride == 32 {
			split = 0
		}
		reduce.run(4, 128, "integer")
		reduce.branch(4, 128, 128-2*stride, split)
		reduce.run(2, 2*stride, "integer*3 compute_ld_st*3")
		reduce.run(4, 128, "bar integer*2")
		again := uint64(128)
		if stride == 1 {
			again = 0
		}
		reduce.branch(4, 128, again, 0)
	}
	reduce.run(4, 128, "integer")
	reduce.branch(4, 128, 126, 2)
	reduce.run(2, 2, "compute_ld_st atomic")
	reduce.run(4, 128, "control")

	const rounds = 192 / 16
	spin := newModel()
	spin.run(4, 128, "misc*4 compute_ld_st integer")
	spin.run(4*rounds, 128*rounds, "integer*3")
	spin.branch(4*rounds, 128*rounds, 128*(rounds-1), 0)
	spin.run(4, 128, "atomic control")

	const stay = 128 * rounds * (rounds - 1) / 2 / 256
	choose := newModel()
	choose.run(6, 192, "misc*2 compute_ld_st integer*2")
	choose.branch(6, 192, 3*(64-stay), 3)
	choose.run(6, 3*stay, "fmul")
	choose.run(6, 192, "control")
	return []*model{reduce, spin, choose}
}

func TestCrossLaunch(t *testing.T) {
	for _, mode := range []Mode{Control, Full} {
		s := crossLaunch(t, mode)
		p, err := s.Profile(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range crossLaunchModels() {
			m.check(t, string(mode)+", "+p.Rows[i].Kernel, p.Rows[i])
		}
		if err := s.Verify(context.Background(), p); err != nil {
			t.Error(err)
		}
		if e := p.Rows[3].Exactness; e != "exact" {
			t.Errorf("mode %s: exactness of the total is %s", mode, e)
		}
	}
}

// TestCrossLaunchSlices: the slices of the first two launches hold what the
// next one reads and what it is made of, and nothing that nobody reads.
func TestCrossLaunchSlices(t *testing.T) {
	s := crossLaunch(t, Control)
	for i, want := range []struct{ in, out []string }{
		{[]string{"red.global", "st.shared", "ld.shared", "bar.sync", "ld.global"}, []string{"st.global"}},
		{[]string{"red.global", "ld.global"}, nil},
		{[]string{"ld.global"}, []string{"mul.f32"}},
	} {
		f := s.plan(nil)[i]
		k := s.launches[i].kernel
		for pc := k.First; pc < k.End; pc++ {
			text := k.Text(pc)
			member := f.Slice.Run.Has(pc)
			if hasPrefix(text, want.in) && !member {
				t.Errorf("launch %d: the slice lacks %s", i, text)
			}
			if hasPrefix(text, want.out) && member {
				t.Errorf("launch %d: the slice holds %s", i, text)
			}
		}
	}
}

func hasPrefix(text string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(text, p) {
			return true
		}
	}
	return false
}
