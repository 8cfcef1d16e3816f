// Command hyptx says what the kernels of PTX files do on a GPU, without one.
//
// Each command stands in a file of its own and only reads flags and prints;
// the work is done in the packages. Start with root.go.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
