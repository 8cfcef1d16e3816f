// Gen writes the launch manifests in ptx-samples/networks, as package networks makes them.
// From the root of the project:
//
//	go run ./ptx-samples/networks/gen
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"hyptx/internal/networks"
)

func main() {
	dir := flag.String("dir", filepath.Join("ptx-samples", "networks"), "write the manifests into `folder`")
	flag.Parse()
	for _, n := range networks.Ours {
		if err := write(*dir, n); err != nil {
			fmt.Fprintf(os.Stderr, "gen: %s: %v\n", n.Name, err)
			os.Exit(1)
		}
	}
}

// write writes a network to <name>.json.
func write(dir string, n networks.Network) error {
	text, err := n.Manifest()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, n.Name+".json"), text, 0o644)
}
