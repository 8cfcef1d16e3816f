package isa

// The opcodes of video instructions.
const (
	OpVadd Op = iota + firstVideo
	OpVsub
	OpVabsdiff
	OpVmin
	OpVmax
	OpVshl
	OpVshr
	OpVmad
	OpVset
	OpVadd2
	OpVsub2
	OpVavrg2
	OpVabsdiff2
	OpVmin2
	OpVmax2
	OpVset2
	OpVadd4
	OpVsub4
	OpVavrg4
	OpVabsdiff4
	OpVmin4
	OpVmax4
	OpVset4
)

// videoOperations: Kepler has all of them, later machines the scalar ones at best;
// the others select, compute and put together part by part.
var videoOperations = []operation{
	{OpVadd, "vadd", computes, byClass, PowerALU, scalarVideo}, {OpVsub, "vsub", computes, byClass, PowerALU, scalarVideo},
	{OpVabsdiff, "vabsdiff", computes, byClass, PowerALU, scalarVideo},
	{OpVmin, "vmin", computes, byClass, PowerALU, scalarVideo}, {OpVmax, "vmax", computes, byClass, PowerALU, scalarVideo},
	{OpVshl, "vshl", computes, byClass, PowerALU, scalarVideo}, {OpVshr, "vshr", computes, byClass, PowerALU, scalarVideo},
	{OpVmad, "vmad", computes, byClass, PowerMultiply, scalarVideo}, {OpVset, "vset", computes, byClass, PowerALU, scalarVideo},
	{OpVadd2, "vadd2", computes, byClass, PowerALU, pairVideo}, {OpVsub2, "vsub2", computes, byClass, PowerALU, pairVideo},
	{OpVavrg2, "vavrg2", computes, byClass, PowerALU, pairVideo}, {OpVabsdiff2, "vabsdiff2", computes, byClass, PowerALU, pairVideo},
	{OpVmin2, "vmin2", computes, byClass, PowerALU, pairVideo}, {OpVmax2, "vmax2", computes, byClass, PowerALU, pairVideo},
	{OpVset2, "vset2", computes, byClass, PowerALU, pairVideo},
	{OpVadd4, "vadd4", computes, byClass, PowerALU, quadVideo}, {OpVsub4, "vsub4", computes, byClass, PowerALU, quadVideo},
	{OpVavrg4, "vavrg4", computes, byClass, PowerALU, quadVideo}, {OpVabsdiff4, "vabsdiff4", computes, byClass, PowerALU, quadVideo},
	{OpVmin4, "vmin4", computes, byClass, PowerALU, quadVideo}, {OpVmax4, "vmax4", computes, byClass, PowerALU, quadVideo},
	{OpVset4, "vset4", computes, byClass, PowerALU, quadVideo},
}

// The costs of video instructions on machines without them: a selection (PRMT) of each
// operand, the operation, what is done with c; of packed ones for each part, and PRMT
// to put them together.
var (
	scalarVideo = counted(4, 4, ownEstimate)
	pairVideo   = counted(8, 8, ownEstimate)
	quadVideo   = counted(14, 14, ownEstimate)
)

