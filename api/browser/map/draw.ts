import type { ExpressionSpecification, GeoJSONSource, GeoJSONSourceSpecification, LayerSpecification, Map as MapView } from 'maplibre-gl'
import { type DataLayer, GREY, growing, NO_VALUE } from './layers/layer.ts'
import { SIGNS, shieldOf } from './layers/signs.ts'
import type { Collection } from './requests.ts'

const IS_POINT: ExpressionSpecification = ['==', ['geometry-type'], 'Point']
/** A condition on a point: that it has a direction, or none. */
const turns = (is: '==' | '!=', turned: string): ExpressionSpecification => ['all', IS_POINT, [is, ['get', turned], null]]
const EMPTY = { type: 'FeatureCollection', features: [] } as const
const PARTS = ['area', 'edge', 'under', 'line', 'middle', 'point', 'sign'] as const
const idOf = (layer: DataLayer, part: (typeof PARTS)[number]): string => `${layer.id}:${part}`

/** Adds a layer with its source to the map's style; `list` is its present content. */
export function addLayer(view: MapView, layer: DataLayer, list: Collection | null): void {
  const data = (list ?? EMPTY) as GeoJSON.FeatureCollection
  const source = view.getSource<GeoJSONSource>(layer.id)
  if (source) void source.setData(data)
  else view.addSource(layer.id, { type: 'geojson', data, ...groupingOf(layer) })
  const { sign, from = 0, isArea = false, under, isDashed = false } = layer
  const { colour, radius } = pointsOf(layer)
  const common = { source: layer.id, minzoom: from }
  const circle: LayerSpecification = {
    ...{
      id: idOf(layer, 'point'),
      type: 'circle',
      ...common,
      filter: sign?.turned === undefined ? IS_POINT : turns('==', sign.turned),
      maxzoom: sign?.from ?? 24,
    },
    paint: {
      'circle-color': colour,
      'circle-radius': radius,
      'circle-stroke-color': '#ffffff',
      'circle-stroke-width': ['interpolate', ['linear'], ['zoom'], 6, 0.6, 10, 1.4],
    },
  }
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
          ...{ id: idOf(layer, 'line'), type: 'line', ...common, filter: ['!', IS_POINT] },
          layout: { 'line-cap': isDashed ? 'butt' : 'round', 'line-join': 'round' },
          paint: {
            ...{ 'line-color': colour, 'line-opacity': 0.85 },
            ...(isDashed
              ? { 'line-width': 1.6, 'line-dasharray': [3, 2] }
              : { 'line-width': ['interpolate', ['linear'], ['zoom'], 5, 2.5, 12, 6] }),
          },
        },
        // What has no direction is a circle.
        ...(sign && sign.from === undefined && sign.turned === undefined ? [] : [circle]),
        ...(sign ? signsOf(layer) : []),
      ]
  // Names of places stay readable on areas.
  for (const spec of specs) if (!view.getLayer(spec.id)) view.addLayer(spec, isArea ? 'road-name' : undefined)
}

/** Points this near to each other, px, are one group. */
const GROUP_PX = 24

/** How the source of a layer groups its points. */
function groupingOf({ groups }: DataLayer): Partial<GeoJSONSourceSpecification> {
  if (!groups) return {}
  const { by, best, until } = groups
  return {
    ...{ cluster: true, clusterRadius: GROUP_PX, clusterMaxZoom: until },
    clusterProperties: { [by]: [best, ['coalesce', ['get', by], NO_VALUE[best]]] },
  }
}

/** Colour and size of the points of a layer, and of its groups: that of their best value, and larger with more of them. */
function pointsOf({
  groups,
  colour,
  radius = 4,
}: DataLayer): Pick<DataLayer, 'colour'> & { readonly radius: number | ExpressionSpecification } {
  if (!groups) return { colour, radius }
  const isNone: ExpressionSpecification = ['==', ['get', groups.by], NO_VALUE[groups.best]]
  const size: ExpressionSpecification = ['interpolate', ['linear'], ['get', 'point_count'], ...[2, 4, 50, 7, 500, 12]] as never
  return { colour: ['case', isNone, GREY, colour] as ExpressionSpecification, radius: ['case', ['has', 'point_count'], size, radius] }
}

