import { type GeoJSONSource, NavigationControl, ScaleControl, setWorkerUrl } from 'maplibre-gl'
import { key } from '../key.ts'
import { baseStyle, MAINLAND } from './base.ts'
import { closeCard } from './card.ts'
import { ApiProblem, ask, askLayer, isOpen } from './data.ts'
import { covered, fileUrl, find, hashParams, keepInUrl, language, NARROW, offset, textsIn } from './dom.ts'
import { addLayer, clickable, drawShield, drawSigns, setShown } from './draw.ts'
import { drawingsOf, longestMove, middleOf, moved, type Place } from './geometry.ts'
import { type DataLayer, groupTitle, type Labels, type Properties, setLabels } from './layers/layer.ts'
import { LAYERS } from './layers/layers.ts'
import type { Live } from './live.ts'
import { openOverlays } from './overlays.ts'
import { openPanel, type Panel, type Thing } from './panel.ts'
import type { Past } from './past.ts'
import { type Collection, idOf, pathsOf } from './requests.ts'
import { searchPlaces } from './search.ts'
import { openThings } from './things.ts'
import { WholeMap } from './view.ts'
import type { Way } from './way.ts'

// The map: layers of the public API over our own base map. What the first map does not need is loaded on first use.

setWorkerUrl(fileUrl('maplibre-gl-worker.js'))
const BASE = { origin: location.origin, font: fileUrl('overpass.woff2') }

const frame = find('map')
const token = frame.dataset['token'] ?? ''
setLabels(JSON.parse(frame.dataset['labels'] ?? '{}') as Labels)
const dark = matchMedia('(prefers-color-scheme: dark)')
const still = matchMedia('(prefers-reduced-motion: reduce)')
const scheme = (): 'dark' | 'light' => (dark.matches ? 'dark' : 'light')

/** Spain with its islands, degrees. */
const SPAIN: [number, number, number, number] = [-18.4, 27.4, 4.6, 44]
/** Longest time in which features take to their new places, in s. */
const GLIDE_S = 30
/** How soon a failed request is sent again if the reply does not say it, in s. */
const RETRY_S = 30
/** How often a list that events keep up to date is requested whole, in s. */
const RESYNC_S = 900
/** How long the view must rest before what it shows is requested, in ms. */
const SETTLED_MS = 350
const EMPTY: Collection = { type: 'FeatureCollection', features: [] }

const details = find<HTMLDetailsElement>('panel')
if (NARROW.matches) details.open = false
details.dataset['ready'] = ''

const view = new WholeMap({
  container: frame,
  style: baseStyle(scheme(), BASE),
  bounds: MAINLAND,
  fitBoundsOptions: { padding: covered(NARROW.matches ? 10 : 20) },
  maxBounds: [SPAIN[0] - 8, SPAIN[1] - 5, SPAIN[2] + 8, SPAIN[3] + 5],
  minZoom: NARROW.matches ? 3 : 4,
  maxZoom: 17,
  hash: 'map',
  attributionControl: { compact: true },
  dragRotate: false,
  pitchWithRotate: false,
})
view.touchZoomRotate.disableRotation()
for (const begin of ['wheel', 'pointerdown', 'keydown'])
  frame.addEventListener(begin, () => view.release(), { capture: true, passive: true })
view.addControl(new NavigationControl({ showCompass: false }), 'top-right')
view.addControl(new ScaleControl({ unit: 'metric' }), 'bottom-right')
const overlays = openOverlays(view)
const things = openThings({ view, token, overlays, isStill: () => still.matches })

/** The state of a layer that is shown. */
interface Shown {
  timer: ReturnType<typeof setTimeout> | undefined
  glide: ReturnType<typeof setTimeout> | undefined
  cancel: AbortController
  list: Collection | null
  /** What is drawn: the list, a list of the past, or features on their way. */
  drawn: Collection
}
const shown = new Map<string, Shown>()
/** Lists of the past by layer, while the map shows it. */
let replaced: ((layer: DataLayer) => Collection | null) | null = null
let live: Live | null = null

const wanted = hashParams().get('layers')?.split(',') ?? LAYERS.filter(({ isShown }) => isShown).map(({ id }) => id)

