import { ask } from './data.ts'
import { element, language, shape } from './dom.ts'
import { clock, type DataLayer, number, type Properties } from './layers/layer.ts'
import { type Collection, withParam } from './requests.ts'

/** Requests the track of a thing of a layer: lines, or the line through its points in order. */
export async function readTrack(layer: DataLayer, id: string, token: string): Promise<GeoJSON.Feature[]> {
  const path = layer.track?.(encodeURIComponent(id))
  if (path === undefined) return []
  const reply = await ask<Collection | GeoJSON.Feature>(withParam(path, 'format=geojson'), token, { plan: 'PRO' })
  const features = reply.type === 'Feature' ? [reply] : reply.features
  const points = features.flatMap(({ geometry }) => (geometry?.type === 'Point' ? [geometry.coordinates] : []))
  const through: GeoJSON.Feature[] =
    points.length < 2 ? [] : [{ type: 'Feature', properties: {}, geometry: { type: 'LineString', coordinates: points } }]
  return [...features.filter(({ geometry }) => geometry !== null && geometry.type !== 'Point'), ...through]
}

const SIZE = { width: 280, height: 84, left: 4, right: 276, top: 16, bottom: 66 }

/** Requests the recent values of a thing of a layer and draws them as a line; null if there are fewer than two. */
export async function courseOf(layer: DataLayer, id: string, token: string): Promise<Element | null> {
  if (!layer.course) return null
  const { path, value, unit, name } = layer.course
  const { history } = await ask<{ readonly history: readonly Properties[] }>(path(encodeURIComponent(id)), token, { plan: 'PRO' })
  const values = history.flatMap((row) => {
    const at = Date.parse(String(row['period_start']))
    const read = row[value]
    return typeof read === 'number' ? [{ at, read }] : []
  })
  const [first, last] = [values[0], values.at(-1)]
  if (!first || !last || last.at === first.at) return null
  const reads = values.map(({ read }) => read)
  const [least, most] = [Math.min(...reads), Math.max(...reads)]
  const { width, height, left, right, top, bottom } = SIZE
  const places = values.map(({ at, read }) => {
    const x = left + ((at - first.at) / (last.at - first.at)) * (right - left)
    const y = most === least ? (top + bottom) / 2 : bottom - ((read - least) / (most - least)) * (bottom - top)
    return `${x.toFixed(1)} ${y.toFixed(1)}`
  })
  const label = (text: string, x: number, y: number, anchor: string): SVGElement => shape('text', { x, y, 'text-anchor': anchor }, text)
  const days = last.at - first.at > 3 * 86_400_000
  const time = (ms: number): string =>
    days ? new Date(ms).toLocaleDateString(language, { day: 'numeric', month: 'short', timeZone: 'Europe/Madrid' }) : clock(ms, language)
  const range = `${number(least, '', language)}– ${number(most, unit, language)}`
  const chart = shape('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `${name[language]}: ${range}` })
  chart.append(
    shape('path', { class: 'base', d: `M${left} ${bottom + 3}H${right}` }),
    shape('path', { class: 'line', d: `M${places.join('L')}` }),
    shape('path', { class: 'last', d: `M${places.at(-1)}h0` }),
    label(range, left, top - 5, 'start'),
    label(number(last.read, unit, language), right, top - 5, 'end'),
    label(time(first.at), left, height - 3, 'start'),
    label(time(last.at), right, height - 3, 'end'),
  )
  return element('figure', { class: 'course' }, element('figcaption', { class: 'note' }, name[language]), chart)
}
