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
	// idle and static are factors on idle and static power.
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
// leaves static power as it is; below 12 nm only energies were published, and
// static and idle power of an SM stay as they are.
var nodes = []node{
	{16, 0.82, idleFactor16nm, 1}, {14, 0.82, idleFactor16nm, 1}, {12, 0.77, 1, 1}, {11, 0.74, 1, 1}, {10, 0.74, 1, 1},
	{8, 0.74 * power8nm, 1, 1}, {7, 0.82 * energy7nm, 1, 1},
	{5, 0.82 * energy7nm * power5nm, 1, 1}, {4, 0.82 * energy7nm * power5nm, 1, 1},
}

// gv100CV2 is the C V^2 of 12 nm.
const gv100CV2 = 0.77

// NodeFactors returns the factors on dynamic energy, on idle and on static
// power of a technology node relative to 12 nm; an error if none were published.
func NodeFactors(nm float64) (energy, idle, static float64, err error) {
	for _, n := range nodes {
		if n.nm == nm {
			return n.cv2 / gv100CV2, n.idle, n.static, nil
		}
	}
	return 0, 0, 0, fmt.Errorf("no energy factor was published for %g nm (only for 16, 14, 12, 11, 10, 8, 7, 5 and 4 nm)", nm)
}

// TitanX returns AccelWattch's Pascal case: a Titan X (Pascal) in 16 nm.
func TitanX(v Variant, r Rules) *Chip {
	c := GV100(v, r)
	energy, idle, _, _ := NodeFactors(16)
	c.Name, c.SMs, c.Basis = "titan_x_pascal", 28, "extrapolated"
	c.Energies = c.Energies.Scaled(energy)
	c.MemControllerW *= energy // the sheets scale the column as a whole
	c.IdleSMW *= idle
	c.Notes = append(c.Notes, "AccelWattch's Pascal case: energies of a GV100 x 0.82/0.77")
	return c
}

// RTX2060S returns AccelWattch's Turing case.
func RTX2060S(v Variant, r Rules) *Chip {
	c := GV100(v, r)
	c.Name, c.SMs, c.Basis = "rtx2060s", 34, "extrapolated"
	c.ConstantW *= turingConst(v)
	c.Notes = append(c.Notes, "AccelWattch's Turing case: energies of a GV100, constant power x a factor that was published without derivation")
	return c
}

// turingConst is the factor of the sheet that belongs to the variant.
func turingConst(v Variant) float64 {
	if v == PTXSim || v == PTXSimAlt {
		return turingConstPTX
	}
	return turingConstSASS
}