const panel: Panel = openPanel({
  view,
  layers: LAYERS,
  isShown: (layer) => shown.has(layer.id),
  toggle: (layer, isOn) => (isOn ? show(layer) : hide(layer)),
  rechoose: (layer) => void (shown.has(layer.id) && load(layer)),
  // Layers of the plans are requested again with the key.
  onKey: () => {
    for (const layer of LAYERS) {
      if (shown.has(layer.id) && isOpen(layer)) void load(layer)
      else if (shown.has(layer.id)) hide(layer)
      else if (layer.plan !== 'FREE' && isOpen(layer) && wanted.includes(layer.id)) show(layer)
    }
    if (replaced) past?.refresh()
    void follow()
  },
  things: () => LAYERS.flatMap((layer) => (shown.get(layer.id)?.drawn.features ?? []).map((feature) => ({ layer, feature }))),
  open: (layer, of, at) => things.open(layer, of, at),
  point: (thing) => void hover(thing),
  mark: (cheapest) => {
    const label = cheapest && new Intl.NumberFormat(language, { minimumFractionDigits: 3 }).format(cheapest.price)
    overlays.set('cheapest', cheapest ? [{ ...cheapest.feature, properties: { label: `${label} €` } }] : [])
  },
})

function keepLayers(): void {
  keepInUrl('layers', LAYERS.flatMap(({ id }) => (shown.has(id) ? [id] : [])).join(','))
}

function show(layer: DataLayer): void {
  if (shown.has(layer.id)) return
  shown.set(layer.id, { ...{ timer: undefined, glide: undefined, list: null, drawn: EMPTY }, cancel: new AbortController() })
  setShown(view, layer, true)
  keepLayers()
  panel.update(layer, null)
  if (replaced) past?.refresh()
  else void load(layer)
}

function hide(layer: DataLayer): void {
  const state = shown.get(layer.id)
  if (!state) return
  clearTimeout(state.timer)
  clearTimeout(state.glide)
  state.cancel.abort()
  shown.delete(layer.id)
  setShown(view, layer, false)
  keepLayers()
  panel.update(layer, null)
}

const isLive = (layer: DataLayer): boolean => layer.topic !== undefined && (live?.isOpen ?? false)

/** Requests the list of a layer, shows it, and plans the next request. */
async function load(layer: DataLayer): Promise<void> {
  const state = shown.get(layer.id)
  if (!state || replaced) return
  clearTimeout(state.timer)
  state.cancel.abort()
  state.cancel = new AbortController()
  const { signal } = state.cancel
  let wait_s = isLive(layer) ? RESYNC_S : layer.every_s
  try {
    const list = await askLayer(layer, { token, bbox: view.getBounds().toArray().flat(), signal })
    if (shown.get(layer.id) !== state || replaced) return
    void update(layer, state, list)
  } catch (error) {
    if (signal.aborted) return
    if (!isOpen(layer)) {
      hide(layer)
      panel.lock()
      return
    }
    const problem = error instanceof ApiProblem ? error : null
    wait_s = problem?.retry_s ?? (problem !== null && problem.status < 500 ? layer.every_s : RETRY_S)
    panel.update(layer, { problem: problem ?? new ApiProblem(0, { detail: String(error) }, null) })
  }
  state.timer = setTimeout(() => void load(layer), wait_s * 1000)
}

/** Shows a new list: on the map first, as each change of the panel costs a frame of its own. */
async function update(layer: DataLayer, state: Shown, list: Collection): Promise<void> {
  state.list = list
  await draw(layer, state, list)
  if (shown.get(layer.id) !== state || state.list !== list || replaced) return
  things.reopen(layer, list)
  panel.update(layer, { list, isLive: isLive(layer) })
}

/**
 * Draws a list. What moves glides from where it was drawn until the next list is due: to where it is expected then, such as
 * a train by its timetable, else to its reported place, so that it is drawn up to one interval late.
 */
