package devicelib

import (
	"fmt"
	"math"
	"strings"
)

// printf (CUDA C++ Programming Guide, Formatted Output: the flags, widths, precisions and
// conversions of C). The arguments lie behind each other as the compiler has promoted them,
// each aligned to its size: 4 bytes for int and what is narrower, 8 for long long and
// double, those of an address for long and pointers.

// Format writes a format with its arguments, of addresses of so many bytes: word gives the next argument of so many
// bytes, text the string at an address. n is how many arguments there were, or -1 where
// the format ends in the middle of a conversion.
func Format(format string, pointer int, word func(bytes int) uint64, text func(at uint64) string) (out string, n int) {
	var b strings.Builder
	for i := 0; i < len(format); {
		if format[i] != '%' {
			b.WriteByte(format[i])
			i++
			continue
		}
		c := conversion{precision: -1, pointer: pointer}
		end := c.parse(format, i+1, func() int { n++; return int(int32(word(4))) })
		if end > len(format) {
			b.WriteString(format[i:])
			return b.String(), -1
		}
		i = end
		if c.verb == '%' {
			b.WriteByte('%')
			continue
		}
		n++
		b.WriteString(c.write(word, text))
	}
	return b.String(), n
}

// conversion is one of a format.
type conversion struct {
	minus, plus, space, sharp, zero bool
	width, precision                int // precision -1: none
	long                            int // bytes: 8 with ll and j, pointer with l, z, t, 1 and 2 with hh and h; else 4
	pointer                         int
	verb                            byte
}

// mostPadding bounds widths and precisions, so that no format asks for all of the memory.
const mostPadding = 4096

// parse reads a conversion behind its %; it returns where that ends, beyond the format's
// end if it is not complete.
func (c *conversion) parse(s string, i int, star func() int) int {
	for ; i < len(s) && strings.IndexByte("-+ #0", s[i]) >= 0; i++ {
		switch s[i] {
		case '-':
			c.minus = true
		case '+':
			c.plus = true
		case ' ':
			c.space = true
		case '#':
			c.sharp = true
		case '0':
			c.zero = true
		}
	}
	c.width, i = size(s, i, star)
	if c.width < 0 {
		c.minus, c.width = true, -c.width
	}
	if i < len(s) && s[i] == '.' {
		c.precision, i = size(s, i+1, star)
	}
	c.width, c.precision = min(c.width, mostPadding), max(-1, min(c.precision, mostPadding))
	for c.long = 4; i < len(s); i++ {
		switch s[i] {
		case 'h':
			c.long /= 2
		case 'l', 'z', 't':
			if c.long = c.pointer; s[i] == 'l' && s[i-1] == 'l' {
				c.long = 8
			}
		case 'j', 'L', 'q':
			c.long = 8
		default:
			c.verb = s[i]
			return i + 1
		}
	}
	return len(s) + 1
}

// size reads a width or a precision: digits, or a star for an argument.
func size(s string, i int, star func() int) (n, end int) {
	if i < len(s) && s[i] == '*' {
		return max(min(star(), mostPadding), -mostPadding), i + 1
	}
	for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		n = min(10*n+int(s[i]-'0'), mostPadding)
	}
	return n, i
}

// write writes one argument.
func (c *conversion) write(word func(int) uint64, text func(uint64) string) string {
	switch c.verb {
	case 'd', 'i':
		v := c.signed(word)
		digits, sign := fmt.Sprint(v), ""
		if v < 0 {
			sign, digits = "-", digits[1:]
		} else if c.plus {
			sign = "+"
		} else if c.space {
			sign = " "
		}
		return c.integer(sign, digits)
	case 'u', 'o', 'x', 'X':
		return c.unsigned(word)
	case 'c':
		return c.pad("", string([]byte{byte(word(4))}), false)
	case 's':
		s := text(word(c.pointer))
		if c.precision >= 0 {
			s = s[:min(len(s), c.precision)]
		}
		return c.pad("", s, false)
	case 'p':
		return c.pad("", fmt.Sprintf("%#x", word(c.pointer)), false)
	case 'e', 'E', 'f', 'F', 'g', 'G', 'a', 'A':
		return c.float(math.Float64frombits(word(8)))
	}
	return "%" + string([]byte{c.verb})
}

// signed reads an integer; h and hh take the low bytes of an int.
func (c *conversion) signed(word func(int) uint64) int64 {
	switch c.long {
	case 8:
		return int64(word(8))
	case 2:
		return int64(int16(word(4)))
	case 1:
		return int64(int8(word(4)))
	}
	return int64(int32(word(4)))
}

func (c *conversion) unsigned(word func(int) uint64) string {
	v := uint64(c.signed(word))
	if c.long < 8 {
		v &= 1<<(8*c.long) - 1
	}
	switch c.verb {
	case 'u':
		return c.integer("", fmt.Sprint(v))
	case 'o':
		digits := fmt.Sprintf("%o", v)
		if c.sharp && digits[0] != '0' {
			digits = "0" + digits
		}
		return c.integer("", digits)
	}
	prefix := ""
	if c.sharp && v != 0 {
		prefix = "0" + string([]byte{c.verb})
	}
	return c.integer(prefix, fmt.Sprintf("%"+string([]byte{c.verb}), v))
}

// integer pads digits to the precision, and then to the width: with zeros only where there
// is no precision.
func (c *conversion) integer(sign, digits string) string {
	if c.precision == 0 && digits == "0" {
		digits = ""
	}
	if more := c.precision - len(digits); more > 0 {
		digits = strings.Repeat("0", more) + digits
	}
	return c.pad(sign, digits, c.zero && c.precision < 0)
}

// pad fills up to the width, with zeros behind the sign or with blanks.
func (c *conversion) pad(sign, s string, zeros bool) string {
	more := max(0, c.width-len(sign)-len(s))
	switch {
	case c.minus:
		return sign + s + strings.Repeat(" ", more)
	case zeros:
		return sign + strings.Repeat("0", more) + s
	}
	return strings.Repeat(" ", more) + sign + s
}

// float writes a number with a point.
func (c *conversion) float(x float64) string {
	sign := ""
	switch {
	case math.Signbit(x):
		sign, x = "-", -x
	case c.plus:
		sign = "+"
	case c.space:
		sign = " "
	}
	upper := c.verb < 'a'
	switch {
	case math.IsNaN(x):
		return c.pad(sign, cased("nan", upper), false)
	case math.IsInf(x, 0):
		return c.pad(sign, cased("inf", upper), false)
	}
	verb, precision := c.verb|0x20, c.precision
	digits := ""
	switch {
	case verb == 'a' && precision < 0:
		digits = hexadecimal(fmt.Sprintf("%x", x))
	case verb == 'a':
		digits = hexadecimal(fmt.Sprintf("%.*x", precision, x))
	default:
		if precision < 0 {
			precision = 6
		}
		if verb == 'g' && precision == 0 {
			precision = 1
		}
		sharp := ""
		if c.sharp {
			sharp = "#"
		}
		digits = fmt.Sprintf("%"+sharp+".*"+string([]byte{verb}), precision, x)
	}
	return c.pad(sign, cased(digits, upper), c.zero)
}

// hexadecimal makes C's exponent of Go's, which has two digits at least.
func hexadecimal(s string) string {
	at := strings.IndexByte(s, 'p') + 2
	return s[:at] + strings.TrimPrefix(s[at:], "0")
}

func cased(s string, upper bool) string {
	if upper {
		return strings.ToUpper(s)
	}
	return s
}
