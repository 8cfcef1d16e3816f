// Package reuse says how often caches of many capacities would miss, from one pass
// over a stream of accesses.
//
// A cache with LRU replacement holds the lines that were used last, so that an access
// hits if fewer other lines were used since its line was than there is room for: its
// stack distance (Mattson et al. 1970; Conte et al. 1998 for one pass). One
// pass over the stream gives the distances, and these the misses of every capacity.
//
// Lines have sectors, which are fetched one by one. A sector is there if it was used
// before and its line has not left since: the largest distance of its line's uses
// since then decides. So sectors are as exact as lines.
//
// There are four methods. [Exact] is the one above. [StatStack] and [StatCache]
// estimate from reuse distances alone, how many accesses lie between two uses of a
// line, which need no order of lines: for LRU (Eklov, Hagersten 2010) and for random
// replacement (Berg, Hagersten 2004). [Nugteren] lets what was asked for arrive later
// (Nugteren et al. 2014). Two see one of so many: of lines ([Exact], as Waldspurger et
// al. 2015) or of accesses (StatStack, StatCache); then the misses have a standard error.
//
// It knows neither programs nor GPUs: who calls it has the stream. Start at [New];
//
//	table.go      where a line's state is
//	order.go      how many lines were used since
//	exact.go      stack distances
//	stat.go       what reuse distances say
//	watched.go    reuse distances
//	sets.go       caches with sets, one by one
//	estimate.go   what a sample says of all
package reuse
