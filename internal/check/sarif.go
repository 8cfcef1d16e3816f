package check

import (
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// SARIF is the Static Analysis Results Interchange Format, version 2.1.0 (OASIS standard of
// 27 March 2020), in which CI services take findings. Section numbers are the standard's.
const sarifSchema = "https://json.schemastore.org/sarif-2.1.0.json"

type object = map[string]any

// WriteSARIF writes the report for CI: a run with a rule for each kind that was found, and
// a result for each finding, at its line of the source, or of the PTX where there is none.
func (r *Report) WriteSARIF(w io.Writer) error {
	rules, results := []object{}, []object{}
	var kinds []Kind
	prints := r.fingerprints()
	for i, f := range r.Findings {
		at := slices.Index(kinds, f.Kind)
		if at < 0 {
			at, kinds = len(kinds), append(kinds, f.Kind)
			rules = append(rules, object{
				"id": string(f.Kind), "name": string(f.Kind), "shortDescription": object{"text": f.Kind.Title()},
				"defaultConfiguration": object{"level": f.level()}, "properties": object{"group": string(f.Group())},
			})
		}
		results = append(results, f.sarif(at, prints[i]))
	}
	driver := object{"name": "hyptx check", "version": r.Version, "rules": rules}
	return encode(w, object{
		"$schema": sarifSchema, "version": "2.1.0",
		"runs": []object{{"tool": object{"driver": driver}, "results": results, "invocations": []object{r.invocation()}, "columnKind": "utf16CodeUnits"}},
	})
}

// invocation says whether all was checked (3.20): CI services close no alerts if it was not.
func (r *Report) invocation() object {
	notes := []object{}
	for i := range r.Unchecked {
		u := &r.Unchecked[i]
		notes = append(notes, object{
			"level": "error", "message": object{"text": "not checked: " + u.Reason},
			"locations": []object{{"physicalLocation": object{"artifactLocation": object{"uri": uriOf(u.Program)}}}},
		})
	}
	return object{"executionSuccessful": len(notes) == 0, "toolExecutionNotifications": notes}
}

// level is the finding's in SARIF (3.27.10).
func (f *Finding) level() string {
	if f.Remark() {
		return "note"
	}
	return "error"
}

func (f *Finding) sarif(rule int, fingerprint string) object {
	text := fmt.Sprintf("kernel %s: %s: %s (%s, %s)", f.Kernel, f.Kind.Title(), f.Why, f.At.Who(), f.Times())
	related := []object{}
	if f.At.Source.Line > 0 {
		related = append(related, f.At.related(0, "this in the PTX: "+f.At.Text, true))
	}
	if o := f.Other; o != nil {
		related = append(related, o.related(len(related), fmt.Sprintf("the %s by %s", o.Does, o.Who()), false))
		if o.Source.Line > 0 {
			related = append(related, o.related(len(related), "the other in the PTX: "+o.Text, true))
		}
	}
	return object{
		"ruleId": string(f.Kind), "ruleIndex": rule, "level": f.level(), "message": object{"text": text},
		"locations":           []object{{"physicalLocation": f.At.physical(false)}},
		"relatedLocations":    related,
		"partialFingerprints": object{"hyptx/v1": fingerprint},
		"properties":          object{"kernel": f.Kernel, "program": f.Program, "launch": f.Launch, "count": f.Count, "object": f.Object, "space": f.Space},
	}
}

// fingerprints are what stays of findings while lines move (3.27.17): what they are and the instructions. Those
// of the same text are numbered as they stand in the report, since one fingerprint means one result.
func (r *Report) fingerprints() []string {
	prints, many := make([]string, len(r.Findings)), map[string]int{}
	for i, f := range r.Findings {
		text := fmt.Sprintf("%s %s %s", f.Kind, f.Kernel, f.At.Text)
		if f.Other != nil {
			text += " / " + f.Other.Text
		}
		many[text]++
		if prints[i] = text; many[text] > 1 {
			prints[i] = fmt.Sprintf("%s #%d", text, many[text])
		}
	}
	return prints
}

// related is a location that the message is about as well (3.27.22).
func (a *Access) related(id int, text string, ptx bool) object {
	return object{"id": id, "message": object{"text": text}, "physicalLocation": a.physical(ptx)}
}

// physical is a place in a file (3.29): the source's, or the PTX's if it is asked for or
// all there is.
func (a *Access) physical(ptx bool) object {
	file, region := a.Source.File, object{"startLine": a.Source.Line}
	if a.Source.Line <= 0 || ptx {
		file, region = a.File, object{"startLine": max(a.Line, 1), "startColumn": max(a.Col, 1), "snippet": object{"text": a.Text}}
	}
	return object{"artifactLocation": object{"uri": uriOf(file)}, "region": region}
}

// uriOf is a file's name as a URI: relative if it lies in the working folder, however it was
// named, else absolute, so that one file has one name.
func uriOf(file string) string {
	if file == "" {
		return ""
	}
	if here, err := os.Getwd(); err == nil {
		path := file
		if !filepath.IsAbs(path) {
			path = filepath.Join(here, path)
		}
		file = filepath.Clean(path)
		if rel, err := filepath.Rel(here, file); err == nil && filepath.IsLocal(rel) {
			file = rel
		}
	}
	u := url.URL{Path: filepath.ToSlash(file)}
	if strings.HasPrefix(u.Path, "/") {
		u.Scheme = "file"
	}
	return u.String()
}
