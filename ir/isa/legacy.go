package isa

import "strings"

// Spellings of older PTX that today lack a modifier. What was meant then is said in
// the notes of the manual on each instruction ("For PTX ISA versions 1.0 through 1.3,
// div.f32 defaults to div.approx.ftz.f32"), and that is what Decode makes of them: no
// engine knows them, and only Check and messages the form that was written.

// legacySpelling is such a form.
type legacySpelling struct {
	row row
	// means are the modifiers that are left out.
	means string
}

// until14 is the version that made modifiers of these forms mandatory.
const until14 = "1.0 until 1.4"

// legacySpellings are the forms, one for each opcode and type.
var legacySpellings = []legacySpelling{
	{row{"div.f32 d, a, b", "", SpecialFP32, until14, "", "9.7.3.8"}, "approx.ftz"},
	{row{"div.f64 d, a, b", "", SpecialFP64, until14, "13", "9.7.3.8"}, "rn"},
	{row{"rcp.f32 d, a", "", SpecialFP32, until14, "", "9.7.3.13"}, "approx.ftz"},
	{row{"rcp.f64 d, a", "", SpecialFP64, until14, "13", "9.7.3.13"}, "rn"},
	{row{"sqrt.f32 d, a", "", SpecialFP32, until14, "", "9.7.3.15"}, "approx.ftz"},
	{row{"sqrt.f64 d, a", "", SpecialFP64, until14, "13", "9.7.3.15"}, "rn"},
	{row{"rsqrt.f32 d, a", "", SpecialFP32, until14, "", "9.7.3.16"}, "approx.ftz"},
	{row{"rsqrt.f64 d, a", "", SpecialFP64, until14, "13", "9.7.3.16"}, "approx"},
	{row{"sin.f32 d, a", "", SpecialFP32, until14, "", "9.7.3.18"}, "approx.ftz"},
	{row{"cos.f32 d, a", "", SpecialFP32, until14, "", "9.7.3.19"}, "approx.ftz"},
	{row{"lg2.f32 d, a", "", SpecialFP32, until14, "", "9.7.3.20"}, "approx.ftz"},
	{row{"ex2.f32 d, a", "", SpecialFP32, until14, "", "9.7.3.21"}, "approx.ftz"},
	{row{"mad.f64 d, a, b, c", "", FP64, until14, "13", "9.7.3.7"}, "rn"},
}

// legacyForm is such a form, parsed.
type legacyForm struct {
	form  *Form
	means string
}

// parseLegacy parses the forms by the words of their opcodes.
func parseLegacy(m *mods) map[string]legacyForm {
	all := make(map[string]legacyForm, len(legacySpellings))
	for i := range legacySpellings {
		l := &legacySpellings[i]
		opcode, _, _ := strings.Cut(l.row.syntax, " ")
		all[opcode] = legacyForm{parseRow(&l.row, m), l.means}
	}
	return all
}

// decodeLegacy decodes an opcode of older PTX; nil if it is none.
func decodeLegacy(opcode string) *Inst {
	l, ok := table().legacy()[opcode]
	if !ok {
		return nil
	}
	name, typ, _ := strings.Cut(opcode, ".")
	in, err := Decode(name + "." + l.means + "." + typ)
	if err != nil {
		panic("BUG: " + opcode + ", as PTX 1.0 has it, means nothing: " + err.Error())
	}
	in.Opcode, in.written = opcode, l.form
	return in
}
