// Package accelwattch repeats what AccelWattch's paper (Kandiah et al., MICRO 2021) shows
// of its model: power by active lanes and SMs (figures 3 to 5), modelled beside measured
// power of every kernel of its validation on three GPUs (figures 7 and 10), by component
// (figures 8, 9, 11), one GPU's power over another's (figure 12), and what GPUWattch, from
// which it comes, makes of the same kernels (section 7.3).
//
// Kernels' powers by component are the published ones; lanes and SMs follow from the
// published coefficients; how kernels share dynamic power among components (figure 6) is of any
// run. What the paper measured for figures 2 to 6 was never published:
// the ratios that its text gives stand beside ours.
//
// Start with [Experiments]; kernels.go and lanes.go are the experiments, stacks.go,
// relative.go and sawtooth.go their figures.
package accelwattch
