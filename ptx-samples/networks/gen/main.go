// Gen writes the launch manifests in ptx-samples/networks, as package networks makes them,
// and with -logits what each network's layers compute by their definitions. From the root
// of the project:
//
//	go run ./ptx-samples/networks/gen
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"hyptx/internal/networks"
)

func main() {
	dir := flag.String("dir", filepath.Join("ptx-samples", "networks"), "write the manifests into `folder`")
	logits := flag.Bool("logits", false, "compute and write the reference logits too (a minute)")
	flag.Parse()
	for _, n := range networks.Ours {
		if err := write(*dir, n, *logits); err != nil {
			fmt.Fprintf(os.Stderr, "gen: %s: %v\n", n.Name, err)
			os.Exit(1)
		}
	}
}

// write writes a network to <name>.json, and its logits to <name>.logits.txt, one a line.
func write(dir string, n networks.Network, logits bool) error {
	text, err := n.Manifest()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, n.Name+".json"), text, 0o644); err != nil || !logits {
		return err
	}
	values, err := n.Logits()
	if err != nil {
		return err
	}
	var lines bytes.Buffer
	for _, x := range values {
		fmt.Fprintf(&lines, "%.9g\n", x)
	}
	return os.WriteFile(filepath.Join(dir, n.Name+".logits.txt"), lines.Bytes(), 0o644)
}
