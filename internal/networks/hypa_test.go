package networks

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"
)

// A publication of HyPA's networks: parameters with the statistics of normalisations, exactly
// as Keras counts them (model summaries; MobileNet and the EfficientNets: with the
// normaliser), BiT's to 10^4 (its checkpoints with 1000 classes), and multiply-adds in
// millions, as printed; 0: nobody did at this size.
var hypaPublished = map[string]struct {
	parameters   int
	multiplyAdds float64
	digit        float64 // the last one printed
}{
	// Krizhevsky 2012 by hand, as above.
	"alexnet": {60965224, 724.4, 1},
	// torchvision.models, the weights' metadata _ops.
	"vgg16": {138357544, 15470, 10}, "vgg19": {143667240, 19630, 10},
	"densenet121": {8062504, 2830, 10}, "densenet169": {14307880, 3360, 10}, "densenet201": {20242984, 4290, 10},
	"efficientnetb0": {5330571, 390, 10}, "efficientnetb1": {7856239, 690, 10}, "efficientnetb3": {12320535, 1830, 10},
	"efficientnetb4": {19466823, 4390, 10}, "efficientnetb5": {30562527, 10270, 10}, "efficientnetb6": {43265143, 19070, 10},
	"efficientnetb7": {66658687, 37750, 10},
	// Tan and Le 2019, table 2; torchvision has another size.
	"efficientnetb2": {9177569, 1000, 100},
	// He et al. 2016, table 1: 3.8, 7.6, 11.3 x 10^9.
	"resnet50": {25636712, 3800, 100}, "resnet101": {44707176, 7600, 100}, "resnet152": {60419944, 11300, 100},
	"resnet50v2": {25613800, 0, 0}, "resnet101v2": {44675560, 0, 0}, "resnet152v2": {60380648, 0, 0},
	// Howard et al. 2017, table 8; Sandler et al. 2018, table 4.
	"mobilenet": {4253864, 569, 1}, "MobileNetV2": {3538984, 300, 1},
	// Zoph et al. 2018, tables 2 and 3.
	"inceptionv3": {23851784, 5720, 10}, "Xception": {22910480, 8380, 10}, "InceptionResNetV2": {55873736, 13200, 100},
	"nasnetlarge": {88949818, 23800, 100}, "nasnetmobile": {5326716, 564, 1},
	"m-r50x1": {25550000, 0, 0}, "m-r50x3": {217320000, 0, 0}, "m-r101x1": {44540000, 0, 0},
	"m-r101x3": {387930000, 0, 0}, "m-r154x4": {936530000, 0, 0},
}

// TestHyPA counts multiply-adds from the launches and parameters from the buffers, and
// compares them with what is published; and a manifest is made in a moment.
func TestHyPA(t *testing.T) {
	list := HyPA()
	if len(list) != 32 {
		t.Errorf("%d networks", len(list))
	}
	for _, n := range list {
		begun := time.Now()
		f := read(t, n)
		if took := time.Since(begun); took > 5*time.Second {
			t.Errorf("%s: its manifest took %v", n.Name, took)
		}
		want, known := hypaPublished[n.Name]
		if !known {
			t.Errorf("%s: nothing published to compare it with", n.Name)
		}
		multiplyAdds, parameters := counted(t, f)
		within := 0
		if strings.HasPrefix(n.Name, "m-r") {
			within = 10_000
		}
		if off := parameters - want.parameters; max(off, -off) > within {
			t.Errorf("%s: %d parameters, published %d", n.Name, parameters, want.parameters)
		}
		if off := math.Abs(float64(multiplyAdds)/1e6 - want.multiplyAdds); want.multiplyAdds > 0 && off > max(0.01*want.multiplyAdds, 0.6*want.digit) {
			t.Errorf("%s: %d multiply-adds, published %g million", n.Name, multiplyAdds, want.multiplyAdds)
		}
		if f.Meta.MultiplyAdds != multiplyAdds {
			t.Errorf("%s: meta %+v, counted %d", n.Name, f.Meta, multiplyAdds)
		}
	}
}

// counted counts multiply-adds, and parameters with statistics.
func counted(t *testing.T, f *file) (multiplyAdds, parameters int) {
	for _, l := range f.Launches {
		multiplyAdds += effects[l.Kernel](t, newCall(l)).multiplyAdds
	}
	normaliser := 0
	for name, b := range f.Buffers {
		if b.Init != nil && b.Init.Uniform != nil && name != "image" {
			parameters += b.Bytes / 4
		}
		if strings.HasPrefix(name, "scaled_") {
			normaliser = 1 // Keras counts the samples that the mean of images is of
		}
	}
	return multiplyAdds, parameters + normaliser
}

// TestHyPAReference compares parameters and multiply-adds with those of another
// implementation, exactly.
func TestHyPAReference(t *testing.T) {
	text, err := os.ReadFile("../../../shared/data/hypa/hypa_nets.tsv")
	if err != nil {
		t.Skip(err)
	}
	rows := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), "\t")
		rows[cells[0]] = cells
	}
	for _, n := range HyPA() {
		multiplyAdds, parameters := counted(t, read(t, n))
		if row := rows[n.Name]; row == nil || row[10] != fmt.Sprint(parameters) || row[13] != fmt.Sprint(multiplyAdds) {
			t.Errorf("%s: %d parameters, %d multiply-adds; reference %v", n.Name, parameters, multiplyAdds, row)
		}
	}
}
