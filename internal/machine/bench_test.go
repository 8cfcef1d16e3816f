package machine

import (
	"path/filepath"
	"testing"

	"hyptx/internal/ssa"
)

// BenchmarkNew estimates all kernels of a network.
func BenchmarkNew(b *testing.B) {
	for _, name := range []string{"vgg16-sm_70", "resnet18-sm_70", "resnet50-f16-sm_80"} {
		b.Run(name, func(b *testing.B) {
			files, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "cnn", name, "kernels", "*.ptx"))
			if len(files) == 0 {
				b.Skip("../shared/cnn is absent")
			}
			var overlays []*ssa.Form
			for _, file := range files {
				overlays = append(overlays, ssa.Build(parseFile(b, file)))
			}
			b.ReportAllocs()
			for b.Loop() {
				for _, s := range overlays {
					codeOf(s, nil, 70)
				}
			}
		})
	}
}
