package devicelib

import (
	"fmt"
	"strings"
	"sync"
)

// The functions of libdevice (NVIDIA, libdevice User's Guide, function reference), which
// are __nv_ and the names here. A line has names, a signature and what they are. In a
// signature the result comes first: f float, d double, i s32, u u32, l s64, m u64, h a half
// or short, p an address or a size of memory, v nothing.
//
// What they are is an opcode of PTX, with the result and the parameters for operands; or
// text, in which %r is the result and %a0, %a1 are the parameters; or "!", which is
// calculated (math.go) under the name without the f of its float variant.

// function is one function of libdevice.
type function struct{ signature, is string }

// sizes are the bytes of the letters of signatures.
var sizes = map[byte]int{'f': 4, 'd': 8, 'i': 4, 'u': 4, 'l': 8, 'm': 8, 'h': 2, 'v': 0}

// prefix begins the names of libdevice.
const prefix = "__nv_"

// functions are all functions by their names.
var functions = sync.OnceValue(func() map[string]*function {
	all := map[string]*function{}
	for line := range strings.Lines(table) {
		names, is, ok := strings.Cut(strings.TrimSpace(line), " = ")
		if !ok {
			continue
		}
		words := strings.Fields(names)
		for _, name := range words[1:] {
			all[prefix+name] = &function{words[0], is}
		}
	}
	for _, names := range []string{oneArgument, twoArguments} {
		arguments := 1 + strings.Count(names, "+")
		for name := range strings.FieldsSeq(strings.ReplaceAll(names, "+", "")) {
			all[prefix+name] = &function{"d" + strings.Repeat("d", arguments), "!"}
			all[prefix+name+"f"] = &function{"f" + strings.Repeat("f", arguments), "!"}
		}
	}
	addRounded(all)
	return all
})

// Functions of floating-point numbers with a variant for float, whose name ends in f.
const (
	oneArgument = `acos acosh asin asinh atan atanh cbrt cos cosh cospi cyl_bessel_i0 cyl_bessel_i1 erf erfc erfcinv erfcx
	erfinv exp exp10 exp2 expm1 j0 j1 lgamma log log10 log1p log2 logb normcdf normcdfinv rcbrt rsqrt sin sinh sinpi tan
	tanh tgamma y0 y1 round`
	twoArguments = `+ atan2 fdim fmod hypot nextafter pow remainder rhypot`
)

