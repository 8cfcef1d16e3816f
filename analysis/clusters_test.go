package analysis

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"hyptx/internal/source"
)

// TestClusterLaunch: a launch's cluster is what the manifest says, else what the kernel
// asks for, and what the kernel forbids is an error that says where.
func TestClusterLaunch(t *testing.T) {
	for _, c := range []struct{ directive, cluster, wrong string }{
		{".reqnctapercluster 2", "", ""},
		{".reqnctapercluster 2", `"cluster": [2],`, ""},
		{".reqnctapercluster 2", `"cluster": [4],`, "launches[0].cluster: kernel k has clusters of exactly [2 1 1] CTAs"},
		{".explicitcluster", `"cluster": [1],`, ""},
		{".explicitcluster", "", "launches[0].cluster: kernel k wants its cluster given"},
		{".maxclusterrank 2", `"cluster": [2],`, ""},
		{".maxclusterrank 2", `"cluster": [4],`, "launches[0].cluster: kernel k allows clusters of 2 CTAs"},
		{".reqntid 32 .reqnctapercluster 8 .blocksareclusters", "", ""},
		{"", `"cluster": [3],`, "launches[0].cluster[0]: 3 does not divide the grid's 4"},
		{"", `"cluster": [4, 8],`, "blocks; a cluster has at most 16"},
	} {
		ptx := ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() " + c.directive + "\n{\n\tret;\n}\n"
		text := `{"version": 1, "launches": [{"module": "k.ptx", "kernel": "k", "grid": [4], "block": [32], ` + c.cluster + ` "args": []}]}`
		s, err := openText(t, ptx, text)
		switch {
		case c.wrong == "" && err != nil, c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)):
			t.Errorf("%s, manifest %q: %v, want %q", c.directive, c.cluster, err, c.wrong)
		case err == nil && strings.Contains(c.directive, "blocksare") && s.launches[0].ctas() != 32:
			t.Errorf("%s: %d CTAs, not 32", c.directive, s.launches[0].ctas())
		}
	}
}

// openText opens a manifest whose module is k.ptx.
func openText(t *testing.T, ptx, text string) (*Session, error) {
	t.Helper()
	return openMode(t, DefaultOptions().Mode, ptx, text)
}

func openMode(t *testing.T, mode Mode, ptx, text string) (*Session, error) {
	t.Helper()
	opts := DefaultOptions()
	opts.Mode = mode
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/k.ptx", []byte(ptx), 0o666); err != nil {
		t.Fatal(err)
	}
	return OpenManifest(source.File{Name: dir + "/m.json", Text: []byte(text)}, opts)
}

// TestWholeClusters: who wants some CTAs gets their clusters.
func TestWholeClusters(t *testing.T) {
	p := &launchPlan{grid: [3]uint32{4, 2, 2}, cluster: [3]uint32{2, 2, 1}}
	if got, want := p.inWholeClusters([]int64{3, 6, 8}), []int64{2, 3, 6, 7, 8, 9, 12, 13}; !slices.Equal(got, want) {
		t.Errorf("%v, by hand %v", got, want)
	}
}

// partingPTX has a wait at the barrier of a cluster for some threads of each warp: it
// parts them from the others unless all have come already, as the last warp finds.
const partingPTX = `.version 9.0
.target sm_90
.address_size 64
.entry k()
{
	.reg .b32 t;
	.reg .pred p;
	mov.u32 t, %laneid;
	setp.lt.u32 p, t, 4;
	barrier.cluster.arrive;
	@p barrier.cluster.wait;
	add.u32 t, t, 1;
	ret;
}
`

// TestClusterParting: the CTAs of a cluster are run as one, not one for all, where their
// barrier parts warps: 5 instructions before, and 2 behind it, or 4 where a warp parts.
func TestClusterParting(t *testing.T) {
	for _, c := range []struct {
		cluster, block string
		warps          int64
		exact          string
	}{
		{"1", "32", 4 * (6), "exact"},
		{"1", "64", 4 * (8 + 6), "scheduled"},
		{"2", "32", 2 * (8 + 6), "scheduled"},
		{"4", "32", 3*8 + 6, "scheduled"},
		{"4", "256", 31*8 + 6, "scheduled"},
	} {
		for _, mode := range []Mode{Control, Memory, Full} {
			text := `{"version": 1, "launches": [{"module": "k.ptx", "kernel": "k", "grid": [4], "block": [` + c.block + `], "cluster": [` + c.cluster + `], "args": []}]}`
			s, err := openMode(t, mode, partingPTX, text)
			if err != nil {
				t.Fatal(err)
			}
			p, err := s.Profile(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if n := p.Rows[0].WarpInstructions; n.String() != fmt.Sprint(c.warps) || string(p.Rows[0].Exactness) != c.exact {
				t.Errorf("clusters of %s CTAs of %s threads, mode %s: %s instructions, %s; by hand %d, %s", c.cluster, c.block, mode, n, p.Rows[0].Exactness, c.warps, c.exact)
			}
		}
	}
}

// unevenPTX has threads of a warp come to a barrier apart or together, as the other warp
// of their CTA comes before or after them: behind a cluster's barrier that is not the same
// in all CTAs.
const unevenPTX = `.version 9.0
.target sm_90
.address_size 64
.entry k()
{
	.reg .b32 t;
	.reg .pred p;
	mov.u32 t, %tid.x;
	setp.lt.u32 p, t, 5;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	@p bar.sync 0;
	@p bra L;
	add.u32 t, t, 1;
L:
	bar.sync 0;
	ret;
}
`

// TestClusterUneven: where the order of warps counts, CTAs of clusters are all run.
func TestClusterUneven(t *testing.T) {
	var all []string
	for _, mode := range []Mode{Control, Memory, Full} {
		s, err := openMode(t, mode, unevenPTX, `{"version": 1, "launches": [{"module": "k.ptx", "kernel": "k", "grid": [4], "block": [40], "cluster": [4], "args": []}]}`)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Profile(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprint(p.Rows[0].WarpInstructions, " ", p.Rows[0].DivergentBarriers))
	}
	if all[0] != all[2] || all[1] != all[2] {
		t.Errorf("instructions and divergent barriers are %q; all modes agree", all)
	}
}
