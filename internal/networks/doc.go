// Package networks makes launch manifests of published networks, of the kernels in
// ptx-samples/kernels.
//
// A network is a row of a table: one of ours (networks.go, a chain of layers with the
// algorithm of each convolution), or one of HyPA's 32 (hypa.go), a graph that a function
// of its family makes (vgg.go, resnet.go, ...), from the methods of graph.go. Each kind of
// layer knows how to lower itself (layer.go, conv.go, block.go): it declares its weights
// and its result as buffers and appends its launches to a [builder]. The writer
// (manifest.go) prints one buffer and one launch a line.
//
// Nothing is trained: weights are seeded noise, scaled so that activations keep
// their magnitude from layer to layer. What is written depends on the tables alone,
// and a test holds the committed manifests to it. Tests compute a chain as its layers are
// defined (reference_test.go, arithmetic_test.go), in float64 and without any kernel, and
// with -update write the logits, so that whoever runs the launches has something to
// compare with.
//
// Start with networks.go and hypa.go.
package networks
