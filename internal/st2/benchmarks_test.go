package st2

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/source"
)

// numbers are the contents of buffers by name.
type numbers map[string][]float64

// plain computes what the programs of ptx-samples/benchmarks compute, from what their
// buffers hold at first: plainly, in double precision. It returns what they should hold,
// and how far off single precision may be, against the largest value.
var plain = map[string]func(in numbers, args []float64) (out numbers, off float64){
	"alignedtypes": plainCopies, "backprop": plainBackprop, "bfs": plainBFS, "blackscholes": plainOptions, "diffusion": plainDiffusion, "gemm": plainGEMM,
	"gradient": plainGradient, "lbm": plainLBM, "lmsor": plainLMSOR, "lu": plainLU, "membench": plainMembench, "mixbench": plainMix, "sor": plainSOR,
	"stencil": plainStencil, "vectors": plainVectors, "binomial": plainBinomial, "bplustree": plainTree, "dct": plainDCT, "dwt2d": plainDWT, "histogram": plainHistogram, "hotspot": plainHotSpot,
	"kmeans": plainKMeans, "merge": plainMerge, "mergesort": plainMergeSort, "mriq": plainMRIQ, "pathfinder": plainPathfinder, "qrng": plainQRNG, "sad": plainSAD,
	"sgemm": plainSGEMM, "sobol": plainSobol, "sortnets": plainSortNets, "srad": plainSRAD, "walsh": plainWalsh,
	"wmma": plainWMMA,
}

// TestBenchmarks: the programs compute what they are to compute, and each has a manifest
// with the published sizes that fits its module.
func TestBenchmarks(t *testing.T) {
	sources, err := filepath.Glob("../../ptx-samples/benchmarks/*.cu")
	if err != nil || len(sources) != len(plain) {
		t.Fatalf("%d programs, %d are checked: %v", len(sources), len(plain), err)
	}
	for _, path := range sources {
		name := strings.TrimSuffix(filepath.Base(path), ".cu")
		t.Run(name, func(t *testing.T) {
			whole, err := source.Read(strings.TrimSuffix(path, ".cu")+".json", nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := analysis.OpenManifest(whole, analysis.DefaultOptions()); err != nil {
				t.Error(err)
			}
			for _, target := range []string{"sm_70", "sm_80"} {
				before, after, args := executed(t, strings.TrimSuffix(path, ".cu")+"-small.json", target)
				want, off := plain[name](before, args)
				for buffer, of := range want {
					compare(t, buffer, after[buffer], of, off)
				}
			}
		})
	}
}

// executed runs a program's PTX for a target and returns what all buffers held before and after, and the
// numbers among the arguments of its launches, one after the other.
func executed(t *testing.T, path, target string) (before, after numbers, args []float64) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	text = bytes.ReplaceAll(text, []byte("sm_70/"), []byte(target+"/"))
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	var all []string
	for name := range m["buffers"].(map[string]any) {
		all = append(all, name)
	}
	m["outputs"] = all
	for _, l := range m["launches"].([]any) {
		of, _ := l.(map[string]any)["args"].([]any) // none of what the host does
		for _, a := range of {
			if v, ok := a.(map[string]any)["value"].(float64); ok {
				args = append(args, v)
			}
		}
	}
	if text, err = json.Marshal(m); err != nil {
		t.Fatal(err)
	}
	session, err := analysis.OpenManifest(source.File{Name: path, Text: text}, analysis.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	read := func() numbers {
		outputs, err := session.Outputs()
		if err != nil {
			t.Fatal(err)
		}
		of := numbers{}
		for _, o := range outputs {
			values := make([]float64, o.Len())
			for i := range values {
				values[i] = o.Float(i)
			}
			of[o.Name] = values
		}
		return of
	}
	before = read()
	symbols, _ := m["symbols"].([]any)
	for _, s := range symbols { // byte by byte, as PTX has them
		symbol := s.(map[string]any)
		init := symbol["init"].(map[string]any)
		values, _ := init["values"].([]any)
		if fill, ok := init["fill"]; ok {
			values = []any{fill}
		}
		for _, b := range values {
			before[symbol["name"].(string)] = append(before[symbol["name"].(string)], b.(float64))
		}
	}
	if err := session.Execute(context.Background()); err != nil {
		t.Fatal(err)
	}
	return before, read(), args
}

func compare(t *testing.T, name string, got, want []float64, off float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d values, want %d", name, len(got), len(want))
		return
	}
	most, wrong := 0.0, 0
	for _, x := range want {
		most = max(most, math.Abs(x))
	}
	for i := range want {
		if d := math.Abs(got[i] - want[i]); !(d <= off*most) {
			if wrong++; wrong <= 3 {
				t.Errorf("%s[%d] is %g, want %g", name, i, got[i], want[i])
			}
		}
	}
	if most == 0 || wrong > 0 {
		t.Errorf("%s: %d of %d values are wrong; the largest is %g", name, wrong, len(want), most)
	}
}
