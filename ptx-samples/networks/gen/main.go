// Gen writes the launch manifests of the networks in ptx-samples/networks.
//
// A network is a row of the table in networks.go: its layers with their
// published shapes, and for each convolution the algorithm that computes it.
// Each kind of layer knows how to lower itself (layer.go, conv.go, block.go):
// it declares its weights and its result as buffers and appends its launches
// of the kernels in ptx-samples/kernels to a [builder]. The writer
// (manifest.go) prints one buffer and one launch a line.
//
// Gen trains nothing: weights are seeded noise, scaled so that activations keep
// their magnitude from layer to layer. Its output depends on the table alone,
// and a test holds the committed manifests to it. With -logits it also computes
// each network as its layers are defined (reference.go, arithmetic.go), in
// float64 and without any kernel, so that whoever runs the launches has
// something to compare with.
//
// Start with networks.go. From the root of the project:
//
//	go run ./ptx-samples/networks/gen
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	dir := flag.String("dir", filepath.Join("ptx-samples", "networks"), "write the manifests into `folder`")
	logits := flag.Bool("logits", false, "compute and write the reference logits too (a minute)")
	flag.Parse()
	err := writeAll(*dir)
	for _, n := range networks {
		if err == nil && *logits {
			err = n.writeLogits(*dir)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// writeAll writes every network of the table to <name>.json in dir.
func writeAll(dir string) error {
	for _, n := range networks {
		m, err := n.lower()
		if err != nil {
			return err
		}
		text, err := m.encode()
		if err != nil {
			return fmt.Errorf("%s: %w", n.name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, n.name+".json"), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