async function draw(layer: DataLayer, state: Shown, list: Collection): Promise<void> {
  clearTimeout(state.glide)
  const put = async (content: Collection): Promise<void> => {
    state.drawn = content
    things.follow(layer, content)
    await view.getSource<GeoJSONSource>(layer.id)?.setData(content as GeoJSON.FeatureCollection)
  }
  const isFirst = state.drawn.features.length === 0
  if (!layer.moves || replaced || still.matches || (isFirst && !layer.expected)) {
    state.drawn = list
    things.follow(layer, list)
    await view.drawWhole(layer.id, list as GeoJSON.FeatureCollection)
    performance.mark(`map:${layer.id}`)
    return
  }
  const seconds = Math.min(layer.every_s, GLIDE_S)
  const goal = expectedAt(layer, list, Date.now() + 1000 * seconds)
  const before = (isFirst ? expectedAt(layer, list, Date.now()) : state.drawn).features
  const drawings = drawingsOf((longestMove(before, goal.features) / 360) * 512 * 2 ** view.getZoom(), seconds)
  const step = (at: number): void => {
    void put(at === drawings ? goal : moved(before, goal.features, at / drawings))
    if (at < drawings) state.glide = setTimeout(() => step(at + 1), (seconds * 1000) / drawings)
  }
  step(isFirst ? 0 : 1)
}

/** A list with each feature where its layer expects it at an instant in ms. */
function expectedAt({ expected }: DataLayer, list: Collection, at: number): Collection {
  if (!expected) return list
  const features = list.features.map((one): GeoJSON.Feature => {
    const place = one.geometry?.type === 'Point' ? expected(one.properties ?? {}, one.geometry.coordinates as [number, number], at) : null
    return place ? { ...one, geometry: { type: 'Point', coordinates: [...place] } } : one
  })
  return { ...list, features }
}

/** Follows the stream of events with a key whose plan has it: changes arrive at once, and lists are requested rarely. */
async function follow(): Promise<void> {
  live?.close()
  live = null
  if (key.get() === null) return
  const topics = LAYERS.flatMap(({ topic }) => topic ?? [])
  const { openLive } = await import('./live.ts')
  live = openLive({
    topics,
    onState: () => {
      for (const layer of LAYERS) if (layer.topic) void load(layer)
    },
    onChange: async (topic, { changed, ended }) => {
      const layer = LAYERS.find((one) => one.topic === topic)
      const state = layer && shown.get(layer.id)
      if (!layer || !state?.list || replaced) return
      const [path = ''] = pathsOf(layer, { bbox: view.getBounds().toArray().flat(), lang: textsIn })
      const ids = changed.map(encodeURIComponent).join(',')
      const { features } = changed.length > 0 ? await ask<Collection>(`${path}&ids=${ids}`, token) : EMPTY
      if (replaced || shown.get(layer.id) !== state) return
      const gone = new Set([...changed, ...ended])
      const kept = state.list.features.filter(({ properties }) => !gone.has(idOf(properties ?? {}) ?? ''))
      void update(layer, state, { ...state.list, updated_at: new Date().toISOString(), features: [...kept, ...features] })
    },
  })
}

/** True for several points that are drawn as one. */
const isGroup = ({ properties }: GeoJSON.Feature): boolean => properties?.['cluster'] === true

/** The thing that the map draws at a point, with all that its list says of it. */
function thingAt({ x, y }: { readonly x: number; readonly y: number }, reach: number): Thing | null {
  const box: [[number, number], [number, number]] = [
    [x - reach, y - reach],
    [x + reach, y + reach],
  ]
  const [found] = view.queryRenderedFeatures(box, { layers: clickable(view, LAYERS) })
  const layer = found && LAYERS.find(({ id }) => id === found.source)
  if (!found || !layer) return null
  const { groups } = layer
  if (groups && isGroup(found)) return { layer: { ...layer, title: (of) => groupTitle(groups, of, language) }, feature: found }
  const id = idOf(found.properties)
  const full = shown.get(layer.id)?.drawn.features.find(({ properties }) => id !== null && idOf(properties ?? {}) === id)
  return { layer, feature: full ?? found }
}

let popup: Promise<typeof import('./hover.ts')> | undefined
/** Shows the title of a thing beside it, or what a message sign shows. */
async function hover(thing: Thing | null, at?: Place): Promise<void> {
  if (thing === null && !popup) return
  popup ??= import('./hover.ts')
  const { showHover } = await popup
  const place = thing && (at ?? middleOf(thing.feature.geometry))
  showHover(view, thing && place ? { ...thing, at: place } : null)
}

/** Adds the sources and layers of data to the style, and their present content. */
function addData(): void {
  drawSigns(view)
  for (const layer of LAYERS) {
    addLayer(view, layer, shown.get(layer.id)?.drawn ?? null)
    setShown(view, layer, shown.has(layer.id))
  }
  overlays.restore()
}

