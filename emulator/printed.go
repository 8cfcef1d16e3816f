package emulator

import (
	"maps"
	"slices"
	"sync"
)

// printed is what a launch has printed, by CTA.
type printed struct {
	mu    sync.Mutex
	texts map[int64][]byte
	bytes int64
	limit int64
	// lost: there was more than the limit.
	lost bool
}

// add adds what a thread of a CTA prints; beyond the limit nothing is kept.
func (p *printed) add(cta int64, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bytes+int64(len(text)) > p.limit {
		p.lost = true
		return
	}
	if p.texts == nil {
		p.texts = map[int64][]byte{}
	}
	p.bytes += int64(len(text))
	p.texts[cta] = append(p.texts[cta], text...)
}

// give hands over what was printed, in the order of CTAs, and what there was no room for.
func (p *printed) give(to func(text []byte, lost bool)) {
	if to == nil || p.bytes == 0 && !p.lost {
		return
	}
	var all []byte
	for _, cta := range slices.Sorted(maps.Keys(p.texts)) {
		all = append(all, p.texts[cta]...)
	}
	to(all, p.lost)
}
