package isa

import "strings"

// later are the operations of PTX ISA 9.4 that have no row. Their opcodes are
// known, so that the error says so, and nothing else about them is.
var later = []string{
	"st.async", "st.bulk", "red.async", "multimem.st.async", "multimem.red.async",
	"multimem.ld_reduce", "multimem.st", "multimem.red", "multimem.cp.async.bulk", "multimem.cp.reduce.async.bulk",
	"applypriority.async.bulk", "cp.async.bulk", "cp.reduce.async.bulk", "tensormap.replace", "tensormap.cp_fenceproxy",
	"spcompress", "spdecompress", "fabric", "clusterlaunchcontrol.try_cancel", "clusterlaunchcontrol.query_cancel",
	"mbarrier.check_layout",
	"tex", "tld4", "txq", "istypep", "suld", "sust", "sured", "suq",
	"wmma.load", "wmma.store", "wmma.mma", "mma.sp", "mma.sp::ordered_metadata",
	"wgmma.mma_async", "wgmma.fence", "wgmma.commit_group", "wgmma.wait_group", "tcgen05",
	"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vmad", "vset",
	"vadd2", "vsub2", "vavrg2", "vabsdiff2", "vmin2", "vmax2", "vset2",
	"vadd4", "vsub4", "vavrg4", "vabsdiff4", "vmin4", "vmax4", "vset4",
}

// laterName returns the operation of later that opcode names, "" if none.
func laterName(opcode string) string {
	for _, name := range later {
		if rest, ok := strings.CutPrefix(opcode, name); ok && (rest == "" || rest[0] == '.') {
			return name
		}
	}
	return ""
}
