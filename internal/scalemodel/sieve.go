package scalemodel

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"hyptx/analysis"
)

// Launch sampling by Sieve (Naderan-Tahan, SeyyedAghaei, Eeckhout, ISPASS 2023), as
// the paper uses for its networks: launches of one kernel that execute about as many
// instructions take about as long, so that of each such stratum one launch is enough.

// Invocation is a launch: its kernel, its CTAs, its instructions.
type Invocation struct {
	Kernel       string
	CTAs         int64
	Instructions uint64
}

// Stratum is a set of launches that one of them stands for.
type Stratum struct {
	Kernel string
	// Tier says why they are alike: 1, all counts are the same; 2, nearly; 3, they
	// were cut apart until they were.
	Tier int
	// Members are the places of the launches, in order; Representative is one of them.
	Members        []int
	Representative int
	// Weight is their share of the instructions of all launches.
	Weight float64
}

// The settings of Sieve. The threshold is the publication's. It does not print the
// bandwidth of the density: ours is a quarter of Silverman's rule of thumb
// (1.06 sigma n^-1/5).
const (
	theta         = 0.4
	silverman     = 1.06
	bandwidthPart = 4
)

// Sieve puts launches into strata, kernel by kernel in the order in which these come.
func Sieve(launches []Invocation) []Stratum {
	byKernel, total := map[string][]int{}, uint64(0)
	var kernels []string
	for i, l := range launches {
		if byKernel[l.Kernel] == nil {
			kernels = append(kernels, l.Kernel)
		}
		byKernel[l.Kernel] = append(byKernel[l.Kernel], i)
		total += l.Instructions
	}
	var strata []Stratum
	for _, kernel := range kernels {
		members := byKernel[kernel]
		tier, groups := 3, [][]int{members}
		switch cov := variation(launches, members); {
		case cov == 0:
			tier = 1
		case cov < theta:
			tier = 2
		default:
			groups = cutUntilAlike(launches, members)
		}
		for _, g := range groups {
			slices.Sort(g)
			sum := uint64(0)
			for _, i := range g {
				sum += launches[i].Instructions
			}
			strata = append(strata, Stratum{kernel, tier, g, representative(launches, g), float64(sum) / float64(max(total, 1))})
		}
	}
	return strata
}

// variation is the coefficient of variation of launches' instructions.
func variation(launches []Invocation, members []int) float64 {
	v := counts(launches, members)
	if m := mean(v); m > 0 {
		return math.Sqrt(variance(v)) / m
	}
	return 0
}

func counts(launches []Invocation, members []int) (v []float64) {
	for _, i := range members {
		v = append(v, float64(launches[i].Instructions))
	}
	return v
}

// cutUntilAlike cuts launches apart where their density has minima.
func cutUntilAlike(launches []Invocation, members []int) (groups [][]int) {
	sorted := slices.Clone(members)
	slices.SortStableFunc(sorted, func(a, b int) int { return cmp.Compare(launches[a].Instructions, launches[b].Instructions) })
	todo := [][]int{sorted}
	for len(todo) > 0 {
		q := todo[0]
		todo = todo[1:]
		if variation(launches, q) < theta {
			groups = append(groups, q)
			continue
		}
		var pieces [][]int
		begin := 0
		for _, cut := range append(cuts(counts(launches, q)), len(q)) {
			if cut > begin {
				pieces = append(pieces, q[begin:cut])
			}
			begin = cut
		}
		todo = append(pieces, todo...)
	}
	return groups
}

// cuts are where sorted values are cut: at the minima of a gaussian kernel density,
// else at the widest gap.
func cuts(v []float64) (at []int) {
	h := silverman * math.Sqrt(variance(v)) * math.Pow(float64(len(v)), -0.2) / bandwidthPart
	density := make([]float64, len(v))
	for i, x := range v {
		for _, y := range v {
			density[i] += math.Exp(-0.5 * (x - y) / h * (x - y) / h)
		}
	}
	widest := 1
	for i := 1; i < len(v); i++ {
		if v[i]-v[i-1] > v[widest]-v[widest-1] {
			widest = i
		}
		if i+1 < len(v) && density[i] <= min(density[i-1], density[i+1]) && density[i] < max(density[i-1], density[i+1]) {
			at = append(at, i)
		}
	}
	if at == nil {
		at = []int{widest}
	}
	return at
}

// representative is the first launch of the grid size that is most frequent, the
// first such of several.
func representative(launches []Invocation, members []int) int {
	times := map[int64]int{}
	most := 0
	for _, i := range members {
		times[launches[i].CTAs]++
		most = max(most, times[launches[i].CTAs])
	}
	return members[slices.IndexFunc(members, func(i int) bool { return times[launches[i].CTAs] == most })]
}

// StratumRow is a row of sampling.csv.
type StratumRow struct {
	Kernel         string  `csv:"kernel" doc:"name in the PTX"`
	Tier           int     `csv:"tier" doc:"1: all of its launches execute equally many thread instructions; 2: nearly; 3: they were put together by how many"`
	Launches       uint64  `csv:"launches" doc:"launches in the stratum, repetitions among them"`
	Representative int     `csv:"representative" doc:"number of the launch that stands for them"`
	Weight         float64 `csv:"weight" doc:"their share of the program's thread instructions"`
	Missing        string  `csv:"missing" doc:"of a launch that failed, which stands in no stratum: why"`
	Assumed        string  `csv:"assumed_inputs" doc:"what nobody gave of the representative and was assumed, as in profile.csv"`
}

// StratumRows are the strata of a program's launches. A launch that is repeated is as many
// launches as it has repetitions, which all execute the same.
func StratumRows(p *analysis.Profile) (rows []*StratumRow, err error) {
	var list []Invocation
	var numbers []int
	assumed := map[int]string{}
	var failed []*StratumRow
	for _, lp := range p.Launches {
		if lp.Error != "" {
			failed = append(failed, &StratumRow{Kernel: lp.KernelName, Launches: 1, Representative: lp.Number, Missing: lp.Error, Assumed: lp.AssumedInputs})
			continue
		}
		assumed[lp.Number] = lp.AssumedInputs
		times := max(lp.Facts.Of(analysis.Launches).N, 1)
		if uint64(len(list))+times > mostInvocations {
			return nil, fmt.Errorf("more than %d launches, which is the limit: each is held against each", mostInvocations)
		}
		for range times {
			list = append(list, Invocation{lp.KernelName, int64(lp.Facts.Of(analysis.CTAs).N), lp.Facts.Of(analysis.ThreadInstructionsPredOn).N / times})
			numbers = append(numbers, lp.Number)
		}
	}
	for _, s := range Sieve(list) {
		number := numbers[s.Representative]
		rows = append(rows, &StratumRow{Kernel: s.Kernel, Tier: s.Tier, Launches: uint64(len(s.Members)), Representative: number, Weight: round6(s.Weight), Assumed: assumed[number]})
	}
	return append(rows, failed...), nil
}

// mostInvocations bounds the launches of a sample: their density takes a look at each pair.
const mostInvocations = 20_000
