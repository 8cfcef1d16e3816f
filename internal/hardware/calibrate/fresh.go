package calibrate

// A log outlives the program that wrote it. Its times are of a text that was compiled
// then; its counts are of the text that this version writes. Where the two are not the
// same, a rate would be the work of one program over the time of another, and nothing
// in the number would show it: so each measurement carries the hash of its text.

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
