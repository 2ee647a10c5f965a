import type { GeoJSONSource, LayerSpecification, Map as MapView } from 'maplibre-gl'

const EMPTY: GeoJSON.FeatureCollection = { type: 'FeatureCollection', features: [] }

/** What is drawn above all layers, each of its own source: how it looks, lowest first. */
const LOOKS = {
  track: [
    { type: 'line', layout: { 'line-join': 'round' }, paint: { 'line-color': '#ffffff', 'line-width': 5, 'line-opacity': 0.7 } },
    { type: 'line', layout: { 'line-join': 'round' }, paint: { 'line-color': '#8a5cd6', 'line-width': 2.4 } },
  ],
  way: [
    {
      ...{ type: 'line', filter: ['==', ['geometry-type'], 'LineString'] },
      layout: { 'line-cap': 'round', 'line-join': 'round' },
      paint: { 'line-color': '#ffffff', 'line-width': 9, 'line-opacity': 0.85 },
    },
    {
      ...{ type: 'line', filter: ['==', ['geometry-type'], 'LineString'] },
      layout: { 'line-cap': 'round', 'line-join': 'round' },
      paint: { 'line-color': '#0b57c4', 'line-width': 5 },
    },
    {
      ...{ type: 'circle', filter: ['==', ['geometry-type'], 'Point'] },
      paint: { 'circle-radius': 9, 'circle-color': '#0b57c4', 'circle-stroke-color': '#ffffff', 'circle-stroke-width': 2 },
    },
    {
      ...{ type: 'symbol', filter: ['==', ['geometry-type'], 'Point'] },
      layout: { 'text-field': ['get', 'name'], 'text-font': ['Overpass'], 'text-size': 12, 'text-allow-overlap': true },
      paint: { 'text-color': '#ffffff' },
    },
  ],
  place: [
    {
      type: 'circle',
      paint: { 'circle-radius': 7, 'circle-color': '#0b57c4', 'circle-stroke-color': '#ffffff', 'circle-stroke-width': 3 },
    },
    {
      type: 'symbol',
      layout: { 'text-field': ['get', 'name'], 'text-font': ['Overpass'], 'text-size': 14, 'text-offset': [0, -1.6] },
      paint: { 'text-color': '#ffffff', 'text-halo-color': '#0b3d87', 'text-halo-width': 2 },
    },
  ],
  chosen: [
    {
      type: 'circle',
      paint: { 'circle-radius': 16, 'circle-color': 'transparent', 'circle-stroke-color': '#ffffff', 'circle-stroke-width': 6 },
    },
    {
      type: 'circle',
      paint: { 'circle-radius': 17.5, 'circle-color': 'transparent', 'circle-stroke-color': '#0b57c4', 'circle-stroke-width': 3 },
    },
  ],
  cheapest: [
    {
      type: 'circle',
      paint: { 'circle-radius': 9, 'circle-color': 'transparent', 'circle-stroke-color': '#24a05a', 'circle-stroke-width': 3 },
    },
    {
      type: 'symbol',
      layout: {
        ...{ 'text-field': ['get', 'label'], 'text-font': ['Overpass'], 'text-size': 14 },
        ...{ 'text-offset': [0, -2.2], 'text-allow-overlap': true },
      },
      paint: { 'text-color': '#ffffff', 'text-halo-color': '#0f5c2c', 'text-halo-width': 2 },
    },
  ],
} as const

type OverlayId = keyof typeof LOOKS

/** What is drawn above all layers: the track of a thing, a way, the cheapest station, the place found, a ring
 * around the thing whose card is open. */
export interface Overlays {
  set(id: OverlayId, features: readonly GeoJSON.Feature[]): void
  /** Draws nothing until `restore`, as another style is being loaded. */
  suspend(): void
  /** Adds all to the style that was loaded. */
  restore(): void
}

/** Opens the overlays of a map. */
export function openOverlays(view: MapView): Overlays {
  const contents = new Map<OverlayId, GeoJSON.FeatureCollection>()
  let isReady = false
  const draw = (id: OverlayId): void => {
    const data = contents.get(id) ?? EMPTY
    const source = view.getSource<GeoJSONSource>(id)
    if (source) return void source.setData(data)
    view.addSource(id, { type: 'geojson', data })
    for (const [at, look] of LOOKS[id].entries()) {
      const spec = { id: `${id}:${at}`, source: id, ...look } as unknown as LayerSpecification
      // Signs of roads and data stay visible on a line.
      view.addLayer(spec, look.type === 'line' ? 'lesser-road-name' : undefined)
    }
  }
  return {
    set(id, features) {
      contents.set(id, { type: 'FeatureCollection', features: [...features] })
      if (isReady) draw(id)
    },
    suspend: () => {
      isReady = false
    },
    restore: () => {
      isReady = true
      for (const id of contents.keys()) draw(id)
    },
  }
}
