package thesis

import "embed"

// Data are the tables that the thesis prints, and the measurements of mixbench that its
// author published: tab-separated, with the source of each in its first line. They stand
// here once, for whoever holds something against them.
//
//go:embed data/*.tsv
var Data embed.FS
