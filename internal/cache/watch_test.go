package cache

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestWatch: who watches hears each sector that the L2 is asked for, and a model that is
// watched counts what it counts alone. One that is there for who watches lets it hear the
// same, in the same order; its L1s count the same, and its L2 nothing.
func TestWatch(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 5))
		ctas := randomCTAs(r)
		c := Config{SMs: 3, Channels: 2, Workers: 2, L2: Level{64 * 128, 4, 128, 32}}
		l := Launch{CTAsPerSM: 2, L1: Level{8 * 128, 4, 128, 32}}
		alone := launch(t, newModel(t, c), l, ctas)
		heard, stream := uint64(0), []uint64(nil)
		c.Watch = func(block uint64, sectors uint8) {
			heard += uint64(bits.OnesCount8(sectors))
			stream = append(stream, block<<8|uint64(sectors))
		}
		if got := launch(t, newModel(t, c), l, ctas); got != alone || heard != got.L2.Reads()+got.L2.Writes() {
			t.Errorf("seed %d: %+v, alone %+v; %d sectors heard", seed, got, alone, heard)
		}
		whole := stream
		stream, c.WatchOnly = nil, true
		if got := launch(t, newModel(t, c), l, ctas); got != (Counters{L1: alone.L1}) || !slices.Equal(stream, whole) {
			t.Errorf("seed %d, only watched: %+v; %d of %d accesses heard", seed, got, len(stream), len(whole))
		}
	}
}