let past: Past | null = null
/** Opens the slider of the last 24 hours, at an instant in ms. */
async function openPast(at: number | null): Promise<void> {
  const module = await import('./past.ts')
  past ??= module.openPast({
    ...{ token, layers: LAYERS, isShown: (layer) => shown.has(layer.id), isStill: still.matches },
    show: (lists, noteOf) => {
      replaced = lists
      for (const layer of LAYERS) {
        const state = shown.get(layer.id)
        if (!state) continue
        clearTimeout(state.timer)
        void draw(layer, state, lists(layer) ?? EMPTY)
        panel.update(layer, { past: noteOf(layer) })
      }
    },
    live: () => {
      if (!replaced) return
      replaced = null
      for (const layer of LAYERS) if (shown.has(layer.id)) void load(layer)
    },
  })
  past.open(at)
}
find('past-open').addEventListener('click', () => void openPast(null))

let way: Promise<Way> | null = null
/** Opens the form of what is on the way between two places. */
function openWay(): void {
  way ??= import('./way.ts').then((module) => module.openWay({ view, token, overlays }))
  void way.then((one) => one.open())
}
find('way-open').addEventListener('click', openWay)

const search = find<HTMLInputElement>('search')
searchPlaces(search, {
  ...{ hits: find('hits'), token },
  choose: (name, [lon, lat], zoom) => {
    closeCard()
    if (NARROW.matches) details.open = false
    overlays.set('place', [{ type: 'Feature', properties: { name }, geometry: { type: 'Point', coordinates: [lon, lat] } }])
    view.flyTo({ center: [lon, lat], zoom, offset: offset(), animate: !still.matches })
  },
})
// Another language shows the same view.
for (const link of document.querySelectorAll<HTMLAnchorElement>('a[hreflang]'))
  link.addEventListener('click', () => {
    link.hash = location.hash
  })
search.addEventListener('input', () => search.value === '' && overlays.set('place', []))
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return
  closeCard()
  void hover(null)
})

// After a new release the files of this page are gone; the URL has what it shows.
addEventListener('unhandledrejection', ({ reason }) => {
  if (/dynamically imported module|Importing a module/.test(String(reason))) location.reload()
})

view.once('style.load', () => {
  addData()
  for (const layer of LAYERS) if (wanted.includes(layer.id) && isOpen(layer)) show(layer)
  void follow()
  const at = Date.parse(hashParams().get('at') ?? '')
  if (!Number.isNaN(at)) void openPast(at)
  if (hashParams().has('way')) openWay()
})
view.once('idle', () => {
  performance.mark('map:first')
  frame.dataset['state'] = 'ready'
})
view.setMissingStyleImageResolver((id) => drawShield(view, id, scheme()))
dark.addEventListener('change', () => {
  overlays.suspend()
  view.setStyle(baseStyle(scheme(), BASE), { diff: false })
  view.once('style.load', addData)
})
let settled: ReturnType<typeof setTimeout> | undefined
view.on('moveend', () => {
  panel.relist()
  // Several moves in a row are one.
  clearTimeout(settled)
  settled = setTimeout(() => {
    for (const layer of LAYERS) if (layer.isByArea && shown.has(layer.id)) void load(layer)
  }, SETTLED_MS)
})
view.on('click', ({ point, lngLat }) => {
  const at = [lngLat.lng, lngLat.lat] as const
  if (frame.dataset['picks'] !== undefined) return
  const thing = thingAt(point, 6)
  if (thing && isGroup(thing.feature)) view.easeTo({ center: [at[0], at[1]], zoom: view.getZoom() + 2, animate: !still.matches })
  else if (thing) things.open(thing.layer, (thing.feature.properties ?? {}) as Properties, at)
})
let isAsked = false
view.on('mousemove', ({ point, lngLat, originalEvent }) => {
  // A finger has no hover, and the next frame is soon enough.
  if (
    isAsked ||
    (originalEvent as MouseEvent & { readonly sourceCapabilities?: { readonly firesTouchEvents: boolean } }).sourceCapabilities
      ?.firesTouchEvents
  )
    return
  isAsked = true
  requestAnimationFrame(() => {
    isAsked = false
    const thing = thingAt(point, 2)
    view.getCanvas().style.cursor = thing ? 'pointer' : ''
    void hover(thing, thing?.feature.geometry.type === 'Point' ? undefined : [lngLat.lng, lngLat.lat])
  })
})
view.on('mouseout', () => void hover(null))
