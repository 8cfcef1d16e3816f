package thesis

// ErrorPct compares two times of the same unit (5.12): negative is optimistic. The
// thesis calls a prediction acceptable whose error is below 25 % (5.2.5).
func ErrorPct(predicted, measured float64) float64 { return (predicted - measured) / measured * 100 }

// Utilization is E_util (5.13) from the times on the reference GPU. It
// multiplies the predicted times of the other GPUs; these are then no longer
// lower bounds.
func Utilization(measured, predicted float64) float64 { return measured / predicted }
