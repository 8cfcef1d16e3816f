// Package ptxsamples holds the kernels and programs of this folder, so that the program
// can write them where a user wants them. What they are say the folders' READMEs; start
// with package shipped, which lists them beside the networks that are made.
package ptxsamples

import "embed"

// Files are the kernels and the papers' programs: manifests and PTX.
//
//go:embed kernels/*.json kernels/sm_70/*.ptx kernels/sm_80/*.ptx benchmarks/*.json benchmarks/sm_70/*.ptx
var Files embed.FS
