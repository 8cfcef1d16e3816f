// Package nvml reads a GPU's power, temperature, clocks and throttle reasons
// from NVIDIA's management library, which is loaded at run time: nothing of it
// is needed to build. It reads, and changes one thing only, when asked to: the
// lock on the SM clock ([Device.LockClock]).
//
// It is not a model and averages nothing: [Device.Read] is one reading.
// Numbers that a board does not give are absent, not zero.
//
// Start with [Open], then [Library.ByUUID] and [Device.Read].
package nvml
