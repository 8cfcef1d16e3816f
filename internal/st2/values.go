package st2

// ValueRow is a row of st2_values.csv: what an addition of a thread gave (the paper's
// figure 2).
type ValueRow struct {
	Launch  uint32 `csv:"launch" json:"launch" doc:"number of the kernel's launch, from 0"`
	Time    uint64 `csv:"logical_time" json:"logical_time" doc:"number of the thread's addition"`
	PC      uint32 `csv:"pc" json:"pc" doc:"the instruction's number in its module"`
	Thread  uint64 `csv:"thread" json:"thread" doc:"the thread's number in the grid"`
	Result  int64  `csv:"result" json:"result" doc:"the sum: of significands where floating point is added"`
	Type    string `csv:"type" json:"type" doc:"kind of addition"`
	Kernel  string `csv:"kernel" json:"kernel" doc:"the kernel"`
	Network string `csv:"program" json:"program" doc:"the program"`
	Assumed string `csv:"assumed_inputs" json:"assumed_inputs" doc:"as in st2_designs.csv"`
}

// Values returns the rows of the threads that were looked at.
func (s *Suite) Values() (rows []*ValueRow) {
	for _, k := range s.Kernels {
		for _, v := range k.Adds.Values {
			rows = append(rows, &ValueRow{v.Launch, v.Time, v.PC, v.Thread, v.Result, v.Kind.String(), k.Name, k.Network, k.assumedInputs()})
		}
	}
	return rows
}
