// Package adder models speculative adders: additions cut into slices whose
// carry-ins are guessed, so that all slices work at once, at a lower voltage, and
// an add takes a second cycle where a guess was wrong. Its designs are those of
// the paper on ST² (Kandiah, Gök, Tziantzioulis, Hardavellas, DAC 2021) and those
// that the paper compares itself with.
//
// It is a model of bits alone. It knows neither PTX nor warps that run: who
// executes additions writes each into a [Stream] (operands as they enter the
// adder, carry-ins, lanes), and streams of the warps of an SM are merged and
// handed to all designs in one pass ([SM]). What the paper leaves open are
// options ([Options], [Point]); what is our own reconstruction says [ours].
//
// Fast is what matters: predictions of a slice are a bit for each lane of a warp, in one
// word ([Masks]), so that a design costs some operations a slice, not a lane. Additions
// that follow each other and are of one instruction are a run, which designs work on
// as a whole; those that have much in common do it together (bank.go). Runs wait until there
// is a batch of them, which one design after the other goes through (batch.go). What a
// prediction costs depends on nothing that comes before it, so that it is counted by pages of
// additions of a kind, whatever their instructions (page.go). Slices that peeking leaves
// open for no lane are not looked at by designs that peek.
//
// Start with kind.go and vectors.go, then predictor.go and one of the designs:
//
//	kind.go, code.go, record.go, stream.go, line.go, mantissa.go
//	                       an add of a warp; the instructions that add; streams of adds; operands whose lanes
//	                       are a step apart, and of floating point
//	width.go, vectors.go, gather.go, kernels.go
//	                       slices; what of an add all designs look at, in one pass; loops that vector units
//	                       replace: of AVX-512 (simdset_amd64.go, simd_amd64.go, simdpay_amd64.go) and
//	                       of AVX2 (avx2set_amd64.go, avx2_amd64.go, avx2line_amd64.go,
//	                       avx2wrong_amd64.go, avx2pay_amd64.go)
//	design.go, predictor.go  names of designs; what predicts
//	static.go, valhalla.go, aca.go
//	                       predictors, one a file: a new one is a file like these
//	speculative.go, uniform.go
//	                       sums that nobody corrects; predictions that are the same in all slices
//	history.go, places.go, sharing.go, inturn.go, walk.go, bylane.go, crf.go
//	                       histories: of lanes that share an entry, of lanes by themselves, as a
//	                       carry register file; where an instruction's entries are
//	csla.go, vlsa.go       adders that do not predict
//	page.go, batch.go, bank.go, sm.go, prefetch_amd64.go, launch.go, model.go
//	                       additions that are paid together, that are worked on together; designs at work; the warps
//	                       of an SM; all SMs; what is asked for
//	flips.go, perpc.go, results.go, values.go
//	                       bits that change at the adders' edges; counts by instruction; results
//	counts.go, storage.go, energy.go  sums; what it takes in bits, area and energy
package adder
