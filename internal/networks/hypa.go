package networks

import "slices"

// A family appends the layers between an image and the last dense layer.
type family func(g *graph, image tensor) tensor

// HyPA are the 32 networks of Metz, Plump, Berger, Drechsler: Hybrid PTX Analysis for GPU
// accelerated CNN inferencing aiding Computer Architecture Design, under the names of its
// tables, in their order. They are Keras' (keras/applications), BiT's and AlexNet's, whose
// first layers are the paper's. All end in 1000 classes.
func HyPA() []Network {
	list := []Network{hypaAlexNet()}
	add := func(name, paper string, pixels int, f family) {
		list = append(list, Network{Name: name, paper: paper, image: tensor{channels: 3, height: pixels, width: pixels}, family: f})
	}
	add("densenet121", "Huang et al., CVPR 2017", 224, densenet([4]int{6, 12, 24, 16}))
	add("densenet169", "Huang et al., CVPR 2017", 224, densenet([4]int{6, 12, 32, 32}))
	add("densenet201", "Huang et al., CVPR 2017", 224, densenet([4]int{6, 12, 48, 32}))
	for i, b := range []struct {
		width, depth float64
		pixels       int
	}{{1, 1, 224}, {1, 1.1, 240}, {1.1, 1.2, 260}, {1.2, 1.4, 300}, {1.4, 1.8, 380}, {1.6, 2.2, 456}, {1.8, 2.6, 528}, {2, 3.1, 600}} {
		add("efficientnetb"+string(rune('0'+i)), "Tan and Le, ICML 2019", b.pixels, efficientnet(b.width, b.depth))
	}
	add("InceptionResNetV2", "Szegedy et al., AAAI 2017", 299, inceptionResNetV2)
	add("inceptionv3", "Szegedy et al., CVPR 2016", 299, inceptionV3)
	add("mobilenet", "Howard et al., 2017", 224, mobilenet)
	add("MobileNetV2", "Sandler et al., CVPR 2018", 224, mobilenetV2)
	add("m-r101x1", "Kolesnikov et al., ECCV 2020", 224, bit(resnet101, 1))
	add("m-r101x3", "Kolesnikov et al., ECCV 2020", 224, bit(resnet101, 3))
	add("m-r154x4", "Kolesnikov et al., ECCV 2020", 224, bit(resnet152, 4)) // R152x4, as its authors call it
	add("m-r50x1", "Kolesnikov et al., ECCV 2020", 224, bit(resnet50, 1))
	add("m-r50x3", "Kolesnikov et al., ECCV 2020", 224, bit(resnet50, 3))
	add("nasnetlarge", "Zoph et al., CVPR 2018", 331, nasnet(4032, 6, 96, true))
	add("nasnetmobile", "Zoph et al., CVPR 2018", 224, nasnet(1056, 4, 32, false))
	add("resnet101", "He et al., CVPR 2016", 224, resnet(resnet101))
	add("resnet101v2", "He et al., ECCV 2016", 224, resnetV2(resnet101))
	add("resnet152", "He et al., CVPR 2016", 224, resnet(resnet152))
	add("resnet152v2", "He et al., ECCV 2016", 224, resnetV2(resnet152))
	add("resnet50", "He et al., CVPR 2016", 224, resnet(resnet50))
	add("resnet50v2", "He et al., ECCV 2016", 224, resnetV2(resnet50))
	add("vgg16", "Simonyan and Zisserman, ICLR 2015", 224, vgg([5]int{2, 2, 3, 3, 3}))
	add("vgg19", "Simonyan and Zisserman, ICLR 2015", 224, vgg([5]int{2, 2, 4, 4, 4}))
	add("Xception", "Chollet, CVPR 2017", 299, xception)
	return list
}

// hypaAlexNet is the one of ours.
func hypaAlexNet() Network {
	return Ours[slices.IndexFunc(Ours, func(n Network) bool { return n.Name == "alexnet" })]
}
