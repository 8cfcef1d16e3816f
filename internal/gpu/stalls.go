package gpu

import "hyptx/internal/pipe"

// Stalls are by kernel the cycles by which an instruction of each kind takes its unit
// longer than it does, in the mean, and its result later: what a slower unit would cost.
type Stalls map[string][pipe.NumKinds]float64
