package analysis

import (
	"cmp"

	"hyptx/internal/order"
)

// How exact counts are, from the strongest statement to the weakest
// (docs/design.md). Of counts that rest on several things the weakest holds.
const (
	exactCounts     = "exact"
	sampledCounts   = "sampled"
	scheduledCounts = "scheduled"
	undefinedCounts = "undefined"
	assumedCounts   = "assumed"
)

// exactnesses are the kinds in order. What is sampled estimates counts that would be exact.
var exactnesses = [...]string{exactCounts, sampledCounts, scheduledCounts, undefinedCounts, assumedCounts}

// exactnessOf returns the kind of counts that a reason of an origin makes (package order).
func exactnessOf(reason int) string { return exactnesses[len(exactnesses)-order.Reasons+reason] }

// Worse returns the weaker of two kinds of exactness: of a sum, that of its
// weakest part. What is none of them, as "measured", is stronger than all.
func Worse(a, b string) string {
	for i := len(exactnesses) - 1; i >= 0; i-- {
		if e := exactnesses[i]; a == e || b == e {
			return e
		}
	}
	return cmp.Or(a, b)
}

// inexactness is how often something that counts rest on was not exact, by
// reason: decisions of warps, or addresses of requests.
type inexactness [order.Reasons]uint64

// add adds what happened a number of times.
func (d *inexactness) add(n [order.Reasons]uint64, times uint64) {
	for i := range d {
		d[i] += n[i] * times
	}
}

// assumed returns how often what nobody gave decided.
func (d *inexactness) assumed() uint64 { return d[order.Reasons-1] }

// exactness returns how exact the counts are.
func (d *inexactness) exactness() string {
	for i := len(d) - 1; i >= 0; i-- {
		if d[i] > 0 {
			return exactnessOf(i)
		}
	}
	return exactCounts
}

// addTrust counts the accesses whose indices are trusted to stay in their buffers,
// where the mode does not see their addresses, or those of a sample of the CTAs: the stores that the slice leaves
// out, of this launch and of earlier ones, if the slice reads such memory at all,
// and the loads by which it does.
func (s *Session) addTrust(lp *LaunchProfile) {
	if s.Options.Mode != Control && s.controls == nil {
		return
	}
	n := 0
	loads, reads := lp.filter.Trusted(true)
	if s.unread = append(s.unread, lp.filter); reads.Shared {
		if stores, _ := lp.filter.Trusted(false); stores.Shared > 0 {
			n += stores.Shared + loads.Shared
		}
	}
	if reads.Global {
		for _, f := range s.unread {
			stores, _ := f.Trusted(false)
			s.indexedStores += stores.Global
		}
		if s.unread = nil; s.indexedStores > 0 {
			n += s.indexedStores + loads.Global
		}
	}
	lp.Facts.Set(TrustedAccesses, uint64(n))
}
