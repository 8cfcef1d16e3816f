// Package gpu says what is known of each GPU: units, clocks, memories, limits,
// latencies, power, and the parameters that micro-benchmarks measured. Every
// number has a source; one without a document is unknown (nil), and what needs
// it says so with an [UnknownError]. The numbers stand in data, one file a GPU;
// a user's own GPU is a file of the same form.
//
// What belongs to an architecture and not to a product (pipes, their intervals and
// latencies, queues) stands in capability, one file a compute capability, and what
// belongs to a type of memory in memory; [GPU.Timing] brings them together.
//
// It is not a model: it gives facts, what follows from them by definition
// (peak rates with their provenance, the space that shared memory leaves to
// L1) and the rules by which CTAs become resident on an SM.
//
// Start at [Get] and at [GPU]; [Occupy] has the rules of occupancy, [GPU.Rates]
// the parameters of the roofline, [GPU.Timing] what a simulation needs.
package gpu