// videoRows are the scalar and the packed video instructions (PTX ISA 9.7.20). With c
// the result is combined with it, or merged into it where a part of d is named.
var videoRows = []row{
	{"vadd.dtype.atype.btype{.sat}" + video, videoTypes, Integer, "2.0", "20", "9.7.20.1.1"},
	{"vadd.dtype.atype.btype{.sat}.op" + video3, videoTypes + videoOps, Integer, "2.0", "20", "9.7.20.1.1"},
	{"vsub.dtype.atype.btype{.sat}" + video, videoTypes, Integer, "2.0", "20", "9.7.20.1.1"},
	{"vsub.dtype.atype.btype{.sat}.op" + video3, videoTypes + videoOps, Integer, "2.0", "20", "9.7.20.1.1"},
	{"vabsdiff.dtype.atype.btype{.sat}" + video, videoTypes, Integer, "2.0", "20", "9.7.20.1.1"},
	{"vabsdiff.dtype.atype.btype{.sat}.op" + video3, videoTypes + videoOps, Integer, "2.0", "20", "9.7.20.1.1"},
	{"vmin.dtype.atype.btype{.sat}" + video, videoTypes, Integer, "2.0", "20", "9.7.20.1.1"},
	{"vmin.dtype.atype.btype{.sat}.op" + video3, videoTypes + videoOps, Integer, "2.0", "20", "9.7.20.1.1"},
	{"vmax.dtype.atype.btype{.sat}" + video, videoTypes, Integer, "2.0", "20", "9.7.20.1.1"},
	{"vmax.dtype.atype.btype{.sat}.op" + video3, videoTypes + videoOps, Integer, "2.0", "20", "9.7.20.1.1"},
	{"vshl.dtype.atype.u32{.sat}.mode" + videoShift, shiftTypes, Integer, "2.0", "20", "9.7.20.1.2"},
	{"vshl.dtype.atype.u32{.sat}.mode.op" + videoShift3, shiftTypes + videoOps, Integer, "2.0", "20", "9.7.20.1.2"},
	{"vshr.dtype.atype.u32{.sat}.mode" + videoShift, shiftTypes, Integer, "2.0", "20", "9.7.20.1.2"},
	{"vshr.dtype.atype.u32{.sat}.mode.op" + videoShift3, shiftTypes + videoOps, Integer, "2.0", "20", "9.7.20.1.2"},
	{"vmad.dtype.atype.btype{.sat}{.scale} d:dtype, {-}a.sel:atype, {-}b.sel:btype, {-}c:dtype", videoTypes + "; .scale = .shr7 .shr15", Integer, "2.0", "20", "9.7.20.1.3"},
	{"vmad.dtype.atype.btype.po{.sat}{.scale} d:dtype, a.sel:atype, b.sel:btype, c:dtype", videoTypes + "; .scale = .shr7 .shr15", Integer, "2.0", "20", "9.7.20.1.3"},
	{"vset.atype.btype.cmp d.sel:u32, a.sel:atype, b.sel:btype{, c:u32}", setVideo, Integer, "2.0", "20", "9.7.20.1.4"},
	{"vset.atype.btype.cmp.op d:u32, a.sel:atype, b.sel:btype, c:u32", setVideo + videoOps, Integer, "2.0", "20", "9.7.20.1.4"},

	{"vadd2.dtype.atype.btype{.sat}" + video2, videoTypes, Integer, "3.0", "30", "9.7.20.2.1"},
	{"vadd2.dtype.atype.btype.add" + video2, videoTypes, Integer, "3.0", "30", "9.7.20.2.1"},
	{"vsub2.dtype.atype.btype{.sat}" + video2, videoTypes, Integer, "3.0", "30", "9.7.20.2.1"},
	{"vsub2.dtype.atype.btype.add" + video2, videoTypes, Integer, "3.0", "30", "9.7.20.2.1"},
	{"vavrg2.dtype.atype.btype{.sat}" + video2, videoTypes, Integer, "3.0", "30", "9.7.20.2.1"},
	{"vavrg2.dtype.atype.btype.add" + video2, videoTypes, Integer, "3.0", "30", "9.7.20.2.1"},
	{"vabsdiff2.dtype.atype.btype{.sat}" + video2, videoTypes, Integer, "3.0", "30", "9.7.20.2.1"},
	{"vabsdiff2.dtype.atype.btype.add" + video2, videoTypes, Integer, "3.0", "30", "9.7.20.2.1"},
	{"vmin2.dtype.atype.btype{.sat}" + video2, videoTypes, Integer, "3.0", "30", "9.7.20.2.1"},
	{"vmin2.dtype.atype.btype.add" + video2, videoTypes, Integer, "3.0", "30", "9.7.20.2.1"},
	{"vmax2.dtype.atype.btype{.sat}" + video2, videoTypes, Integer, "3.0", "30", "9.7.20.2.1"},
	{"vmax2.dtype.atype.btype.add" + video2, videoTypes, Integer, "3.0", "30", "9.7.20.2.1"},
	{"vset2.atype.btype.cmp{.add} d.mask2:u32, a.sel2:atype, b.sel2:btype, c:u32", setVideo, Integer, "3.0", "30", "9.7.20.2.2"},

	{"vadd4.dtype.atype.btype{.sat}" + video4, videoTypes, Integer, "3.0", "30", "9.7.20.2.3"},
	{"vadd4.dtype.atype.btype.add" + video4, videoTypes, Integer, "3.0", "30", "9.7.20.2.3"},
	{"vsub4.dtype.atype.btype{.sat}" + video4, videoTypes, Integer, "3.0", "30", "9.7.20.2.3"},
	{"vsub4.dtype.atype.btype.add" + video4, videoTypes, Integer, "3.0", "30", "9.7.20.2.3"},
	{"vavrg4.dtype.atype.btype{.sat}" + video4, videoTypes, Integer, "3.0", "30", "9.7.20.2.3"},
	{"vavrg4.dtype.atype.btype.add" + video4, videoTypes, Integer, "3.0", "30", "9.7.20.2.3"},
	{"vabsdiff4.dtype.atype.btype{.sat}" + video4, videoTypes, Integer, "3.0", "30", "9.7.20.2.3"},
	{"vabsdiff4.dtype.atype.btype.add" + video4, videoTypes, Integer, "3.0", "30", "9.7.20.2.3"},
	{"vmin4.dtype.atype.btype{.sat}" + video4, videoTypes, Integer, "3.0", "30", "9.7.20.2.3"},
	{"vmin4.dtype.atype.btype.add" + video4, videoTypes, Integer, "3.0", "30", "9.7.20.2.3"},
	{"vmax4.dtype.atype.btype{.sat}" + video4, videoTypes, Integer, "3.0", "30", "9.7.20.2.3"},
	{"vmax4.dtype.atype.btype.add" + video4, videoTypes, Integer, "3.0", "30", "9.7.20.2.3"},
	{"vset4.atype.btype.cmp{.add} d.mask4:u32, a.sel4:atype, b.sel4:btype, c:u32", setVideo, Integer, "3.0", "30", "9.7.20.2.4"},
}

const (
	video       = " d.sel:dtype, a.sel:atype, b.sel:btype{, c:dtype}"
	video3      = " d:dtype, a.sel:atype, b.sel:btype, c:dtype"
	video2      = " d.mask2:dtype, a.sel2:atype, b.sel2:btype, c:dtype"
	video4      = " d.mask4:dtype, a.sel4:atype, b.sel4:btype, c:dtype"
	videoShift  = " d.sel:dtype, a.sel:atype, b.sel:u32{, c:dtype}"
	videoShift3 = " d:dtype, a.sel:atype, b.sel:u32, c:dtype"

	signs32    = " = .u32 .s32; "
	videoTypes = ".dtype" + signs32 + ".atype" + signs32 + ".btype = .u32 .s32"
	shiftTypes = ".dtype" + signs32 + ".atype" + signs32 + ".mode = .clamp .wrap"
	setVideo   = ".atype" + signs32 + ".btype" + signs32 + ".cmp = .eq .ne .lt .le .gt .ge"
	videoOps   = "; .op = .add .min .max"
)
