// Package sass says what machine code (SASS) NVIDIA's own tools make of PTX, where
// they are installed: ptxas compiles, cuobjdump and nvdisasm print. It records how
// many machine instructions each PTX form becomes on each architecture, and what
// whole kernels become, as a table with the tools' versions as its source.
//
// It estimates nothing; package machine does, and a test holds that estimate
// against the tables in testdata/golden. Nothing here needs a GPU.
//
// Start with [Find] and [Toolkit.Forms]; then
//
//	retarget.go     PTX for another architecture and PTX version than it names
//	toolkit.go      the tools: where they are, their versions, one compilation
//	disassembly.go  the text that cuobjdump -sass and nvdisasm print
//	lines.go        which machine instructions came of which PTX instruction
//	forms.go        a row for each form, program and architecture
//	kernels.go      a row for each kernel and architecture
//	table.go        the table as a file
package sass
