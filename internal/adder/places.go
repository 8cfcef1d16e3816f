package adder

// places say where in their tables designs find the entries of an instruction. That is
// worked out when an instruction is met for the first time, and kept by its number: by the
// next SM, too, whose designs are the same.
type places struct {
	tables []table
	of     [][]int32 // by number, then by table
	added  int       // tables of the SM at hand
	// words are those of all tables, with some before and behind that vectors may lie in as far
	// as they are not of a row.
	words []uint32
	// entries are those of tables whose rows have one, which all lanes share: close together, for an
	// instruction has many.
	entries []uint32
}

// table are the entries of a history, in rows of words, or of one entry. Rows come into being when
// an instruction asks for them, and are zero.
type table struct {
	index Index
	size  int // of a row, 0 of those of one entry
	rows  map[uint32]int32
}

// add adds a table, of rows of so many words, or of one entry if that is 0, and returns its number. The
// tables of every SM are added in one order.
func (p *places) add(x Index, size int) int {
	if p.added == len(p.tables) {
		p.tables = append(p.tables, table{index: x, size: size, rows: map[uint32]int32{}})
	}
	p.added++
	return p.added - 1
}

// clear forgets what entries hold, for another SM.
func (p *places) clear() {
	p.added = 0
	clear(p.words)
	clear(p.entries)
}

// at returns where the rows of an instruction begin.
func (p *places) at(number uint32) []int32 {
	if int(number) < len(p.of) && p.of[number] != nil {
		return p.of[number]
	}
	return p.meet(number)
}

// meet is at where an instruction is met for the first time.
func (p *places) meet(number uint32) []int32 {
	for int(number) >= len(p.of) {
		p.of = append(p.of, nil)
	}
	list := make([]int32, len(p.tables))
	for i := range p.tables {
		t := &p.tables[i]
		row := t.index.of(number)
		at, ok := t.rows[row]
		if !ok {
			at = p.begin(t.size)
			t.rows[row] = at
		}
		list[i] = at
	}
	p.of[number] = list
	return list
}

// begin begins a row.
func (p *places) begin(size int) int32 {
	if size == 0 {
		p.entries = append(p.entries, 0)
		return int32(len(p.entries) - 1)
	}
	if len(p.words) == 0 {
		p.words = make([]uint32, 2*pageLength)
	}
	at := len(p.words) - pageLength
	p.words = append(p.words, make([]uint32, size)...)
	return int32(at)
}
