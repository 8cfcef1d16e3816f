// Package texel says which bytes of a texture or surface an instruction means, and
// what it makes of them: formats, layers, cubes and levels, addressing beyond the
// edges, filtering. It knows no memory and no instructions: bytes come and go as
// slices, places as offsets from where the texture begins.
//
// Its sources are the manual (PTX ISA 5.3, 9.7.12 and 9.7.13) and the CUDA C++
// Programming Guide (Texture Fetching; Cubemap Textures; Texture and Surface Memory).
// Where both say nothing, the comments name what was chosen, and Taps.Open says so of
// each fetch that rests on such a choice.
//
// How a GPU lays out an array nobody says for all of them. Here a texture lies in a buffer as one would
// write it down: level after level, in a level layer after layer (of a cube its six
// faces), then slices, rows, elements, and of each element its samples.
//
// Start with [Texture], then:
//
//	format.go   elements and what a fetch returns of one
//	texture.go  what a texture is, and where its elements lie
//	sampler.go  a coordinate beyond the edges
//	fetch.go    the elements that a fetch reads, with their weights
//	cube.go     which face of a cube a direction meets
//	blend.go    from elements and weights to the result
//	surface.go  bytes of surfaces, and formatted stores
package texel