/** The signs of points, and in the middle of lines. */
function signsOf(layer: DataLayer): LayerSpecification[] {
  const { colour, sign, from = 0 } = layer
  if (!sign) return []
  const { shape, turned, isFrom, size = turned === undefined ? growing() : 1 } = sign
  return (['middle', 'sign'] as const).map((part) => ({
    ...{ id: idOf(layer, part), type: 'symbol', source: layer.id, minzoom: Math.max(from, sign.from ?? 0) },
    filter: part === 'sign' ? (turned === undefined ? IS_POINT : turns('!=', turned)) : ['==', ['geometry-type'], 'LineString'],
    layout: {
      ...{ 'icon-image': shape, 'icon-size': size, 'icon-allow-overlap': true, 'icon-ignore-placement': true },
      ...(part === 'middle' ? { 'symbol-placement': 'line-center', 'icon-rotation-alignment': 'viewport' } : {}),
      ...(turned === undefined
        ? {}
        : {
            'icon-rotate': ['+', ['get', turned], isFrom ? 180 : 0] as ExpressionSpecification,
            'icon-rotation-alignment': 'map',
          }),
    },
    paint: { 'icon-color': colour, 'icon-halo-color': '#ffffff', 'icon-halo-width': 1 },
  }))
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

/** Pixels of an image that are one of the screen's. */
const RATIO = 2
/** Size of the image of a sign, and how many of its pixels a unit of the outline is. */
const SIGN_PX = 64
const UNIT_PX = SIGN_PX / 32
/** How far its distances reach inside and outside of the outline, in its pixels: MapLibre's field ends 2 and 6 px away. */
const [INSIDE_PX, OUTSIDE_PX] = [2 * RATIO, 6 * RATIO]

/** Draws the signs of layers as images of signed distances, which layers colour, turn, scale and outline. */
export function drawSigns(view: MapView): void {
  for (const [name, outline] of Object.entries(SIGNS)) {
    if (view.hasImage(name)) continue
    const canvas = new OffscreenCanvas(SIGN_PX, SIGN_PX)
    const pen = canvas.getContext('2d', { willReadFrequently: true }) as OffscreenCanvasRenderingContext2D
    pen.scale(UNIT_PX, UNIT_PX)
    pen.lineJoin = 'round'
    const path = new Path2D(outline)
    // Grey says how near the outline is: 191 on it, 32 less for each pixel of the screen away from it, and more inside.
    const stroke = (away_px: number, isInside: boolean): void => {
      const grey = 191 + (isInside ? 1 : -1) * (away_px / RATIO) * 32
      pen.strokeStyle = pen.fillStyle = `rgb(${grey} ${grey} ${grey})`
      pen.lineWidth = (2 * away_px) / UNIT_PX
      pen.stroke(path)
    }
    for (let away_px = OUTSIDE_PX; away_px > 0; away_px -= 0.5) stroke(away_px, false)
    pen.clip(path, 'evenodd')
    stroke(INSIDE_PX, true)
    pen.fill(path, 'evenodd')
    for (let away_px = INSIDE_PX; away_px > 0; away_px -= 0.5) stroke(away_px, true)
    const image = pen.getImageData(0, 0, SIGN_PX, SIGN_PX)
    for (let at = 0; at < image.data.length; at += 4) image.data[at + 3] = image.data[at] as number
    view.addImage(name, image, { sdf: true, pixelRatio: RATIO })
  }
}

/** The prefix of the names of shields among the images of the map. */
const PREFIX = 'road:'

/** Draws the sign of a road when the map first needs it: `road:A-2`. */
export function drawShield(view: MapView, id: string, scheme: 'dark' | 'light'): void {
  if (!id.startsWith(PREFIX) || view.hasImage(id)) return
  const road = id.slice(PREFIX.length)
  const look = shieldOf(road)
  const font = '700 11px Overpass, system-ui, sans-serif'
  const measure = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true }) as OffscreenCanvasRenderingContext2D
  measure.font = font
  const [width, height] = [Math.ceil(measure.measureText(road).width) + 10, 17]
  const canvas = new OffscreenCanvas(width * RATIO, height * RATIO)
  const pen = canvas.getContext('2d', { willReadFrequently: true }) as OffscreenCanvasRenderingContext2D
  pen.scale(RATIO, RATIO)
  pen.beginPath()
  pen.roundRect(0.5, 0.5, width - 1, height - 1, 3.5)
  // At night signs must not outshine the data.
  pen.globalAlpha = scheme === 'dark' ? 0.86 : 1
  pen.fillStyle = look.ground
  pen.fill()
  pen.lineWidth = 1
  pen.strokeStyle = look.edge
  pen.stroke()
  pen.font = font
  pen.textAlign = 'center'
  pen.textBaseline = 'middle'
  pen.fillStyle = look.letters
  pen.fillText(road, width / 2, height / 2 + 1)
  view.addImage(id, pen.getImageData(0, 0, width * RATIO, height * RATIO), { pixelRatio: RATIO })
}
