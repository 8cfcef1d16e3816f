// Package endtoend holds the way from PTX to watts against measured power: our
// versions of the kernels that AccelWattch was validated on, emulated, timed and charged
// as `hyptx power` does, beside what a Quadro GV100 drew and what the four published
// variants say, which take their counts from GPGPU-Sim, from traces or from hardware.
//
// Nothing is fitted to these rows: neither the times nor the energies have seen them. Our
// kernels compute what the named ones compute, at their published sizes, but are not
// their text; so the instructions and the DRAM traffic that hardware counted stand beside
// ours, and the power that our counts give in the measured time beside that in ours. They
// tell a program that is another one from a wrong time and a wrong energy.
//
// Start with [Plan.Run], then [Summary]; programs.go says which kernel is which of ours.
package endtoend
