package nsight

import (
	"errors"
	"fmt"
	"strings"
)

// long reads the form with a metric a line; each ID is a launch.
func (t *table) long() (func(rec []string) error, error) {
	name, unit, value := t.column["Metric Name"], t.column["Metric Unit"], t.column["Metric Value"]
	return func(rec []string) error {
		l, err := t.launch(rec)
		if err != nil {
			return err
		}
		given := strings.TrimSpace(rec[name])
		if want, ok := t.wanted.Units[given]; ok {
			return l.read(given, rec[unit], rec[value], want)
		}
		return t.passOver(given, &l.PassedOver)
	}, nil
}

// rawColumn is a column of the form with a launch a line.
type rawColumn struct {
	at   int
	name string
	unit string
	want Unit
}

// raw reads the form that --page raw gives: metrics in columns, below the header
// a row of units, then a row for each launch.
func (t *table) raw() (func(rec []string) error, error) {
	var columns []rawColumn
	var passed []string
	for i, h := range t.header {
		if want, ok := t.wanted.Units[h]; ok {
			columns = append(columns, rawColumn{i, h, "", want})
		} else if err := t.passOver(h, &passed); err != nil {
			return nil, err
		}
	}
	if columns == nil {
		return nil, fmt.Errorf("none of its columns is a metric that is read; %s", t.wanted.Hint)
	}
	units := false
	return func(rec []string) error {
		if !units {
			units = true
			return t.units(rec, columns)
		}
		l, err := t.launch(rec)
		if err != nil {
			return err
		}
		l.PassedOver, passed = append(l.PassedOver, passed...), nil
		for _, c := range columns {
			if err := l.read(c.name, c.unit, rec[c.at], c.want); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// units reads the row below the header. What is wrong with it is wrong with all
// other rows.
func (t *table) units(rec []string, columns []rawColumn) error {
	if strings.TrimSpace(rec[t.column["ID"]]) != "" {
		return fmt.Errorf("the row below the header is no row of units, as `ncu --csv --page raw` writes one (its ID is empty); %w", errStop)
	}
	var errs []error
	for i := range columns {
		c := &columns[i]
		c.unit = strings.Clone(rec[c.at])
		if _, err := Scale(c.unit, c.want); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", c.name, err))
		}
	}
	if errs != nil {
		return fmt.Errorf("%w; %w", errors.Join(errs...), errStop)
	}
	return nil
}

// launch returns the launch that a row of Nsight Compute is of.
func (t *table) launch(rec []string) (*Launch, error) {
	id := rec[t.column["ID"]]
	l, err := t.of(id, id, rec[t.column["Kernel Name"]])
	if err != nil {
		return nil, err
	}
	for _, s := range []struct {
		column string
		to     *float64
	}{{"Grid Size", &l.CTAs}, {"Block Size", &l.BlockThreads}} {
		if i, ok := t.column[s.column]; ok {
			if *s.to, err = size(rec[i]); err != nil {
				return nil, fmt.Errorf("%s: %w", s.column, err)
			}
		}
	}
	return l, nil
}

// read reads a metric's cell.
func (l *Launch) read(name, unit, cell string, want Unit) error {
	value, err := Number(cell)
	if err != nil {
		return fmt.Errorf("%s of %s is %q: must be a number, as 1234.5 or 1,234.5", name, l.Kernel, cell)
	}
	scale, err := Scale(unit, want)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return l.add(name, value, scale)
}

// passOver tells a metric that is not wanted, which it adds to those passed over, from a name that is
// none: those of Nsight Compute have two underscores (unit__counter.sum); what has neither
// these nor a dot is a column or a row of a section.
func (t *table) passOver(given string, to *[]string) error {
	switch {
	case strings.Contains(given, "__"):
		if !t.passed[given] {
			name := strings.Clone(given)
			t.passed[name] = true
			*to = append(*to, name)
		}
		return nil
	case !strings.Contains(given, "."):
		return nil
	}
	return fmt.Errorf("unknown metric %q; %s", given, t.wanted.Hint)
}
