package gpu

// From Volta on, as on Fermi and Kepler, an SM has one memory for its L1 and its
// shared memory, and the driver sets the border at the smallest configuration that
// holds what the resident CTAs take. A GV100 has 128 KiB and the borders 0, 8, 16,
// 32, 64 and 96 KiB: four CTAs of 10 KiB take 40, the border is 64, and 64 KiB
// (128 of the 256 ways) are left to cache with. A kernel whose shared memory grows
// by a byte may lose half of its L1.

// CacheShape is the geometry of a cache. Bytes is a multiple of Ways x
// LineBytes; a cache of 0 bytes has 0 ways.
type CacheShape struct {
	Bytes, Ways, LineBytes, SectorBytes int
}

// L1Shape returns the L1 of an SM when the resident CTAs take that many bytes
// of shared memory. What shared memory takes are ways: the sets stay.
func (g *GPU) L1Shape(sharedBytes int) (CacheShape, error) {
	s, err := g.shape("l1", g.L1.Bytes, g.L1.Ways, g.L1.LineBytes, g.L1.SectorBytes)
	if err != nil {
		return CacheShape{}, err
	}
	data, err := g.L1DataBytes(sharedBytes)
	if err != nil {
		return CacheShape{}, err
	}
	way := s.Bytes / s.Ways
	s.Ways = data / way
	s.Bytes = s.Ways * way
	return s, nil
}

// L2Shape returns the L2 of the GPU.
func (g *GPU) L2Shape() (CacheShape, error) {
	return g.shape("l2", g.L2.Bytes, g.L2.Ways, g.L2.LineBytes, g.L2.SectorBytes)
}

func (g *GPU) shape(level string, bytes, ways, line, sector *Int) (CacheShape, error) {
	var s CacheShape
	err := g.needAll([]needed{{&s.Bytes, level + ".bytes", bytes}, {&s.Ways, level + ".ways", ways},
		{&s.LineBytes, level + ".line_bytes", line}, {&s.SectorBytes, level + ".sector_bytes", sector}})
	return s, err
}

// L1DataBytes returns how much of the L1 memory of an SM holds data when the
// resident CTAs take that many bytes of shared memory: all of it where shared
// memory is apart, else what the smallest sufficient configuration leaves.
func (g *GPU) L1DataBytes(sharedBytes int) (int, error) {
	total, err := Need(g, "l1.bytes", g.L1.Bytes)
	if err != nil {
		return 0, err
	}
	both, err := Need(g, "l1.shares_with_shared", g.L1.SharesWithShared)
	if err != nil || !both {
		return total, err
	}
	configurations, err := Need(g, "shared.configurations_bytes", g.Shared.ConfigurationsBytes)
	if err != nil {
		return 0, err
	}
	for _, c := range configurations {
		if c >= sharedBytes {
			return max(total-c, 0), nil
		}
	}
	return 0, &LimitError{g.Name, "shared memory of the resident CTAs", sharedBytes, configurations[len(configurations)-1], "bytes"}
}
