package calibrate

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
)

// Benchmark is a kernel that does one kind of work, or a mix, for as long as
// its parameter iterations says.
type Benchmark struct {
	Name  string
	About string
	// Mix are its parts and how many steps of each a turn of the loop does:
	// "int_add 64, fp_fma 64". Empty: nothing runs (idle) or the kernel has an
	// empty loop (launch).
	Mix string
	// Block is the threads of a CTA, CTAsPerSM how many of them are started for
	// each SM.
	Block, CTAsPerSM int
	// Ring says whether data is a ring of pointers, and where it lies.
	Ring place
	// Stream: data is larger than the L2 and gone through.
	Stream bool
	// Category is the one of AccelWattch's static model; "" for none.
	Category string
}

// place is where a ring of pointers has room.
type place uint8

const (
	inL1 place = iota + 1
	inL2
)

// Bytes of rings, and of a stream in a test or a count, where only the pattern
// matters.
const (
	l1RingBytes = 8 << 10
	ringEntry   = 8
	// A ring has units of 256 bytes, what a warp reads. In the L1 the next unit
	// follows; in the L2 one that is 0.618 of 2 MiB further, so that no L1 sees a
	// unit again soon.
	unitEntries = 32
	l2JumpUnits = 5063
)

// parts returns the parts of the mix; an error if the GPU lacks one.
func (b *Benchmark) parts(cc int) ([]*usedPart, error) {
	if cc < minCC {
		return nil, fmt.Errorf("compute capability %d.%d: benchmarks need 7.0 or later", cc/10, cc%10)
	}
	var out []*usedPart
	if b.Mix == "" {
		return nil, nil
	}
	for i, field := range strings.Split(b.Mix, ",") {
		name, number, _ := strings.Cut(strings.TrimSpace(field), " ")
		if name == "tensor" {
			name = tensorPart(cc)
		}
		p := parts[name]
		n, err := strconv.Atoi(number)
		if p == nil || err != nil || n < 1 {
			panic(fmt.Sprintf("BUG: benchmark %s: bad part %q", b.Name, field))
		}
		if cc < p.minCC {
			return nil, &UnsupportedError{b.Name, cc, p.minCC}
		}
		out = append(out, &usedPart{part: p, prefix: fmt.Sprintf("p%d_", i), steps: n})
	}
	return out, nil
}

// tensorPart is the product of halves that an architecture has as one
// instruction.
func tensorPart(cc int) string {
	for _, name := range []string{"tensor_f16", "tensor_f16_k8"} {
		if cc >= parts[name].minCC {
			return name
		}
	}
	return "tensor_f16_k4"
}

// UnsupportedError: the GPU cannot do what the benchmark does.
type UnsupportedError struct {
	Benchmark string
	CC, Needs int
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s needs compute capability %d.%d; the GPU has %d.%d", e.Benchmark, e.Needs/10, e.Needs%10, e.CC/10, e.CC%10)
}

// Lookup returns the benchmark of a name.
func Lookup(name string) (*Benchmark, error) {
	for i := range benchmarks {
		if benchmarks[i].Name == name {
			return &benchmarks[i], nil
		}
	}
	return nil, fmt.Errorf("no benchmark is called %q; `hyptx calibrate --list` lists them", name)
}

// Benchmarks returns all benchmarks, in their order.
func Benchmarks() []Benchmark { return benchmarks }

// hash is a short hash of the benchmark's text.
func (b *Benchmark) hash(cc int) (string, error) {
	text, err := b.PTX(cc)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%.6x", sha256.Sum256([]byte(text))), nil
}