const table = `
iii max = max.s32
uuu umax = max.u32
lll llmax = max.s64
mmm ullmax = max.u64
iii min = min.s32
uuu umin = min.u32
lll llmin = min.s64
mmm ullmin = min.u64
ii abs = abs.s32
ll llabs = abs.s64
ii brev = brev.b32
ll brevll = brev.b64
ii clz = clz.b32
il clzll = clz.b64
ii popc = popc.b32
il popcll = popc.b64
ii ffs = brev.b32 %t0, %a0; clz.b32 %t0, %t0; add.s32 %t0, %t0, 1; setp.eq.s32 %p0, %a0, 0; selp.b32 %r, 0, %t0, %p0;
il ffsll = brev.b64 %w0, %a0; clz.b64 %t0, %w0; add.s32 %t0, %t0, 1; setp.eq.s64 %p0, %a0, 0; selp.b32 %r, 0, %t0, %p0;
uuuu byte_perm = prmt.b32
iii mul24 = mul24.lo.s32
uuu umul24 = mul24.lo.u32
iii mulhi = mul.hi.s32
uuu umulhi = mul.hi.u32
lll mul64hi = mul.hi.s64
mmm umul64hi = mul.hi.u64
uiiu sad = sad.s32
uuuu usad = sad.u32
iii hadd = cvt.s64.s32 %w0, %a0; cvt.s64.s32 %w1, %a1; add.s64 %w0, %w0, %w1; shr.s64 %w0, %w0, 1; cvt.u32.u64 %r, %w0;
iii rhadd = cvt.s64.s32 %w0, %a0; cvt.s64.s32 %w1, %a1; add.s64 %w0, %w0, %w1; add.s64 %w0, %w0, 1; shr.s64 %w0, %w0, 1; cvt.u32.u64 %r, %w0;
uuu uhadd = cvt.u64.u32 %w0, %a0; cvt.u64.u32 %w1, %a1; add.s64 %w0, %w0, %w1; shr.u64 %w0, %w0, 1; cvt.u32.u64 %r, %w0;
uuu urhadd = cvt.u64.u32 %w0, %a0; cvt.u64.u32 %w1, %a1; add.s64 %w0, %w0, %w1; add.s64 %w0, %w0, 1; shr.u64 %w0, %w0, 1; cvt.u32.u64 %r, %w0;
ff fabsf = abs.f32
dd fabs = abs.f64
fff fminf = min.f32
ddd fmin = min.f64
fff fmaxf = max.f32
ddd fmax = max.f64
fff copysignf = copysign.f32 %r, %a1, %a0;
ddd copysign = copysign.f64 %r, %a1, %a0;
if signbitf = shr.u32 %r, %a0, 31;
id signbitd = shr.u64 %w0, %a0, 63; cvt.u32.u64 %r, %w0;
if isnanf = testp.notanumber.f32 %p0, %a0; selp.b32 %r, 1, 0, %p0;
id isnand = testp.notanumber.f64 %p0, %a0; selp.b32 %r, 1, 0, %p0;
if isinff = testp.infinite.f32 %p0, %a0; selp.b32 %r, 1, 0, %p0;
id isinfd = testp.infinite.f64 %p0, %a0; selp.b32 %r, 1, 0, %p0;
if finitef = testp.finite.f32 %p0, %a0; selp.b32 %r, 1, 0, %p0;
id isfinited = testp.finite.f64 %p0, %a0; selp.b32 %r, 1, 0, %p0;
ff ceilf = cvt.rpi.f32.f32
dd ceil = cvt.rpi.f64.f64
ff floorf = cvt.rmi.f32.f32
dd floor = cvt.rmi.f64.f64
ff truncf = cvt.rzi.f32.f32
dd trunc = cvt.rzi.f64.f64
ff rintf nearbyintf = cvt.rni.f32.f32
dd rint nearbyint = cvt.rni.f64.f64
lf llrintf = cvt.rni.s64.f32
ld llrint = cvt.rni.s64.f64
lf llroundf = library.math %t0, #roundf, %a0; cvt.rni.s64.f32 %r, %t0;
ld llround = library.math %w0, #round, %a0; cvt.rni.s64.f64 %r, %w0;
ff saturatef = cvt.sat.f32.f32
ffff fmaf = fma.rn.f32
dddd fma = fma.rn.f64
ff sqrtf = sqrt.rn.f32
dd sqrt = sqrt.rn.f64
ff frsqrt_rn = !
fff fast_fdividef fdividef = div.rn.f32
ff fast_sinf = !
ff fast_cosf = !
ff fast_tanf = !
ff fast_expf = !
ff fast_exp10f = !
ff fast_logf = !
ff fast_log2f = !
ff fast_log10f = !
fff fast_powf = !
vfpp sincosf fast_sincosf = library.math %t0, #sinf, %a0; st.b32 [%a1], %t0; library.math %t0, #cosf, %a0; st.b32 [%a2], %t0;
vdpp sincos = library.math %w0, #sin, %a0; st.b64 [%a1], %w0; library.math %w0, #cos, %a0; st.b64 [%a2], %w0;
vfpp sincospif = library.math %t0, #sinpif, %a0; st.b32 [%a1], %t0; library.math %t0, #cospif, %a0; st.b32 [%a2], %t0;
vdpp sincospi = library.math %w0, #sinpi, %a0; st.b64 [%a1], %w0; library.math %w0, #cospi, %a0; st.b64 [%a2], %w0;
ffp frexpf = library.math %r, #fractionf, %a0; library.math %t0, #exponentf, %a0; st.b32 [%a1], %t0;
ddp frexp = library.math %r, #fraction, %a0; library.math %t0, #exponent, %a0; st.b32 [%a1], %t0;
ffp modff = library.math %r, #remainderofonef, %a0; cvt.rzi.f32.f32 %t0, %a0; st.b32 [%a1], %t0;
ddp modf = library.math %r, #remainderofone, %a0; cvt.rzi.f64.f64 %w0, %a0; st.b64 [%a1], %w0;
fffp remquof = library.math %r, #remainderf, %a0, %a1; library.math %t0, #quotientf, %a0, %a1; st.b32 [%a2], %t0;
dddp remquo = library.math %r, #remainder, %a0, %a1; library.math %t0, #quotient, %a0, %a1; st.b32 [%a2], %t0;
if ilogbf = !
id ilogb = !
ffi ldexpf scalbnf = library.math %r, #ldexpf, %a0, %a1;
ddi ldexp scalbn = library.math %r, #ldexp, %a0, %a1;
ffi powif = library.math %r, #powif, %a0, %a1;
ddi powi = library.math %r, #powi, %a0, %a1;
fif jnf = !
did jn = !
fif ynf = !
did yn = !
ffff norm3df = !
dddd norm3d = !
ffff rnorm3df = !
dddd rnorm3d = !
fffff norm4df = !
ddddd norm4d = !
fffff rnorm4df = !
ddddd rnorm4d = !
dp nan = mov.b64 %r, 0x7ff8000000000000;
fp nanf = mov.b32 %r, 0x7fffffff;
if float_as_int = mov.b32
ff float_as_uint = mov.b32
fi int_as_float uint_as_float = mov.b32
ld double_as_longlong = mov.b64
dl longlong_as_double = mov.b64
id double2hiint = shr.u64 %w0, %a0, 32; cvt.u32.u64 %r, %w0;
id double2loint = cvt.u32.u64 %r, %a0;
dii hiloint2double = mov.b64 %r, {%a1, %a0};
fh half2float = cvt.u16.u32 %h, %t3; cvt.f32.f16 %r, %h;
hf float2half_rn = cvt.rn.f16.f32 %h, %a0; mov.b16 %t3, %h;
`

