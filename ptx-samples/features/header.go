package features

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// The header of a sample stands in PTX comments above its text, so that any tool takes
// the file as it is. A line is "key: value", or "key name: values" for a buffer:
//
//	// form: add.type d, a, b
//	// source: hand
//	// launch: grid 1 block 32
//	// in a: u32 1 2 0xffffffff
//	// out b: u32 2 3 0
//	// map m: {"buffer": "a", "type": "u32", "dims": [3]}
//
// Lines of the same buffer follow one another, 0*3 is three zeros, and | only parts
// what belongs to one thread for the eye. A key that nobody knows is an error, not a remark: a misspelt "out" would leave a
// buffer uncompared, and the sample would prove nothing while it passes.

// header reads the comment lines at the start of a program.
func (s *Sample) header() error {
	n := 0
	for line := range strings.Lines(string(s.Text)) {
		n++
		text, ok := strings.CutPrefix(strings.TrimSpace(line), "//")
		if !ok {
			break
		}
		if err := s.headerLine(text); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	switch {
	case len(s.Forms) == 0:
		return errors.New("no form: line")
	case len(s.Sources) == 0:
		return errors.New("no source: line")
	}
	return nil
}

// headerLine reads "key: value" or "key name: values".
func (s *Sample) headerLine(text string) error {
	key, value, ok := strings.Cut(strings.TrimSpace(text), ": ")
	if !ok {
		return fmt.Errorf("%q is no header line", text)
	}
	value = strings.TrimSpace(value)
	word, name, _ := strings.Cut(key, " ")
	switch word {
	case "form":
		s.Forms = append(s.Forms, value)
	case "source":
		s.Sources = append(s.Sources, value)
	case "texture", "surface", "sampler":
		if !json.Valid([]byte(value)) {
			return fmt.Errorf("%q is no JSON", value)
		}
		s.objects = append(s.objects, object{word, name, []byte(value)})
	case "note":
	case "fault":
		s.Fault = value
	case "launch":
		return s.launch(value)
	case "map":
		s.Maps = append(s.Maps, [2]string{name, value})
	case "tol":
		return s.tolerance(value)
	case "in", "out":
		values, err := parseValues(value)
		if err != nil {
			return err
		}
		b := s.buffer(name)
		if word == "in" {
			b.In = append(b.In, values...)
		} else {
			b.Out = append(b.Out, values...)
		}
	default:
		return fmt.Errorf("no header line begins with %q", word)
	}
	return nil
}

// buffer returns the buffer of that name, a new one if need be.
func (s *Sample) buffer(name string) *Buffer {
	if i := slices.IndexFunc(s.Buffers, func(b *Buffer) bool { return b.Name == name }); i >= 0 {
		return s.Buffers[i]
	}
	b := &Buffer{Name: name}
	s.Buffers = append(s.Buffers, b)
	return b
}

// launch reads "grid 2 block 8 4".
func (s *Sample) launch(text string) error {
	var into *[3]int
	at := 0
	for word := range strings.FieldsSeq(text) {
		switch word {
		case "grid":
			into, at = &s.Grid, 0
			continue
		case "block":
			into, at = &s.Block, 0
			continue
		}
		n, err := strconv.Atoi(word)
		if err != nil || into == nil || at == 3 {
			return fmt.Errorf("bad launch %q", text)
		}
		into[at] = n
		at++
	}
	return nil
}

// tolerance reads "rel 2^-22 abs 2^-126". Bounds stand as powers of two because the
// manual gives them so, and 2^-22 written in decimals would be another number.
func (s *Sample) tolerance(text string) error {
	words := strings.Fields(text)
	for i := 0; i+1 < len(words); i += 2 {
		number := words[i+1]
		if exp, ok := strings.CutPrefix(number, "2^"); ok {
			number = "0x1p" + exp
		}
		v, _, err := big.ParseFloat(number, 0, 53, big.ToNearestEven)
		if err != nil {
			return fmt.Errorf("bad tolerance %q: %w", text, err)
		}
		x, _ := v.Float64()
		switch words[i] {
		case "rel":
			s.Tolerance.Relative = x
		case "abs":
			s.Tolerance.Absolute = x
		default:
			return fmt.Errorf("bad tolerance %q", text)
		}
	}
	return nil
}
