package silicon

import (
	"testing"

	"hyptx/internal/gpu"
)

// TestBoards: names as data sets have them lead to the boards that hyptx knows.
func TestBoards(t *testing.T) {
	f := &Folder{}
	for name, want := range map[string]string{
		"GTX 1080 Ti": "gtx-1080-ti", "Quadro RTX 8000": "rtx-8000", "Tesla K80": "tesla-k80", "T4": "t4", "Tesla T4": "t4", "RTX A4000": "rtx-a4000",
		"A100 PCIe 40GB": "a100-pcie-40gb", "A100 PCIe 80GB": "a100-pcie-80gb", "RTX 3090": "rtx-3090", "RTX 2080 Ti": "rtx-2080-ti", "V100": "v100-sxm2",
		"V100 PCIe": "v100-pcie", "NVIDIA GeForce GTX 1060 6GB": "gtx-1060", "Quadro GV100": "gv100", "Titan V": "titan-v", "K40c": "", "t4.json": "",
	} {
		b, err := f.board(name, nil)
		switch {
		case want == "" && err == nil:
			t.Errorf("%s: %s", name, b.gpu.Name)
		case want != "" && (err != nil || b.gpu.Name != want):
			t.Errorf("%s: %v, %v, want %s", name, b, err, want)
		}
	}
}

// TestFolderBoards: a folder's file says which board was measured and how fast its
// memory ran; what hyptx knows of the board comes before the rest of it.
func TestFolderBoards(t *testing.T) {
	own, err := gpu.Get("v100-pcie")
	if err != nil {
		t.Fatal(err)
	}
	file := *own
	file.Name, file.Title, file.File = "of-the-lab", "V100 PCIe, as it ran", "gpus/v100.json"
	file.DRAM.BandwidthGBPerS = &gpu.Float{Value: own.DRAM.BandwidthGBPerS.Value / 2, Source: "test"}
	f := &Folder{gpus: []*gpu.GPU{&file}}
	b, err := f.board("V100", nil)
	if err != nil || b.gpu != own {
		t.Fatalf("%v, %v", b, err)
	}
	g := b.at(700, 300)
	if g.Name != "v100-pcie" || g.Clock.BoostMHz.Value != 700 || g.DRAM.BandwidthGBPerS.Value != own.DRAM.BandwidthGBPerS.Value/2 || g.Measured.BMemGBPerS.Value != own.Measured.BMemGBPerS.Value/2 {
		t.Errorf("%+v", g)
	}
	file.Title = "Nobody's V100"
	if b, err = f.board("V100", nil); err != nil || b.gpu != &file {
		t.Errorf("%v, %v", b, err)
	}
	if own.Clock.BoostMHz.Value == 700 {
		t.Error("the GPU that all share was changed")
	}
}

// TestMemoryClock: without such a file the row's clock of the memory counts.
func TestMemoryClock(t *testing.T) {
	b, err := (&Folder{}).board("GTX 1080 Ti", nil)
	if err != nil {
		t.Fatal(err)
	}
	full, half := b.at(0, 0), b.at(0, b.gpu.DRAM.ClockMHz.Value/2)
	if *full.DRAM.BandwidthGBPerS != *b.gpu.DRAM.BandwidthGBPerS || half.DRAM.BandwidthGBPerS.Value != full.DRAM.BandwidthGBPerS.Value/2 {
		t.Errorf("%v, %v", full.DRAM.BandwidthGBPerS, half.DRAM.BandwidthGBPerS)
	}
}
