package analysis

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"hyptx/internal/source"
)

// heavy says whether whole networks are emulated where a part shows nearly as
// much (make heavy): resnet50 in single and half precision and squeezenet's last
// launch, whose 125 CTAs of two threads cost thrice the rest of the network.
var heavy = os.Getenv("HYPTX_HEAVY") != ""

// fragment is the part of a manifest that openPart changes.
type fragment struct {
	Version  int               `json:"version"`
	Name     string            `json:"name"`
	Buffers  json.RawMessage   `json:"buffers"`
	Launches []json.RawMessage `json:"launches"`
	Outputs  []map[string]any  `json:"outputs"`
}

// openPart opens a network after a change of its manifest.
func openPart(t testing.TB, path string, mode Mode, change func(*fragment)) *Session {
	t.Helper()
	src, err := source.Read(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	var f fragment
	if err := json.Unmarshal(src.Text, &f); err != nil {
		t.Fatal(err)
	}
	change(&f)
	if src.Text, err = json.Marshal(f); err != nil {
		t.Fatal(err)
	}
	opts := DefaultOptions()
	opts.Mode = mode
	s, err := OpenManifest(src, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// openVerified opens a network to hold it against full emulation. Of squeezenet's
// last launch 8 of 125 CTAs are enough, unless the test is heavy: they
// do the same on other rows of the weights.
func openVerified(t testing.TB, name string, mode Mode) *Session {
	t.Helper()
	path := sharedCNN(t, name)
	if name != "squeezenet-sm_80" || heavy {
		return openTest(t, path, func(o *Options) { o.Mode = mode })
	}
	return openPart(t, path, mode, func(f *fragment) {
		last := &f.Launches[len(f.Launches)-1]
		less := strings.Replace(string(*last), `"grid": [125, 1, 1]`, `"grid": [8, 1, 1]`, 1)
		if less == string(*last) {
			t.Fatalf("the last launch is another: %s", less)
		}
		*last = json.RawMessage(less)
	})
}

// emulation is what full emulation of a network shows: whether its counts are
// those of the control profile, and its logits.
type emulation struct {
	verified error
	logits   []float64
}

// emulations are of networks that were emulated in full already. That takes
// seconds each, and more than one test asks.
var emulations = map[string]*emulation{}

// emulate profiles a network in control mode and in full.
func emulate(t testing.TB, name string) *emulation {
	t.Helper()
	if e := emulations[name]; e != nil {
		return e
	}
	s := openVerified(t, name, Control)
	s.Options.Verify = true
	p, err := s.Profile(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	full, err := s.inFull()
	if err != nil {
		t.Fatal(err)
	}
	want, err := full.Profile(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	outs, err := full.Outputs()
	if err != nil {
		t.Fatal(err)
	}
	e := &emulation{s.compare(context.Background(), p, want), floats(t, name, outs)}
	emulations[name] = e
	return e
}

// floats returns the numbers of the first output; all have to be finite.
func floats(t testing.TB, name string, outs []Output) (v []float64) {
	t.Helper()
	for i := range outs[0].Len() {
		x := outs[0].Float(i)
		if math.IsNaN(x) || math.IsInf(x, 0) {
			t.Fatalf("%s: output %d is %v", name, i, x)
		}
		v = append(v, x)
	}
	return v
}

// verified are the networks on which the slices are held against full
// emulation in every test run.
var verified = []string{
	"lenet5-sm_70", "lenet5-sm_70-clang", "alexnet-sm_70", "alexnet-sm_70-clang", "squeezenet-sm_80",
	"mobilenetv2-sm_70", "resnet18-sm_70", "resnet18-sm_70-clang",
}

// TestVerifyNetworks holds every count of the control profile against full
// emulation.
func TestVerifyNetworks(t *testing.T) {
	for _, name := range verified {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name[:6] != "lenet5" {
				t.Skip("long")
			}
			if err := emulate(t, name).verified; err != nil {
				t.Fatal(err)
			}
		})
	}
}

// trafficVerified are networks whose memory profile is held against full
// emulation in every test run.
var trafficVerified = []string{"lenet5-sm_70", "lenet5-sm_70-clang", "squeezenet-sm_80"}

// TestTrafficNetworks: the sectors of a network are those that full emulation
// counts, access by access.
func TestTrafficNetworks(t *testing.T) {
	for _, name := range trafficVerified {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name[:6] != "lenet5" {
				t.Skip("long")
			}
			s := openVerified(t, name, Memory)
			p, err := s.Profile(context.Background())
			if err == nil {
				err = s.Verify(context.Background(), p)
			}
			if err != nil {
				t.Fatal(err)
			}
			total := p.Rows[len(p.Rows)-1]
			if total.GldTransactions.N == 0 || total.FootprintBytes.N == 0 || total.BytesTransferred.N < total.FootprintBytes.N {
				t.Errorf("gld_transactions %d, bytes_transferred %d, footprint_bytes %d", total.GldTransactions.N, total.BytesTransferred.N, total.FootprintBytes.N)
			}
		})
	}
}

// TestCompilersAgree compares networks that two compilers made of the same
// definition and seeds: the order of some operations differs, the logits do
// not.
func TestCompilersAgree(t *testing.T) {
	for _, name := range []string{"lenet5-sm_70", "alexnet-sm_70", "resnet18-sm_70"} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "lenet5-sm_70" {
				t.Skip("long")
			}
			agree(t, emulate(t, name).logits, emulate(t, name+"-clang").logits, 1e-5)
		})
	}
}

