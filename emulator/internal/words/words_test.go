package words

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"hyptx/emulator/internal/lanes"
	"hyptx/emulator/internal/pages"
)

const base = 0x7f0000000000

// memory makes n bytes, as a table of pages and in one piece.
func memory(t *testing.T, r *rand.Rand, n int) (*pages.Table, []byte) {
	t.Helper()
	flat := make([]byte, n)
	for i := range flat {
		flat[i] = byte(r.Uint32())
	}
	table, err := pages.NewTable(int64(n), nil, pages.NewBudget(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	table.Ready()
	table.Write(flat, 0)
	return table, flat
}

// addresses are aligned to a vector of n words, and now and then are not or lie
// outside; ok if those of m are all good.
func addresses(r *rand.Rand, m uint32, n, bytes int) (addr [lanes.Width]uint64, ok bool) {
	ok = true
	for lane := range addr {
		addr[lane] = uint64(r.IntN(bytes/(4*n)) * 4 * n)
		switch bad := m>>lane&1 != 0; r.IntN(400) {
		case 0:
			addr[lane], ok = addr[lane]+4*uint64(n)/2, ok && !bad
		case 1:
			addr[lane], ok = uint64(bytes), ok && !bad
		case 2:
			addr[lane], ok = ^uint64(3), ok && !bad
		}
	}
	return addr, ok
}

// Loads and stores of both kinds of memory do for each lane of the mask what
// copying its bytes does, and nothing for the others; what is not aligned or
// out of bounds is refused, and then nothing is stored.
func TestLoadStore(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for range 600 {
		n, m := 1<<r.IntN(3), r.Uint32()|r.Uint32()
		table, want := memory(t, r, pages.Bytes+64)
		flat := append([]byte(nil), want...)
		addr, ok := addresses(r, m, n, len(want))
		var global [lanes.Width]uint64
		for lane := range addr {
			global[lane] = base + addr[lane]
		}
		var regs, other [4]lanes.Slot
		var a, b []*lanes.Slot
		for i := range n {
			for lane := range regs[i] {
				regs[i][lane] = r.Uint32()
			}
			a, b = append(a, &regs[i]), append(b, &other[i])
		}
		if r.IntN(2) == 0 { // store
			if Store(flat, m, &addr, a) != ok || StorePaged(table, base, m, &global, a) != ok {
				t.Fatalf("%d words, lanes %#x: a store is refused, or is not, against %v", n, m, ok)
			}
			for lane := range addr {
				for i := 0; ok && i < n && m>>lane&1 != 0; i++ {
					binary.LittleEndian.PutUint32(want[addr[lane]+uint64(4*i):], regs[i][lane])
				}
			}
			got := make([]byte, len(want))
			if err := table.Read(got, 0); err != nil || string(got) != string(want) || string(flat) != string(want) {
				t.Fatalf("%d words, lanes %#x: other bytes are stored", n, m)
			}
		} else {
			other = regs
			if Load(flat, m, &addr, a) != ok || LoadPaged(table, base, m, &global, b) != ok {
				t.Fatalf("%d words, lanes %#x: a load is refused, or is not, against %v", n, m, ok)
			}
			before := other
			for lane := range addr {
				for i := 0; ok && i < n && m>>lane&1 != 0; i++ {
					before[i][lane] = binary.LittleEndian.Uint32(want[addr[lane]+uint64(4*i):])
				}
			}
			if ok && (before != regs || before != other) {
				t.Fatalf("%d words, lanes %#x: other words are loaded", n, m)
			}
		}
		if !ok {
			refused++
		}
	}
	if refused < 30 || refused > 400 {
		t.Errorf("%d of 600 accesses are bad: the test does not see both kinds", refused)
	}
}

// A vector of 8 words is what Load of pages is not made for.
func TestLongVector(t *testing.T) {
	table, _ := memory(t, rand.New(rand.NewPCG(1, 2)), 64)
	if LoadPaged(table, base, 1, new([lanes.Width]uint64), make([]*lanes.Slot, 8)) {
		t.Error("a vector of 8 words is loaded")
	}
}

func TestHalves(t *testing.T) {
	var a [lanes.Width]uint64
	var narrow lanes.Slot
	set := func(f func(lane uint64) uint64) {
		for lane := range a {
			a[lane], narrow[lane] = f(uint64(lane)), uint32(f(uint64(lane)))
		}
	}
	for name, c := range map[string]struct {
		f    func(lane uint64) uint64
		ok   bool
		want [2]Half
	}{
		"one word":   {func(uint64) uint64 { return 40 }, true, [2]Half{{40, 0}, {40, 0}}},
		"a row":      {func(l uint64) uint64 { return 8 + 4*l }, true, [2]Half{{8, 4}, {72, 4}}},
		"two rows":   {func(l uint64) uint64 { return l/16*1000 + l%16*4 }, true, [2]Half{{0, 4}, {1000, 4}}},
		"one, a row": {func(l uint64) uint64 { return l / 16 * (l - 16) * 4 }, true, [2]Half{{0, 0}, {0, 4}}},
		"a column":   {func(l uint64) uint64 { return 64 * l }, false, [2]Half{}},
		"odd at end": {func(l uint64) uint64 { return 4*l + l/31 }, false, [2]Half{}},
		"wide steps": {func(l uint64) uint64 { return 8 * l }, false, [2]Half{}},
	} {
		set(c.f)
		if h, ok := Halves(&a, 4); ok != c.ok || ok && h != c.want {
			t.Errorf("%s: %v, %v", name, h, ok)
		}
		if h, ok := NarrowHalves(&narrow, 4); ok != c.ok || ok && h != c.want {
			t.Errorf("%s in 32 bits: %v, %v", name, h, ok)
		}
	}
}

func TestLoadHalf(t *testing.T) {
	mem := make([]byte, 16*HalfLanes)
	for i := range mem {
		mem[i] = byte(i)
	}
	for _, stride := range []uint64{0, 4, 8, 16} {
		var d [HalfLanes]uint32
		LoadHalf(&d, mem, stride)
		for i, v := range d {
			if want := binary.LittleEndian.Uint32(mem[uint64(i)*stride:]); v != want {
				t.Errorf("stride %d, lane %d: %#x, not %#x", stride, i, v, want)
			}
		}
	}
}

func TestGetPut(t *testing.T) {
	for n, want := range map[int][2]uint64{1: {0x88, ^uint64(0x77)}, 2: {0x8788, ^uint64(0x7877)}, 4: {0x85868788, ^uint64(0x7a797877)}, 8: {0x8182838485868788, 0x8182838485868788}} {
		b := make([]byte, n)
		Put(b, 0x8182838485868788)
		if got := [2]uint64{Get(b), GetSigned(b)}; got != want {
			t.Errorf("%d bytes: %#x, not %#x", n, got, want)
		}
	}
}
