package gpu

// Chiplets say how a GPU is made of equal chiplets: each has its part of the SMs, of the
// L2 and of DRAM, and what lies in another one's DRAM is asked for over links (Arunkumar
// et al., MCM-GPU, ISCA 2017).
type Chiplets struct {
	Count     int
	CTAs      CTAPolicy
	Pages     PagePolicy
	PageBytes int64
	// LinkGBPerS is a chiplet's link to the others, each way; HopCycles pass on the way
	// from one chiplet to another.
	LinkGBPerS, HopCycles float64
}

// CTAPolicy is which chiplet a CTA runs on.
type CTAPolicy string

// The policies of CTAs: as many contiguous groups as chiplets, or in turn.
const (
	Distributed CTAPolicy = "distributed"
	RoundRobin  CTAPolicy = "round_robin"
)

// PagePolicy is which chiplet an address lies on.
type PagePolicy string

// The policies of pages: that which touches a page first, pages in turn, lines in turn.
const (
	FirstTouch PagePolicy = "first_touch"
	Interleave PagePolicy = "interleave"
	LineInTurn PagePolicy = "line"
)

// CTAPolicies and PagePolicies are all of them, as flags spell them.
var (
	CTAPolicies  = []string{string(Distributed), string(RoundRobin)}
	PagePolicies = []string{string(FirstTouch), string(Interleave), string(LineInTurn)}
)

// Of reports the chiplet of a CTA, and its place among the CTAs of that chiplet.
func (p CTAPolicy) Of(cta, ctas int64, chiplets int) (chiplet int, place int64) {
	n := int64(chiplets)
	if p == RoundRobin {
		return int(cta % n), cta / n
	}
	chiplet = int(cta * n / ctas)
	return chiplet, cta - (int64(chiplet)*ctas+n-1)/n
}
