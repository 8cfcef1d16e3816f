package ir

import (
	"slices"

	"hyptx/parser"
)

// ignoredDirectives say nothing about what a function computes or how it may
// be launched: hints to the compiler.
var ignoredDirectives = map[string]bool{
	"maxnctapersm": true,
	"abi_preserve": true, "abi_preserve_control": true, "language": true,
	"noreturn": true, // setSignature reads it
}

// maxThreadsPerAxis bounds each number of .reqntid and .maxntid; their product
// is checked against the target when a kernel is launched.
const maxThreadsPerAxis = 1 << 20

// setDirectives reads the directives between a function's header and its body
// (PTX ISA 11.4, 11.7). Those that bound a launch are kept and checked when a
// kernel is launched; those that guide the compiler's allocation of registers
// are kept for estimates of it; an unknown one is an error, because it might
// change what is counted.
func (l *lowerer) setDirectives(f *Func, ds []parser.Directive) {
	for i := range ds {
		d := &ds[i]
		l.since(d.Pos, d.Name)
		switch {
		case d.Name == "reqntid":
			l.setExtent(f, d, &f.ReqNTID)
		case d.Name == "maxntid":
			l.setExtent(f, d, &f.MaxNTID)
		case d.Name == "reqnctapercluster":
			l.setExtent(f, d, &f.ReqNCTAPerCluster)
		case d.Name == "explicitcluster":
			f.ExplicitCluster = true
		case d.Name == "maxnreg":
			f.MaxRegisters = l.directiveInt(d, 0)
		case d.Name == "minnctapersm":
			f.MinCTAsPerSM = l.directiveInt(d, 0)
		case d.Name == "maxclusterrank":
			f.MaxClusterRank = l.directiveInt(d, 0)
		case d.Name == "pragma":
			f.NoUnrollAll = f.NoUnrollAll || slices.ContainsFunc(d.Args, isNoUnroll)
		case d.Name == "blocksareclusters":
			f.BlocksAreClusters = true
		case !ignoredDirectives[d.Name]:
			l.errorf(d.Pos, "directive .%s is not supported", d.Name)
		}
		if d.Name == "reqntid" || d.Name == "maxntid" {
			if !f.Kernel {
				l.errorf(d.Pos, ".%s applies to kernels only", d.Name)
			}
		}
	}
	if f.MaxClusterRank != 0 && f.ReqNCTAPerCluster[0] != 0 {
		l.overlook(f.Pos, "%s has both .maxclusterrank and .reqnctapercluster (PTX ISA 11.7.3)", f.Name)
	}
	if f.ReqNTID[0] != 0 && f.MaxNTID[0] != 0 {
		l.overlook(f.Pos, "%s has both .reqntid and .maxntid (PTX ISA 11.4.3)", f.Name)
	}
}

// noUnroll is the pragma against unrolling (PTX ISA 12).
const noUnroll = "nounroll"

func isNoUnroll(a parser.DirectiveArg) bool { return a.String != nil && *a.String == noUnroll }

// setExtent reads one to three numbers; those left out are 1.
func (l *lowerer) setExtent(f *Func, d *parser.Directive, extent *[3]int) {
	if len(d.Args) < 1 || len(d.Args) > 3 {
		l.errorf(d.Pos, ".%s takes one to three numbers", d.Name)
		return
	}
	if extent[0] != 0 {
		l.errorf(d.Pos, "%s has .%s twice", f.Name, d.Name)
	}
	*extent = [3]int{1, 1, 1}
	for i := range d.Args {
		extent[i] = l.directiveInt(d, i)
	}
}

// directiveInt returns the directive's i-th number, 1 after an error.
func (l *lowerer) directiveInt(d *parser.Directive, i int) int {
	if i >= len(d.Args) || d.Args[i].Expr == nil {
		l.errorf(d.Pos, ".%s takes a number", d.Name)
		return 1
	}
	n, err := evalInt(d.Args[i].Expr, "."+d.Name, 1, maxThreadsPerAxis)
	if err != nil {
		l.fail(d.Pos, err)
		return 1
	}
	return int(n)
}
