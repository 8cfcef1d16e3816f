package emulator

import (
	"testing"

	"hyptx/ir/isa"
)

// The fourth component of a special register reads 0 (PTX ISA 10.1), whatever
// the others say; those without components read what they name.
func TestSpecialComponents(t *testing.T) {
	w := &warp{number: 2, cta: &cta{id: [3]uint32{7, 8, 9}}, worker: &worker{launch: &launch{mem: newMemory(1 << 20)}}}
	w.worker.launch.Block = [3]uint32{8, 4, 4}
	for name, want := range map[string]uint32{ // thread 69 of blocks of 8 x 4 x 4
		"%tid.x": 5, "%tid.y": 0, "%tid.z": 2, "%tid.w": 0, "%ntid.x": 8, "%ntid.w": 0,
		"%ctaid.y": 8, "%ctaid.w": 0, "%laneid": 5, "%warpid": 2, "%lanemask_lt": 0x1f,
	} {
		r, ok := isa.ParseSReg(name)
		if !ok {
			t.Fatalf("%s is no special register", name)
		}
		w.worker.arena = w.worker.arena[:0]
		w.worker.top = 2
		w.worker.growArena()
		s := sregSlot{key: sregKey{sreg: r}}
		s.find(r)
		w.fillSpecial(&frame{fn: &function{sregs: []sregSlot{s}}})
		if got := w.worker.arena[0][5]; got != want {
			t.Errorf("%s is %d in lane 5, not %d", name, got, want)
		}
	}
}
