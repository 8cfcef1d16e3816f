package networks

// Ours is the table of those whose manifests are in ptx-samples/networks: add a row and run gen.
//
// Layer names are the papers'. A final dense layer is named logits, because its
// buffer is the output of that name.
var Ours = []Network{
	{
		Name: "alexnet",
		// Krizhevsky, Sutskever, Hinton: ImageNet Classification with Deep Convolutional Neural Networks,
		// NIPS 2012, figure 2. The paper says 224; its 55x55 first plane needs 227. The two towers on two
		// GPUs are two groups here. Dropout is the identity in inference.
		paper: "Krizhevsky et al., NIPS 2012",
		image: tensor{channels: 3, height: 227, width: 227},
		layers: []step{
			{"conv1", conv{filters: 96, kernel: 11, stride: 4, bias: true, act: relu, by: direct}},
			{"norm1", localResponse{window: 5, k: 2, alpha: 1e-4, power: 0.75}},
			{"pool1", pooling{kernel: 3, stride: 2}},
			{"conv2", conv{filters: 256, kernel: 5, stride: 1, pad: 2, groups: 2, bias: true, act: relu, by: tiled}},
			{"norm2", localResponse{window: 5, k: 2, alpha: 1e-4, power: 0.75}},
			{"pool2", pooling{kernel: 3, stride: 2}},
			{"conv3", conv{filters: 384, kernel: 3, stride: 1, pad: 1, bias: true, act: relu, by: gemm}},
			{"conv4", conv{filters: 384, kernel: 3, stride: 1, pad: 1, groups: 2, bias: true, act: relu, by: gemm}},
			{"conv5", conv{filters: 256, kernel: 3, stride: 1, pad: 1, groups: 2, bias: true, act: relu, by: tiled}},
			{"pool5", pooling{kernel: 3, stride: 2}},
			{"fc6", dense{outputs: 4096, act: relu}},
			{"fc7", dense{outputs: 4096, act: relu}},
			{"logits", dense{outputs: 1000}},
			{"probabilities", softmax{}},
		},
	},
	{
		Name: "vgg16",
		// Simonyan, Zisserman: Very Deep Convolutional Networks for Large-Scale Image Recognition,
		// ICLR 2015, table 1, column D.
		paper: "Simonyan and Zisserman, ICLR 2015",
		image: tensor{channels: 3, height: 224, width: 224},
		layers: []step{
			{"conv1_1", conv{filters: 64, kernel: 3, stride: 1, pad: 1, bias: true, act: relu, by: direct}},
			{"conv1_2", conv{filters: 64, kernel: 3, stride: 1, pad: 1, bias: true, act: relu, by: tiled}},
			{"pool1", pooling{kernel: 2, stride: 2}},
			{"conv2_1", conv{filters: 128, kernel: 3, stride: 1, pad: 1, bias: true, act: relu, by: tiled}},
			{"conv2_2", conv{filters: 128, kernel: 3, stride: 1, pad: 1, bias: true, act: relu, by: tiled}},
			{"pool2", pooling{kernel: 2, stride: 2}},
			{"conv3_1", conv{filters: 256, kernel: 3, stride: 1, pad: 1, bias: true, act: relu, by: gemm}},
			{"conv3_2", conv{filters: 256, kernel: 3, stride: 1, pad: 1, bias: true, act: relu, by: gemm}},
			{"conv3_3", conv{filters: 256, kernel: 3, stride: 1, pad: 1, bias: true, act: relu, by: gemm}},
			{"pool3", pooling{kernel: 2, stride: 2}},
			{"conv4_1", conv{filters: 512, kernel: 3, stride: 1, pad: 1, bias: true, act: relu, by: gemm}},
			{"conv4_2", conv{filters: 512, kernel: 3, stride: 1, pad: 1, bias: true, act: relu, by: gemm}},
			{"conv4_3", conv{filters: 512, kernel: 3, stride: 1, pad: 1, bias: true, act: relu, by: gemm}},
			{"pool4", pooling{kernel: 2, stride: 2}},
			{"conv5_1", conv{filters: 512, kernel: 3, stride: 1, pad: 1, bias: true, act: relu, by: gemm}},
			{"conv5_2", conv{filters: 512, kernel: 3, stride: 1, pad: 1, bias: true, act: relu, by: gemm}},
			{"conv5_3", conv{filters: 512, kernel: 3, stride: 1, pad: 1, bias: true, act: relu, by: gemm}},
			{"pool5", pooling{kernel: 2, stride: 2}},
			{"fc6", dense{outputs: 4096, act: relu}},
			{"fc7", dense{outputs: 4096, act: relu}},
			{"logits", dense{outputs: 1000}},
			{"probabilities", softmax{}},
		},
	},
	{
		Name: "resnet50",
		// He, Zhang, Ren, Sun: Deep Residual Learning for Image Recognition, CVPR 2016, table 1, 50-layer.
		// The stride of a stage is in its first 3x3 convolution instead of the 1x1 before it, as in Gross
		// and Wilber: Training and investigating Residual Nets, 2016, and most implementations since: 4.1
		// instead of 3.9 billion multiply-adds, the same parameters.
		paper: "He et al., CVPR 2016",
		image: tensor{channels: 3, height: 224, width: 224},
		layers: []step{
			{"conv1", conv{filters: 64, kernel: 7, stride: 2, pad: 3, norm: unitScale, act: relu, by: direct}},
			{"pool1", pooling{kernel: 3, stride: 2, pad: 1}},
			{"conv2", bottlenecks{planes: 64, blocks: 3, stride: 1, by: tiled}},
			{"conv3", bottlenecks{planes: 128, blocks: 4, stride: 2, by: tiled}},
			{"conv4", bottlenecks{planes: 256, blocks: 6, stride: 2, by: gemm}},
			{"conv5", bottlenecks{planes: 512, blocks: 3, stride: 2, by: gemm}},
			{"pool5", globalAvgPool{}},
			{"logits", dense{outputs: 1000}},
			{"probabilities", softmax{}},
		},
	},
	{
		Name: "mobilenetv2",
		// Sandler, Howard, Zhu, Zhmoginov, Chen: MobileNetV2: Inverted Residuals and Linear Bottlenecks,
		// CVPR 2018, table 2, width multiplier 1. Its last 1x1 convolution, on a 1x1 plane, is a dense layer.
		paper: "Sandler et al., CVPR 2018",
		image: tensor{channels: 3, height: 224, width: 224},
		layers: []step{
			{"conv1", conv{filters: 32, kernel: 3, stride: 2, pad: 1, norm: unitScale, act: relu6, by: direct}},
			{"block1", invertedResiduals{expand: 1, filters: 16, blocks: 1, stride: 1}},
			{"block2", invertedResiduals{expand: 6, filters: 24, blocks: 2, stride: 2}},
			{"block3", invertedResiduals{expand: 6, filters: 32, blocks: 3, stride: 2}},
			{"block4", invertedResiduals{expand: 6, filters: 64, blocks: 4, stride: 2}},
			{"block5", invertedResiduals{expand: 6, filters: 96, blocks: 3, stride: 1}},
			{"block6", invertedResiduals{expand: 6, filters: 160, blocks: 3, stride: 2}},
			{"block7", invertedResiduals{expand: 6, filters: 320, blocks: 1, stride: 1}},
			{"conv8", conv{filters: 1280, kernel: 1, stride: 1, norm: unitScale, act: relu6, by: pointwise}},
			{"pool8", pooling{average: true, kernel: 7, stride: 1}},
			{"logits", dense{outputs: 1000}},
			{"probabilities", softmax{}},
		},
	},
}
