import type { LayerSpecification, StyleSpecification } from 'maplibre-gl'

/** Zooms that have tiles of their own; the map enlarges the last one for those above. */
export const TILE_ZOOMS = { from: 3, to: 11 } as const

/** The mainland of Spain with the Balearic Islands, degrees. */
export const MAINLAND: [number, number, number, number] = [-9.6, 35.7, 4.5, 43.9]

/** Colours of the base map, quiet so that data stands out. */
const COLOURS = {
  light: {
    sea: '#dfe8ee',
    otherLand: '#edf0ee',
    land: '#fafaf7',
    border: '#b9c3cc',
    municipality: '#e4e7e8',
    motorway: '#ccd3da',
    motorwayCase: '#a9b4be',
    main: '#d3d9de',
    lesser: '#dfe3e6',
    railway: '#8d99a5',
    text: '#33424f',
    halo: '#ffffff',
    faint: '#7a8894',
  },
  dark: {
    sea: '#0a1118',
    otherLand: '#0f1820',
    land: '#15202a',
    border: '#3a4a59',
    municipality: '#1d2a35',
    motorway: '#4d5d6c',
    motorwayCase: '#33424f',
    main: '#3a4957',
    lesser: '#2c3946',
    railway: '#5b6b7a',
    text: '#c9d5df',
    halo: '#101a23',
    faint: '#8496a6',
  },
} as const

const FONT = ['Overpass']
const SOURCE = { source: 'base' } as const

/** Width of lines: pixels by zoom, doubling about every two zooms. */
const width = (...stops: readonly number[]): never => ['interpolate', ['exponential', 1.5], ['zoom'], ...stops] as never

/** Some four kilometres, as the width of a line. */
const FOUR_KM: never = ['interpolate', ['exponential', 2], ['zoom'], 4, 1, 16, 4096] as never

/** The signs of roads along them, which `shields.ts` draws. */
const shields = (of: 'road' | 'lesser_road'): LayerSpecification => ({
  ...{ id: of === 'road' ? 'road-name' : 'lesser-road-name', type: 'symbol', ...SOURCE, 'source-layer': of },
  minzoom: of === 'road' ? 6.5 : 10,
  layout: {
    ...{ 'symbol-placement': 'line', 'symbol-spacing': 300, 'icon-image': ['concat', 'road:', ['get', 'ref']] },
    ...{ 'icon-rotation-alignment': 'viewport', 'icon-padding': 6 },
  },
})

/** Returns the style of the base map in light or dark, with tiles and type of our own origin. */
export function baseStyle(
  scheme: 'light' | 'dark',
  { origin, font }: { readonly origin: string; readonly font: string },
): StyleSpecification {
  const colour = COLOURS[scheme]
  const line = (id: string, layer: string, paint: object, filter?: unknown): LayerSpecification =>
    ({
      id,
      type: 'line',
      ...SOURCE,
      'source-layer': layer,
      layout: { 'line-cap': 'round', 'line-join': 'round' },
      paint,
      ...(filter ? { filter } : {}),
    }) as LayerSpecification
  const land = (id: string, layer: string, filled: string): LayerSpecification => ({
    ...{ id, type: 'fill', ...SOURCE, 'source-layer': layer, paint: { 'fill-color': filled, 'fill-antialias': false } },
  })
  const label = (id: string, layer: string, size: unknown, colourOf: string, rest: object = {}): LayerSpecification =>
    ({
      id,
      type: 'symbol',
      ...SOURCE,
      'source-layer': layer,
      layout: { 'text-field': ['get', 'name'], 'text-font': FONT, 'text-size': size, 'text-max-width': 8, 'text-padding': 6 },
      paint: { 'text-color': colourOf, 'text-halo-color': colour.halo, 'text-halo-width': 1.4 },
      ...rest,
    }) as LayerSpecification
  return {
    version: 8,
    'font-faces': { Overpass: font },
    sources: {
      base: {
        type: 'vector',
        tiles: [`${origin}/map/tiles/{z}/{x}/{y}.mvt`],
        minzoom: TILE_ZOOMS.from,
        maxzoom: TILE_ZOOMS.to,
        attribution: 'IGN/CNIG, es-atlas, CC BY 4.0 | Natural Earth',
      },
    },
    layers: [
      { id: 'sea', type: 'background', paint: { 'background-color': colour.sea } },
      land('other-land', 'other_land', colour.otherLand),
      // The two atlases draw the border up to two kilometres apart.
      line('other-edge', 'other_land', { 'line-color': colour.otherLand, 'line-width': FOUR_KM }),
      land('land', 'land', colour.land),
      line('municipality', 'municipality', { 'line-color': colour.municipality, 'line-width': 0.8 }),
      line('province', 'province', { 'line-color': colour.border, 'line-width': width(4, 0.5, 10, 1.2) }),
      line('railway', 'railway', { 'line-color': colour.railway, 'line-width': width(6, 0.5, 12, 1.6), 'line-dasharray': [3, 2] }),
      line('lesser-road', 'lesser_road', { 'line-color': colour.lesser, 'line-width': width(9, 0.6, 14, 3.5) }),
      line('main-road', 'road', { 'line-color': colour.main, 'line-width': width(5, 0.5, 14, 5) }, ['==', ['get', 'class'], 2]),
      line('motorway-case', 'road', { 'line-color': colour.motorwayCase, 'line-width': width(5, 1.3, 14, 9) }, ['==', ['get', 'class'], 1]),
      line('motorway', 'road', { 'line-color': colour.motorway, 'line-width': width(5, 0.8, 14, 6.5) }, ['==', ['get', 'class'], 1]),
      ...(['lesser_road', 'road'] as const).map((of) => shields(of)),
      label('province-name', 'province_name', 12, colour.faint, { minzoom: 5, maxzoom: 7.5 }),
      label('lesser-town', 'lesser_town', ['case', ['==', ['get', 'rank'], 3], 12, 10.5], colour.faint, { minzoom: 9 }),
      label('town', 'town', ['interpolate', ['linear'], ['zoom'], 5, ['case', ['==', ['get', 'rank'], 1], 12, 0], 8, 14], colour.text, {
        minzoom: 6,
      }),
    ],
  }
}
