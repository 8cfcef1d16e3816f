// Command hyptx says what the kernels of PTX files do on a GPU, without one.
//
// Each command stands in a file of its own and only reads flags and prints;
// the work is done in the packages, which know neither flags nor terminals. A
// new command is one new file, which registers itself.
//
// Start with root.go: how a command line becomes a run, an exit code and an end
// by Ctrl-C. Then, in the order in which a run meets them: flags.go and limits.go
// (flags that check themselves), output.go and file.go (what will be written, and
// how it appears whole), session.go and programs.go (from arguments to programs,
// and the one loop over them), screen.go, table.go and help.go (what people read),
// noterows.go (what is told beside the rows). profile.go, roofline.go, power.go,
// run.go and compare.go are the commands that do most.
package main

import (
	"os"

	"hyptx/internal/guard"
)

func main() {
	guard.Lazily()
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
