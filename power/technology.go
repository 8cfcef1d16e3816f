package power

import (
	"fmt"
	"slices"
)

// Published factors of AccelWattch's case studies (workbook sheets of Pascal
// and Turing; constants of the release).
const (
	// idleFactor16nm is the idle power of an SM in 16 nm over 12 nm, as the
	// Pascal sheets have it.
	idleFactor16nm = 0.28279166 / 0.073384305
	// turingConstSASS and turingConstPTX multiply constant power in the Turing
	// sheets. No derivation was published.
	turingConstSASS = 1.7084113436220400
	turingConstPTX  = 2.0825667
)

// Moving energies to another node. The energy of switching is C V^2, and the IRDS
// tables that AccelWattch used give C V^2 by node: 0.82 for 16 nm, 0.77 for 12 nm,
// the GV100's. A Titan X in 16 nm takes 0.82/0.77 = 1.065 of the GV100's energy an
// event. For nodes that those tables leave out, a published ratio to one that they
// have stands in, and its source beside it.

// node is a technology node relative to the GV100's, 12 nm.
type node struct {
	nm float64
	// cv2 is the IRDS figure of C V^2 that AccelWattch used, of which 12 nm has
	// 0.77; below 10 nm a published ratio to a node that has one.
	cv2 float64
	// idle and static are the factors on the power of an SM, 1 where staticBasis
	// says that none were published.
	idle, static float64
	staticBasis  string
}

// gv100CV2 is the C V^2 of 12 nm.
const gv100CV2 = 0.77

// energy is the factor on dynamic energies.
func (n node) energy() float64 { return n.cv2 / gv100CV2 }

// energy7nm is the energy of an operation in 7 nm over 16 nm, both high
// performance and at 1 V: Stillmaker and Baas 2017, Scaling equations for the
// accurate prediction of CMOS device performance from 180 nm to 7 nm, table 5
// (a V^2 + b V + c). It hardly depends on the voltage: 0.543 at 0.8 V.
const energy7nm = (0.1776 - 0.09097 + 0.02447) / (0.2958 - 0.1241 + 0.03024)

const (
	// power8nm: Samsung's announcement of 8LPP (2017), 10 % less power than
	// 10LPP.
	power8nm = 0.90
	// power5nm: TSMC's page on its 5 nm technology, about 30 % less power than
	// N7. 4N and 4NP, in which GPUs are made, are of that family.
	power5nm = 0.70
)

// nodes are those with published factors. The Pascal case scales idle SMs and
// leaves static power as it is. Below 12 nm only dynamic energies have factors:
// IRDS, Stillmaker and Baas and the foundries give energies or whole powers,
// none gives leakage alone.
var nodes = []node{
	{16, 0.82, idleFactor16nm, 1, staticScaled}, {14, 0.82, idleFactor16nm, 1, staticScaled}, {12, gv100CV2, 1, 1, staticScaled},
	{11, 0.74, 1, 1, staticUnscaled}, {10, 0.74, 1, 1, staticUnscaled},
	{8, 0.74 * power8nm, 1, 1, staticUnscaled}, {7, 0.82 * energy7nm, 1, 1, staticUnscaled},
	{5, 0.82 * energy7nm * power5nm, 1, 1, staticUnscaled}, {4, 0.82 * energy7nm * power5nm, 1, 1, staticUnscaled},
}

// Whence a chip's static and idle power come: the column static_basis.
const (
	staticTuned    = "tuned"    // measured on this GPU
	staticScaled   = "scaled"   // a GV100's by the number of SMs, with the published factor of the node
	staticUnscaled = "unscaled" // a GV100's by the number of SMs; no factor was published for the node
)

// nodeOf returns a node; an error, with a GV100's power of an SM, if no factors of
// it were published.
func nodeOf(nm float64) (node, error) {
	if i := slices.IndexFunc(nodes, func(n node) bool { return n.nm == nm }); i >= 0 {
		return nodes[i], nil
	}
	return node{nm: nm, idle: 1, static: 1, staticBasis: staticUnscaled},
		fmt.Errorf("no energy factor was published for %g nm (only for 16, 14, 12, 11, 10, 8, 7, 5 and 4 nm)", nm)
}

// titanX returns AccelWattch's Pascal case: a Titan X (Pascal) in 16 nm.
func titanX(v Variant, r Rules) *Chip {
	c := GV100(v, r)
	at, _ := nodeOf(16)
	c.Name, c.SMs, c.Basis, c.StaticBasis = "titan_x_pascal", 28, "extrapolated", staticScaled
	c.Energies = c.Energies.scaled(at.energy())
	c.MemControllerW *= at.energy() // the sheets scale the column as a whole
	c.IdleSMW *= at.idle
	c.Notes = append(c.Notes, "AccelWattch's Pascal case: energies of a GV100 x 0.82/0.77")
	return c
}

// rtx2060S returns AccelWattch's Turing case.
func rtx2060S(v Variant, r Rules) *Chip {
	c := GV100(v, r)
	c.Name, c.SMs, c.Basis, c.StaticBasis = "rtx2060s", 34, "extrapolated", staticScaled
	c.ConstantW *= turingConst(v)
	c.Notes = append(c.Notes, "AccelWattch's Turing case: energies of a GV100, constant power x a factor that was published without derivation")
	return c
}

// turingConst is the factor of the sheet that belongs to the variant.
func turingConst(v Variant) float64 {
	if v == PTXSim || v == ptxSimAlt {
		return turingConstPTX
	}
	return turingConstSASS
}
