package hyptx_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"hyptx"
)

// What a file holds, and where it is wrong.
func ExampleParse() {
	text := []byte(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n")
	m, err := hyptx.Parse("k.ptx", text)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("PTX %d.%d for %s, %d-bit addresses\n", m.Version.Major, m.Version.Minor, m.Targets[0], m.AddressSize)
	_, err = hyptx.Parse("bad.ptx", text[len(".version 7.0\n"):])
	fmt.Println(err)
	// Output:
	// PTX 7.0 for sm_70, 64-bit addresses
	// bad.ptx:1:1: unexpected .target; expected .version before it, such as .version 7.0
}

// Lower reads a kernel and looks at its control flow.
func ExampleLower() {
	const file = "ptx-samples/kernels/sm_70/gemm_tiled.ptx"
	text, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	m, err := hyptx.Lower(file, text)
	if err != nil {
		log.Fatal(err)
	}
	for _, k := range m.Kernels() {
		fmt.Printf("%s for %s: %d parameters, %d loops\n", k.Name, m.Target, len(k.Params), len(k.Loops()))
	}
	// Output:
	// gemm_tiled for sm_70: 6 parameters, 3 loops
}

// Profile counts what a launch executes: 200 additions on 256 threads, so that
// one warp of eight splits at the guard and one has nothing to do.
func ExampleProfile() {
	p, err := hyptx.Profile(context.Background(), "examples/vector_add.json", hyptx.DefaultOptions())
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range p.Rows {
		fmt.Printf("%s: %s warp instructions, %s of %s branches diverge, %s flop, %s\n",
			r.Launch, r.WarpInstructions, r.DivergentBranches, r.Branches, r.FlopSP, r.Exactness)
	}
	// Output:
	// 0: 162 warp instructions, 1 of 8 branches diverge, 200 flop, exact
	// total: 162 warp instructions, 1 of 8 branches diverge, 200 flop, exact
}

// Predict says what limits a program on two GPUs, and what power they draw: so
// small a launch takes longer to start than to run, reads two arrays of 200
// floats from DRAM, and AccelWattch was tuned on a GV100 only.
func ExamplePredict() {
	p, err := hyptx.Predict(context.Background(), "examples/vector_add.json", []string{"gv100", "a100"}, hyptx.DefaultOptions())
	if err != nil {
		log.Fatal(err)
	}
	for _, g := range p.GPUs {
		counts, time, power := g.Profile.Rows[0], g.Time[0], g.Power[0]
		fmt.Printf("%s: limited by %s, %s bytes read, energies %s; power known: %t\n",
			g.Name, time.Bound, counts.DRAMReadBytes, power.EnergyBasis, power.PowerW.Known)
	}
	// Output:
	// gv100: limited by Launch, 1664 bytes read, energies calibrated; power known: true
	// a100-sxm-80gb: limited by Launch, 1664 bytes read, energies extrapolated; power known: true
}

// Run executes a program and reads its output.
func ExampleRun() {
	outputs, err := hyptx.Run(context.Background(), "examples/vector_add.json", hyptx.DefaultOptions())
	if err != nil {
		log.Fatal(err)
	}
	for _, o := range outputs {
		fmt.Printf("%s holds %d %s: %g, %g, ... %g\n", o.Name, o.Len(), o.Type, o.Float(0), o.Float(1), o.Float(o.Len()-1))
	}
	// Output:
	// sum holds 200 f32: 0.5, 1.5, ... 199.5
}

// A .ptx file needs no manifest: the options say how it is launched, and the
// rows what was assumed all the same.
func ExampleProfile_bare() {
	opts := hyptx.DefaultOptions()
	opts.Bare = hyptx.Bare{Grid: []int{4}, Block: []int{64}, Args: []string{"3=200"}}
	p, err := hyptx.Profile(context.Background(), "ptx-samples/kernels/sm_70/vector_add.ptx", opts)
	if err != nil {
		log.Fatal(err)
	}
	r := p.Rows[0]
	fmt.Printf("%s warp instructions, %s of %s branches diverge, %s\n", r.WarpInstructions, r.DivergentBranches, r.Branches, r.Exactness)
	// Output:
	// 162 warp instructions, 1 of 8 branches diverge, exact
}