// roundings are the suffixes of libdevice and the modifiers of PTX.
var roundings = [][2]string{{"rn", "rn"}, {"rz", "rz"}, {"ru", "rp"}, {"rd", "rm"}}

// addRounded adds the functions that exist once for each rounding.
func addRounded(all map[string]*function) {
	for _, r := range roundings {
		suffix, mode := "_"+r[0], r[1]
		for _, t := range [][3]string{{"f", "f", "f32"}, {"d", "d", "f64"}} {
			c, letter, typ := t[0], t[1], t[2]
			for _, op := range []string{"add", "sub", "mul", "div"} {
				all[prefix+c+op+suffix] = &function{letter + letter + letter, op + "." + mode + "." + typ}
			}
			for _, op := range []string{"rcp", "sqrt"} {
				all[prefix+c+op+suffix] = &function{letter + letter, op + "." + mode + "." + typ}
			}
			fma := map[string]string{"f": "fmaf", "d": "fma"}[c]
			all[prefix+fma+suffix] = &function{strings.Repeat(letter, 4), "fma." + mode + "." + typ}
			all[prefix+fma+"_ieee"+suffix] = all[prefix+fma+suffix] // the mode without .ftz
		}
		all[prefix+"double2float"+suffix] = &function{"fd", "cvt." + mode + ".f32.f64"}
		for _, f := range [][3]string{{"float", "f", "f32"}, {"double", "d", "f64"}} {
			for _, i := range [][3]string{{"int", "i", "s32"}, {"uint", "u", "u32"}, {"ll", "l", "s64"}, {"ull", "m", "u64"}} {
				all[prefix+f[0]+"2"+i[0]+suffix] = &function{i[1] + f[1], fmt.Sprintf("cvt.%si.%s.%s", mode, i[2], f[2])}
				all[prefix+i[0]+"2"+f[0]+suffix] = &function{f[1] + i[1], fmt.Sprintf("cvt.%s.%s.%s", mode, f[2], i[2])}
			}
		}
	}
	for _, i := range []string{"int", "uint"} { // exact
		all[prefix+i+"2double"] = all[prefix+i+"2double_rn"]
	}
}

// body writes what a function does.
func (f *function) body(d Declared) string {
	name := strings.TrimPrefix(d.Name, prefix)
	var operands strings.Builder
	for i := range d.Params {
		fmt.Fprintf(&operands, ", %%a%d", i)
	}
	switch {
	case f.is == "!":
		return fmt.Sprintf("\tlibrary.math %%r, %d%s;\n", calculation(name), operands.String())
	case !strings.Contains(f.is, "%"):
		return fmt.Sprintf("\t%s %%r%s;\n", f.is, operands.String())
	}
	text := numbered(f.is)
	if strings.HasPrefix(f.signature, "fh") { // what is narrower than 32 bits comes in either width
		text = fmt.Sprintf("mov.b32 %%t3, 0; cvt.u32.u%d %%t3, %%a0; ", 8*d.Params[0]) + text
	}
	if strings.HasPrefix(f.signature, "hf") {
		text = strings.Replace(text, "mov.b16 %t3, %h;", fmt.Sprintf("cvt.u%d.u16 %%r, %%h;", 8*d.Result), 1)
	}
	return "\t" + text + "\n"
}

// numbered puts the numbers of calculations in the place of their names, #sin.
func numbered(text string) string {
	words := strings.Split(text, "#")
	for i := 1; i < len(words); i++ {
		name, rest, _ := strings.Cut(words[i], ",")
		words[i] = fmt.Sprintf("%d,%s", calculation(name), rest)
	}
	return strings.Join(words, "")
}
