package calibrate

// Fresh returns the log without measurements of benchmarks whose text has
// changed since, which can no more be counted, and the names of these.
func (l *Log) Fresh() (fresh *Log, stale []string) {
	fresh = &Log{Subject: l.Subject, path: l.path}
	cc := l.Subject.Chip().CC
	for _, m := range l.Measurements {
		if m.Setup != nil {
			b, err := Lookup(m.Benchmark)
			if err != nil {
				stale = append(stale, m.Name())
				continue
			}
			if hash, err := b.hash(cc); err != nil || hash != m.Text || m.Setup.Benchmark != b.Name || m.Setup.CC != cc {
				stale = append(stale, m.Name())
				continue
			}
		}
		fresh.Measurements = append(fresh.Measurements, m)
	}
	return fresh, stale
}
