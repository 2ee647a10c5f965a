import type { GeoJSONSource, LayerSpecification, Map as MapView } from 'maplibre-gl'
import type { DataLayer } from './layer.ts'
import type { Collection } from './requests.ts'

const EMPTY = { type: 'FeatureCollection', features: [] } as const
const PARTS = ['area', 'edge', 'under', 'line', 'point'] as const
const idOf = (layer: DataLayer, part: (typeof PARTS)[number]): string => `${layer.id}:${part}`

/** Adds a layer with its source to the map's style; `list` is its present content. */
export function addLayer(view: MapView, layer: DataLayer, list: Collection | null): void {
  const source = view.getSource<GeoJSONSource>(layer.id)
  if (source) void source.setData((list ?? EMPTY) as GeoJSON.FeatureCollection)
  else view.addSource(layer.id, { type: 'geojson', data: (list ?? EMPTY) as GeoJSON.FeatureCollection })
  const { colour, radius = 4, sign, from = 0, isArea = false, under, isDashed = false, signSize = 0.5 } = layer
  const common = { source: layer.id, minzoom: from }
  const specs: LayerSpecification[] = isArea
    ? [
        { id: idOf(layer, 'area'), type: 'fill', ...common, paint: { 'fill-color': colour, 'fill-opacity': 0.22 } },
        { id: idOf(layer, 'edge'), type: 'line', ...common, paint: { 'line-color': colour, 'line-width': 1 } },
      ]
    : [
        ...(under
          ? [
              {
                ...{ id: idOf(layer, 'under'), type: 'circle' as const, ...common },
                paint: { 'circle-color': under.colour, 'circle-radius': under.radius, 'circle-opacity': 0.35 },
              },
            ]
          : []),
        {
          // The outline stands for an area among lines, such as a section of a street.
          ...{ id: idOf(layer, 'line'), type: 'line', ...common, filter: ['!=', ['geometry-type'], 'Point'] },
          layout: { 'line-cap': isDashed ? 'butt' : 'round', 'line-join': 'round' },
          paint: {
            ...{ 'line-color': colour, 'line-opacity': 0.85 },
            ...(isDashed
              ? { 'line-width': 1.6, 'line-dasharray': [3, 2] }
              : { 'line-width': ['interpolate', ['linear'], ['zoom'], 5, 2.5, 12, 6] }),
          },
        },
        sign
          ? {
              ...{ id: idOf(layer, 'point'), type: 'symbol', ...common, filter: ['==', ['geometry-type'], 'Point'] },
              layout: {
                'icon-image': sign.shape,
                'icon-size': signSize,
                'icon-rotate': ['+', ['coalesce', ['get', sign.turned], 0], sign.isFrom ? 180 : 0],
                'icon-rotation-alignment': 'map',
                'icon-allow-overlap': true,
              },
              paint: { 'icon-color': colour, 'icon-halo-color': '#ffffff', 'icon-halo-width': 1 },
            }
          : {
              ...{ id: idOf(layer, 'point'), type: 'circle', ...common, filter: ['==', ['geometry-type'], 'Point'] },
              paint: {
                'circle-color': colour,
                'circle-radius': radius,
                'circle-stroke-color': '#ffffff',
                'circle-stroke-width': ['interpolate', ['linear'], ['zoom'], 6, 0.6, 10, 1.4],
              },
            },
      ]
  // Names of places stay readable on areas.
  for (const spec of specs) if (!view.getLayer(spec.id)) view.addLayer(spec, isArea ? 'road-name' : undefined)
}

/** Shows or hides a layer. */
export function setShown(view: MapView, layer: DataLayer, isShown: boolean): void {
  for (const part of PARTS)
    if (view.getLayer(idOf(layer, part))) view.setLayoutProperty(idOf(layer, part), 'visibility', isShown ? 'visible' : 'none')
}

/** Returns the ids of the style's layers whose features can be opened. */
export function clickable(view: MapView, layers: readonly DataLayer[]): string[] {
  return layers.flatMap((layer) => PARTS.map((part) => idOf(layer, part))).filter((id) => view.getLayer(id))
}

/** Outlines of signs in a square of 32, pointing north. */
const SIGNS = {
  arrow: 'M16 3 25 27 16 22 7 27Z',
  plane:
    'M16 2c1.6 0 2.3 2 2.3 4.4V12l10.2 6.6v3l-10.2-3.2v6l3.2 2.6v2.2L16 27.8l-5.5 1.4V27l3.2-2.6v-6L3.5 21.6v-3L13.7 12V6.4C13.7 4 14.4 2 16 2Z',
} as const

/** Draws the signs that layers turn and colour, as one-coloured images. */
export function drawSigns(view: MapView, scheme: 'dark' | 'light'): void {
  const size = 64
  for (const [name, path] of Object.entries(SIGNS)) {
    if (view.hasImage(name)) continue
    const canvas = new OffscreenCanvas(size, size)
    const pen = canvas.getContext('2d', { willReadFrequently: true }) as OffscreenCanvasRenderingContext2D
    pen.scale(size / 32, size / 32)
    pen.fillStyle = scheme === 'dark' ? '#dfe8f0' : '#1c2b38'
    pen.fill(new Path2D(path))
    view.addImage(name, pen.getImageData(0, 0, size, size), { sdf: true })
  }
}
