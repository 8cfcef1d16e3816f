package power

// ValidationRow is a line of hyptx power validate.
type ValidationRow struct {
	Section string `csv:"section" json:"section"`
	Table   string `csv:"table" json:"table"`
	Accuracy
	// Remark says what the row is, if its name does not.
	Remark string `csv:"remark" json:"remark"`
}

// The sections of the validation.
const (
	sectionPublished = "published"
	sectionMended    = "mended"
	sectionGPUWattch = "gpuwattch"
	sectionRerun     = "rerun"
	sectionUnfitted  = "unfitted"
)

// SectionTitles say what each section holds.
var SectionTitles = map[string]string{
	sectionPublished: "AccelWattch's validation, recomputed from the published powers of each kernel's components.\n" +
		"The energies were tuned on 102 micro-benchmarks; none of these kernels is among them.",
	sectionMended:    "The published sheet of Turing PTX SIM leaves six columns out of its totals. With them:",
	sectionGPUWattch: "GPUWattch, from which it comes: the energies of a GTX 480 in the published sheets, 10.45 W beside them:",
	sectionRerun:     "The model run here, on published counters:",
	sectionUnfitted: "Chips that no coefficient was fitted to: the GV100's energies, and none of the factors that the\n" +
		"published sheets put on Pascal and Turing afterwards; and a V100 that a third party measured:",
}

// Validate recomputes AccelWattch's published accuracy from its tables of
// kernels, reruns the model on published counters, and compares it with chips
// to which no coefficient or factor was fitted.
func Validate() ([]*ValidationRow, error) {
	var rows []*ValidationRow
	add := func(section, table, remark string, a Accuracy) {
		rows = append(rows, &ValidationRow{section, table, a, remark})
	}
	recompute := func(section string, tables []publishedTable) {
		for _, t := range tables {
			p := t.read()
			add(section, p.Title, "", p.accuracy())
		}
	}
	recompute(sectionPublished, publishedTables)
	recompute(sectionMended, mendedTables)
	sheets := Published()
	for i, paper := range []string{"219", "225"} {
		p := sheets[len(publishedTables)+i]
		add(sectionGPUWattch, p.Title, "the paper: "+paper+" %, on counts that were not published", p.accuracy())
	}
	modelled, measured, err := rerun(HWKernels())
	if err != nil {
		return nil, err
	}
	add(sectionRerun, "Volta HW, closed form", "Nsight counters; instructions recovered from published powers", compare(modelled, measured))
	recompute(sectionUnfitted, unfittedTables)
	if modelled, measured, err = rerun(v100Kernels()); err != nil {
		return nil, err
	}
	add(sectionUnfitted, "V100-SXM2, HW, closed form", "that card's Nsight counters at 1530 MHz; measured at 37 to 56 C, not 65", compare(modelled, measured))
	return rows, nil
}
