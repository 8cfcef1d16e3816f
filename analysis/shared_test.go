package analysis

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// sharedCNN returns the manifest of one of the networks that another compiler
// made; tests that need it are skipped where they are absent.
func sharedCNN(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join("..", "..", "shared", "cnn", name, name+".json")
	if _, err := os.Stat(path); err != nil {
		t.Skip("../shared/cnn is absent")
	}
	return path
}

func openTest(t testing.TB, path string, change func(*Options)) *Session {
	t.Helper()
	opts := DefaultOptions()
	if change != nil {
		change(&opts)
	}
	src, err := ReadSource(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := OpenManifest(src, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestNetworksAreExact profiles every network, ours and the foreign ones: no
// error, and every row exact.
func TestNetworksAreExact(t *testing.T) {
	names, _ := filepath.Glob("../../shared/cnn/*/*.json")
	ours, _ := filepath.Glob("../ptx-samples/networks/*.json")
	for _, path := range append(names, ours...) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			p, err := openTest(t, path, nil).Profile(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range p.Rows {
				if r.Exactness != "exact" {
					t.Errorf("launch %s (%s): exactness %s", r.Launch, r.Kernel, r.Exactness)
				}
			}
		})
	}
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
			s := openTest(t, sharedCNN(t, name), func(o *Options) { o.Verify = true })
			p, err := s.Profile(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Verify(context.Background(), p); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// logitsOf runs a network and returns its logits.
func logitsOf(t *testing.T, name string) []float64 {
	outs, err := openTest(t, sharedCNN(t, name), nil).Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var v []float64
	for i := range outs[0].Len() {
		x := outs[0].Float(i)
		if math.IsNaN(x) || math.IsInf(x, 0) {
			t.Fatalf("%s: logit %d is %v", name, i, x)
		}
		v = append(v, x)
	}
	return v
}

// TestCompilersAgree runs networks that two compilers made of the same
// definition and seeds: the order of some operations differs, the logits do
// not. The half-precision ResNet-50 on tensor cores agrees with the single
// precision one within what half precision allows.
func TestCompilersAgree(t *testing.T) {
	for _, pair := range []struct {
		a, b string
		// within is the largest difference over the largest |logit|.
		within float64
	}{
		{"lenet5-sm_70", "lenet5-sm_70-clang", 1e-5},
		{"alexnet-sm_70", "alexnet-sm_70-clang", 1e-5},
		{"resnet18-sm_70", "resnet18-sm_70-clang", 1e-5},
		{"resnet50-sm_70", "resnet50-f16-sm_80", 0.005},
	} {
		t.Run(pair.b, func(t *testing.T) {
			if testing.Short() && pair.a != "lenet5-sm_70" {
				t.Skip("long")
			}
			a, b := logitsOf(t, pair.a), logitsOf(t, pair.b)
			largest, worst := 0.0, 0.0
			for i := range a {
				largest = max(largest, math.Abs(a[i]))
				worst = max(worst, math.Abs(a[i]-b[i]))
			}
			t.Logf("worst difference %.3g of the largest logit %.4g", worst/largest, largest)
			if !(worst <= pair.within*largest) {
				t.Errorf("logits differ by %.3g of the largest; %.3g is allowed", worst/largest, pair.within)
			}
		})
	}
}