// TestHalfPrecision: the half-precision ResNet-50 on tensor cores agrees with the
// single-precision one within what half precision allows. Their 51 launches take
// 14 billion instructions of threads and more; unless the test is heavy, the networks
// end with their first residual block of 5. That has a convolution of each size,
// pooling, products on tensor cores and a sum of two ways; the rest repeats these,
// but for the mean and the dense layer at the end, which are in single precision in
// resnet18, too.
func TestHalfPrecision(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	const launches, elements = 5, 256 * 56 * 56
	run := func(name, typ string, offset, size int) []float64 {
		s := openPart(t, sharedCNN(t, name), Full, func(f *fragment) {
			if heavy {
				return
			}
			f.Launches = f.Launches[:launches]
			f.Outputs = []map[string]any{{"name": "block", "buffer": "arena0", "offset": offset, "bytes": size * elements, "type": typ}}
		})
		outs, err := s.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return floats(t, name, outs)
	}
	agree(t, run("resnet50-sm_70", "f32", 4129792, 4), run("resnet50-f16-sm_80", "f16", 2064896, 2), 0.005)
}

// agree compares results; their largest difference is within a part of the
// largest of all.
func agree(t *testing.T, a, b []float64, within float64) {
	t.Helper()
	if len(a) != len(b) || len(a) == 0 {
		t.Fatalf("%d results and %d", len(a), len(b))
	}
	largest, worst := 0.0, 0.0
	for i := range a {
		largest = max(largest, math.Abs(a[i]))
		worst = max(worst, math.Abs(a[i]-b[i]))
	}
	t.Logf("worst difference %.3g of the largest %.4g, of %d", worst/largest, largest, len(a))
	if !(worst <= within*largest) {
		t.Errorf("results differ by %.3g of the largest; %.3g is allowed", worst/largest, within)
	}
}

// TestRunIsFullMode: Run leaves the outputs that a full profile leaves, to the
// last bit.
func TestRunIsFullMode(t *testing.T) {
	const name = "lenet5-sm_70"
	want := emulate(t, name).logits
	outs, err := openTest(t, sharedCNN(t, name), nil).Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	got := floats(t, name, outs)
	if len(got) != len(want) {
		t.Fatalf("%d logits, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("logit %d: %g, want %g", i, got[i], want[i])
		}
	}
}
