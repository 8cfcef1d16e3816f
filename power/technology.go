package power

import "fmt"

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

// node is a technology node with its energy relative to the GV100's.
type node struct {
	nm float64
	// cv2 is the IRDS figure of C V^2 that AccelWattch used, of which 12 nm has
	// 0.77; below 10 nm a published ratio to a node that has one.
	cv2 float64
	// idle and static are factors on idle and static power; 0 if none were
	// published.
	idle, static float64
}

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
	{16, 0.82, idleFactor16nm, 1}, {14, 0.82, idleFactor16nm, 1}, {12, 0.77, 1, 1}, {11, 0.74, 0, 0}, {10, 0.74, 0, 0},
	{8, 0.74 * power8nm, 0, 0}, {7, 0.82 * energy7nm, 0, 0},
	{5, 0.82 * energy7nm * power5nm, 0, 0}, {4, 0.82 * energy7nm * power5nm, 0, 0},
}

// gv100CV2 is the C V^2 of 12 nm.
const gv100CV2 = 0.77

// Whence a chip's static and idle power come: the column static_basis.
const (
	staticTuned    = "tuned"    // measured on this GPU
	staticScaled   = "scaled"   // a GV100's by the number of SMs, with the published factor of the node
	staticUnscaled = "unscaled" // a GV100's by the number of SMs; no factor was published for the node
)

// nodeFactors are those of a technology node relative to 12 nm.
type nodeFactors struct {
	// Energy is on dynamic energy, Idle and Static on the power of an SM; those
	// are 1 where StaticBasis says that none were published.
	Energy, Idle, Static float64
	StaticBasis          string
}

// factorsOf returns the factors of a node; an error if none were published.
func factorsOf(nm float64) (nodeFactors, error) {
	for _, n := range nodes {
		switch {
		case n.nm != nm:
		case n.static == 0:
			return nodeFactors{n.cv2 / gv100CV2, 1, 1, staticUnscaled}, nil
		default:
			return nodeFactors{n.cv2 / gv100CV2, n.idle, n.static, staticScaled}, nil
		}
	}
	return nodeFactors{}, fmt.Errorf("no energy factor was published for %g nm (only for 16, 14, 12, 11, 10, 8, 7, 5 and 4 nm)", nm)
}

// titanX returns AccelWattch's Pascal case: a Titan X (Pascal) in 16 nm.
func titanX(v Variant, r Rules) *Chip {
	c := GV100(v, r)
	f, _ := factorsOf(16)
	c.Name, c.SMs, c.Basis, c.StaticBasis = "titan_x_pascal", 28, "extrapolated", staticScaled
	c.Energies = c.Energies.scaled(f.Energy)
	c.MemControllerW *= f.Energy // the sheets scale the column as a whole
	c.IdleSMW *= f.Idle
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
