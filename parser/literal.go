package parser

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Literals (PTX ISA 4.5) are judged here, for both ways to parse. An integer is
// 64 bits, signed unless it has a U or does not fit: 9223372036854775808 is
// unsigned, and 18446744073709551616 an error. A leading 0 makes it octal, so that
// 08 is no number. A floating-point literal is either decimal, and then always
// .f64, or the bits themselves: 0f3F800000 is the .f32 1.0 and must have exactly
// eight digits. Whatever the spelling, the bits are exact from here on, and the
// spelling is kept for printing.

// isFloatText tells the spelling of a floating-point literal from that of an
// integer (PTX ISA 4.5.1, 4.5.2).
func isFloatText(text string) bool {
	if len(text) > 1 && text[0] == '0' {
		switch text[1] {
		case 'x', 'X', 'b', 'B':
			return false
		case 'f', 'F', 'd', 'D':
			return true
		}
	}
	for i := range len(text) {
		if c := text[i]; c == '.' || c|0x20 == 'e' {
			return true
		}
	}
	return false
}

// setLiteral fills e from a literal's spelling; the error says what is wrong
// with it.
func setLiteral(e *Expr, text string) error {
	if isFloatText(text) {
		return setFloat(e, text)
	}
	return setInt(e, text)
}

// setInt reads an integer literal: s64, or u64 when it has a U or does not fit
// (PTX ISA 4.5.1).
func setInt(e *Expr, text string) error {
	e.Kind, e.Text = ExprInt, text
	if v, ok := shortDecimal(text); ok {
		e.Bits = v
		return nil
	}
	digits, unsigned := strings.CutSuffix(text, "U")
	base := 10
	switch {
	case strings.HasPrefix(digits, "0x"), strings.HasPrefix(digits, "0X"):
		base, digits = 16, digits[2:]
	case strings.HasPrefix(digits, "0b"), strings.HasPrefix(digits, "0B"):
		base, digits = 2, digits[2:]
	case strings.HasPrefix(digits, "0") && len(digits) > 1:
		base, digits = 8, digits[1:]
	}
	v, err := parseDigits(digits, base)
	if err != nil {
		return fmt.Errorf("integer literal %s: %w", clip(text), err)
	}
	e.Bits = v
	e.Unsigned = unsigned || v > math.MaxInt64
	return nil
}

// shortDecimal reads a decimal integer of a few digits, the usual case.
func shortDecimal(text string) (uint64, bool) {
	if len(text) > 18 || text[0] == '0' && len(text) > 1 {
		return 0, false
	}
	var v uint64
	for i := range len(text) {
		d := text[i] - '0'
		if d > 9 {
			return 0, false
		}
		v = v*10 + uint64(d)
	}
	return v, true
}

var digitsOf = map[int]string{2: "0 and 1", 8: "0 to 7 (a leading 0 makes it octal)", 10: "0 to 9", 16: "0 to 9, a to f"}

func parseDigits(digits string, base int) (uint64, error) {
	v, err := strconv.ParseUint(digits, base, 64)
	switch {
	case err == nil:
		return v, nil
	case strings.HasSuffix(err.Error(), strconv.ErrRange.Error()):
		return 0, fmt.Errorf("does not fit into 64 bits")
	}
	return 0, fmt.Errorf("expected digits %s, then at most a suffix U", digitsOf[base])
}

// setFloat reads a floating-point literal: 0f and 8 hexadecimal digits, 0d and
// 16, both exact bits, or a decimal number, which is f64 (PTX ISA 4.5.2).
func setFloat(e *Expr, text string) error {
	e.Kind, e.Text = ExprF64, text
	if text[0] == '0' && len(text) > 1 {
		switch text[1] {
		case 'f', 'F':
			e.Kind = ExprF32
			return setBits(e, text, 8)
		case 'd', 'D':
			return setBits(e, text, 16)
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		if strings.HasSuffix(err.Error(), strconv.ErrRange.Error()) {
			return fmt.Errorf("floating-point literal %s is out of the range of f64", clip(text))
		}
		return fmt.Errorf("floating-point literal %s: expected a form such as 1.5, .5, 1e-3, 0f3F800000 or 0d3FF0000000000000", clip(text))
	}
	e.Bits = math.Float64bits(v)
	return nil
}

func setBits(e *Expr, text string, digits int) error {
	v, err := strconv.ParseUint(text[2:], 16, 64)
	if err != nil || len(text) != 2+digits {
		return fmt.Errorf("floating-point literal %s: expected exactly %d hexadecimal digits after %s", clip(text), digits, text[:2])
	}
	e.Bits = v
	return nil
}

// clip shortens a piece of source text for a message.
func clip(text string) string {
	const most = 40
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	if len(text) > most {
		text = text[:most] + "..."
	}
	return text
}

// isASCII says whether a byte is a character that is printed.
func isASCII(c byte) bool { return ' ' <= c && c < 0x7F }

// strangeByte is the message for a byte that no token starts with.
func strangeByte(c byte) string {
	if !isASCII(c) {
		return fmt.Sprintf("byte 0x%02X is no PTX; expected ASCII text", c)
	}
	return fmt.Sprintf("unexpected %q", string(rune(c)))
}
