package analysis

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hyptx/internal/fp16"
	"hyptx/internal/gpu"
	"hyptx/internal/source"
)

// TestTensorGEMM holds a part of examples/tensor_gemm, 256 x 128 by 128 deep, a cluster of
// examples/cluster_gemm, 128 x 256, and a tile of examples/tcgen05_gemm, as large, against sums in double precision: of 128 products of halves
// up to 1, which single precision keeps exactly, each sum is off by at most 128 roundings. In
// control mode one CTA stands for both where they are no cluster.
func TestTensorGEMM(t *testing.T) {
	holdTensorGEMM(t, "tensor_gemm.json", 256, 128, 1, strings.NewReplacer(
		`"bytes": 4194304`, `"bytes": 131072`, `"bytes": 2097152`, `"bytes": 65536`,
		`"dims": [1024, 1024], "stridesBytes": [2048]`, `"dims": [128, 256], "stridesBytes": [256]`,
		`"grid": [8, 8]`, `"grid": [1, 2]`, `{"value": 1024}`, `{"value": 128}`))
	holdTensorGEMM(t, "tcgen05_gemm.json", 128, 256, 1, strings.NewReplacer(
		`"a": {"bytes": 2097152`, `"a": {"bytes": 32768`, `"b": {"bytes": 2097152`, `"b": {"bytes": 65536`, `"bytes": 4194304`, `"bytes": 131072`,
		`"a", "type": "f16", "dims": [1024, 1024], "stridesBytes": [2048]`, `"a", "type": "f16", "dims": [128, 128], "stridesBytes": [256]`,
		`"b", "type": "f16", "dims": [1024, 1024], "stridesBytes": [2048]`, `"b", "type": "f16", "dims": [128, 256], "stridesBytes": [256]`,
		`"grid": [4, 8]`, `"grid": [1, 1]`, `{"value": 1024}, {"value": 1024}`, `{"value": 256}, {"value": 128}`))
	holdTensorGEMM(t, "cluster_gemm.json", 128, 256, 2, strings.NewReplacer(
		`"bytes": 1048576`, `"bytes": 131072`, `"bytes": 524288`, `"bytes": 65536`,
		`"dims": [512, 512], "stridesBytes": [1024]`, `"dims": [128, 256], "stridesBytes": [256]`,
		`"grid": [4, 4]`, `"grid": [2, 1]`, `{"value": 512}, {"value": 512}`, `{"value": 256}, {"value": 128}`))
}

// holdTensorGEMM holds a smaller product m x n of an example against the sums; in control mode so many
// CTAs are run.
func holdTensorGEMM(t *testing.T, example string, m, n int, runs uint64, smaller *strings.Replacer) {
	t.Helper()
	const k = 128
	path := filepath.Join("..", "examples", example)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	small := smaller.Replace(string(text))
	open := func(mode Mode) *Session {
		opts := DefaultOptions()
		opts.Mode = mode
		s, err := OpenManifest(source.File{Name: path, Text: []byte(small)}, opts)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open(Full)
	out, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var in [2][]float64
	for i := range in {
		raw := make([]byte, s.Manifest.Buffers[i].Bytes)
		if err := s.Manifest.Buffers[i].Fill(raw, 0); err != nil {
			t.Fatal(err)
		}
		for at := 0; at < len(raw); at += 2 {
			in[i] = append(in[i], float64(fp16.F16ToF32(binary.LittleEndian.Uint16(raw[at:]))))
		}
	}
	for row := range m {
		for col := range n {
			want := 0.0
			for i := range k {
				want += in[0][row*k+i] * in[1][col*k+i]
			}
			got := float64(math.Float32frombits(binary.LittleEndian.Uint32(out[0].Data[4*(row*n+col):])))
			if d := math.Abs(got - want); d > k*k/16777216.0 {
				t.Fatalf("(%d, %d) is %g, want %g", row, col, got, want)
			}
		}
	}
	for _, mode := range []Mode{Control, Memory} {
		s := open(mode)
		p, err := s.Profile(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Verify(t.Context(), p); err != nil {
			t.Errorf("mode %s: %v", mode, err)
		}
		// Each product adds to the accumulator of the one before: the machine does them all.
		if f := &p.Launches[0].Facts; f.Of(EstInstTensor).N != f.Of(InstTensor).N {
			t.Errorf("mode %s: %d products of the machine, %d of the PTX", mode, f.Of(EstInstTensor).N, f.Of(InstTensor).N)
		}
		if ctas := p.Launches[0].Facts.Of(EmulatedCTAs).N; mode == Control && ctas != runs {
			t.Errorf("%s: %d CTAs were emulated, %d would do", example, ctas, runs)
		}
	}
}

// TestTensorShapeSimulated: who plays a launch knows how long a product takes where its instruction
// descriptor says how large it is; one whose descriptor is wrong has no time, and says why.
func TestTensorShapeSimulated(t *testing.T) {
	g, err := gpu.Get("b200")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for descriptor, want := range map[string]string{"0x8400010": "", "0x8000010": "a size that the kind has not"} {
		edited := func(name string, r *strings.Replacer) []byte {
			text, err := os.ReadFile(filepath.Join("..", "examples", name))
			if err != nil {
				t.Fatal(err)
			}
			return []byte(r.Replace(string(text)))
		}
		if err := os.WriteFile(filepath.Join(dir, "tcgen05_gemm.ptx"), edited("tcgen05_gemm.ptx", strings.NewReplacer("0x8400010", descriptor)), 0o666); err != nil {
			t.Fatal(err)
		}
		small := edited("tcgen05_gemm.json", strings.NewReplacer(`"grid": [4, 8]`, `"grid": [1, 1]`, `{"value": 1024}, {"value": 1024}`, `{"value": 1024}, {"value": 64}`))
		opts := DefaultOptions()
		opts.Simulate = append(opts.Simulate, g)
		s, err := OpenManifest(source.File{Name: filepath.Join(dir, "tcgen05_gemm.json"), Text: small}, opts)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Profile(t.Context())
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("descriptor %s: %v", descriptor, err)
		}
	}
}
