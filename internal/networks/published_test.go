package networks

import (
	"math"
	"strings"
	"testing"
)

// A publication is what is published about a network.
type publication struct {
	multiplyAdds float64 // within 1 %
	parameters   int     // exactly
	results      []result
}

// A result is a published size: the plane and channels that a layer gives.
type result struct {
	buffer         string
	channels, w, h int
}

var published = map[string]publication{
	"alexnet": {
		// Convolutions 666 M (Chen et al., Eyeriss, ISSCC 2016), dense layers
		// 9216*4096 + 4096*4096 + 4096*1000 = 58.6 M. Parameters by hand from
		// the paper's figure 2, weights and biases from conv1 to fc8: 34944 +
		// 307456 + 885120 + 663936 + 442624 + 37752832 + 16781312 + 4097000;
		// the paper says 60 million.
		666e6 + 58.6e6, 60965224,
		[]result{
			{"conv1", 96, 55, 55}, {"conv2", 256, 27, 27}, {"conv3", 384, 13, 13}, {"conv4", 384, 13, 13},
			{"conv5", 256, 13, 13}, {"fc6", 4096, 1, 1}, {"fc7", 4096, 1, 1}, {"logits", 1000, 1, 1},
		},
	},
	"vgg16": {
		// torchvision, VGG16_Weights.IMAGENET1K_V1: 15.47 G, 138357544. The
		// paper's table 2 says 138 million parameters.
		15.47e9, 138357544,
		[]result{
			{"conv1_2", 64, 224, 224}, {"conv2_2", 128, 112, 112}, {"conv3_3", 256, 56, 56}, {"conv4_3", 512, 28, 28},
			{"conv5_3", 512, 14, 14}, {"pool5", 512, 7, 7}, {"fc7", 4096, 1, 1}, {"logits", 1000, 1, 1},
		},
	},
	"resnet50": {
		// torchvision, ResNet50_Weights.IMAGENET1K_V1: 4.09 G, 25557032, with
		// the stride where this table has it. Sizes from the paper's table 1.
		4.09e9, 25557032,
		[]result{
			{"conv1", 64, 112, 112}, {"conv2_3", 256, 56, 56}, {"conv3_4", 512, 28, 28}, {"conv4_6", 1024, 14, 14},
			{"conv5_3", 2048, 7, 7}, {"pool5", 2048, 1, 1}, {"logits", 1000, 1, 1},
		},
	},
	"mobilenetv2": {
		// The paper's table 4: 300 M multiply-adds, 3.4 M parameters;
		// torchvision, MobileNet_V2_Weights.IMAGENET1K_V1: 3504872. Sizes from
		// the paper's table 2, each the input of the row below.
		300e6, 3504872,
		[]result{
			{"conv1", 32, 112, 112}, {"block1_1.project", 16, 112, 112}, {"block2_2", 24, 56, 56}, {"block3_3", 32, 28, 28},
			{"block4_4", 64, 14, 14}, {"block5_3", 96, 14, 14}, {"block6_3", 160, 7, 7}, {"block7_1.project", 320, 7, 7},
			{"conv8", 1280, 7, 7}, {"pool8", 1280, 1, 1}, {"logits", 1000, 1, 1},
		},
	},
}

// TestPublished counts multiply-adds from the launches and parameters from the
// buffers, and compares them with what is published.
func TestPublished(t *testing.T) {
	for _, n := range Ours {
		f := read(t, n)
		want, known := published[n.Name]
		if !known {
			t.Errorf("%s: nothing published to compare it with", n.Name)
			continue
		}
		multiplyAdds := 0
		for _, l := range f.Launches {
			multiplyAdds += effects[l.Kernel](t, newCall(l)).multiplyAdds
		}
		parameters := 0
		for name, b := range f.Buffers {
			statistic := strings.HasSuffix(name, ".mean") || strings.HasSuffix(name, ".variance")
			if b.Init != nil && name != "image" && !statistic {
				parameters += b.Bytes / 4
			}
		}
		if math.Abs(float64(multiplyAdds)/want.multiplyAdds-1) > 0.01 {
			t.Errorf("%s: %d multiply-adds, published %.4g", n.Name, multiplyAdds, want.multiplyAdds)
		}
		if parameters != want.parameters {
			t.Errorf("%s: %d parameters, published %d", n.Name, parameters, want.parameters)
		}
		if f.Meta.MultiplyAdds != multiplyAdds || f.Meta.Parameters != parameters {
			t.Errorf("%s: meta %+v, counted %d and %d", n.Name, f.Meta, multiplyAdds, parameters)
		}
		for _, r := range want.results {
			b := f.Buffers[r.buffer]
			if b == nil || b.Bytes != 4*r.channels*r.w*r.h {
				t.Errorf("%s: %s is %+v, published %d x %d x %d", n.Name, r.buffer, b, r.channels, r.w, r.h)
			}
		}
	}
}
