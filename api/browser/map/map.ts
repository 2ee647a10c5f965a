import { type GeoJSONSource, Map as MapView, NavigationControl, ScaleControl, setWorkerUrl } from 'maplibre-gl'
import { baseStyle } from './base.ts'
import { ApiProblem, askLayer, type Collection, isOpen } from './data.ts'
import { addLayer, clickable, drawSigns, moved, setShown } from './draw.ts'
import { type DataLayer, LAYERS } from './layers.ts'
import { openPanel, type Panel } from './panel.ts'

// The map: layers of the public API over our own base map.

setWorkerUrl(new URL('../maplibre-gl-worker.js', import.meta.url).href)

const frame = document.querySelector('#map') as HTMLElement
const token = frame.dataset['token'] ?? ''
const dark = matchMedia('(prefers-color-scheme: dark)')
const still = matchMedia('(prefers-reduced-motion: reduce)')
const scheme = (): 'dark' | 'light' => (dark.matches ? 'dark' : 'light')

/** Spain with its islands, degrees. */
const SPAIN: [number, number, number, number] = [-18.4, 27.4, 4.6, 44]
const MAINLAND: [number, number, number, number] = [-9.6, 35.7, 4.5, 43.9]
/** How long features take to their new places, in ms. */
const MOVE_MS = 1800
/** How soon a failed request is sent again if the reply does not say it, in s. */
const RETRY_S = 30

const view = new MapView({
  container: frame,
  style: baseStyle(scheme(), location.origin),
  bounds: MAINLAND,
  // The panel lies on the west of wide windows, and on the south of narrow ones.
  fitBoundsOptions: {
    padding:
      innerWidth > 800 ? { left: 350, top: 20, right: 20, bottom: 20 } : { bottom: 0.45 * innerHeight, top: 10, left: 10, right: 10 },
  },
  maxBounds: [SPAIN[0] - 8, SPAIN[1] - 5, SPAIN[2] + 8, SPAIN[3] + 5],
  minZoom: 4,
  maxZoom: 17,
  hash: 'map',
  attributionControl: { compact: true },
  dragRotate: false,
  pitchWithRotate: false,
})
view.touchZoomRotate.disableRotation()
view.addControl(new NavigationControl({ showCompass: false }), 'top-right')
view.addControl(new ScaleControl({ unit: 'metric' }), 'bottom-right')

/** The state of a layer that is shown. */
interface Shown {
  timer: ReturnType<typeof setTimeout> | undefined
  cancel: AbortController
  list: Collection | null
  frame: number
}
const shown = new Map<string, Shown>()

/** The parameters after #, where MapLibre keeps the view in `map`. */
const hashParams = (): URLSearchParams => new URLSearchParams(location.hash.slice(1))
const wanted = hashParams().get('layers')?.split(',') ?? LAYERS.filter(({ isShown }) => isShown).map(({ id }) => id)

const panel: Panel = openPanel({
  view,
  token,
  layers: LAYERS,
  isShown: (layer) => shown.has(layer.id),
  toggle: (layer, isOn) => (isOn ? show(layer) : hide(layer)),
  // Layers of the plans are requested again with the key.
  onKey: () => {
    for (const layer of LAYERS) {
      if (shown.has(layer.id) && isOpen(layer)) void load(layer)
      else if (shown.has(layer.id)) hide(layer)
      else if (layer.plan !== 'FREE' && wanted.includes(layer.id)) show(layer)
    }
  },
  features: () => LAYERS.flatMap((layer) => (shown.get(layer.id)?.list?.features ?? []).map((feature) => ({ layer, feature }))),
})

function keepInUrl(): void {
  const params = hashParams()
  params.set('layers', LAYERS.flatMap(({ id }) => (shown.has(id) ? [id] : [])).join(','))
  history.replaceState(history.state, '', `#${decodeURIComponent(params.toString())}`)
}

function show(layer: DataLayer): void {
  if (shown.has(layer.id)) return
  shown.set(layer.id, { timer: undefined, cancel: new AbortController(), list: null, frame: 0 })
  setShown(view, layer, true)
  keepInUrl()
  panel.update(layer, null)
  void load(layer)
}

function hide(layer: DataLayer): void {
  const state = shown.get(layer.id)
  if (!state) return
  clearTimeout(state.timer)
  cancelAnimationFrame(state.frame)
  state.cancel.abort()
  shown.delete(layer.id)
  setShown(view, layer, false)
  keepInUrl()
  panel.update(layer, null)
}

/** Requests the list of a layer, shows it, and plans the next request. */
async function load(layer: DataLayer): Promise<void> {
  const state = shown.get(layer.id)
  if (!state) return
  clearTimeout(state.timer)
  state.cancel.abort()
  state.cancel = new AbortController()
  const { signal } = state.cancel
  let wait_s = layer.every_s
  try {
    const list = await askLayer(layer, { token, bbox: view.getBounds().toArray().flat(), signal })
    if (shown.get(layer.id) !== state) return
    draw(layer, state, list)
    panel.update(layer, { list })
  } catch (error) {
    if (signal.aborted) return
    const problem = error instanceof ApiProblem ? error : null
    wait_s = problem?.retry_s ?? (problem !== null && problem.status < 500 ? layer.every_s : RETRY_S)
    panel.update(layer, { problem: problem ?? new ApiProblem(0, { detail: String(error) }, null) })
  }
  state.timer = setTimeout(() => void load(layer), wait_s * 1000)
}

/** Draws a new list: features that were elsewhere before move to their new places. */
function draw(layer: DataLayer, state: Shown, list: Collection): void {
  const source = view.getSource<GeoJSONSource>(layer.id)
  const before = state.list
  state.list = list
  cancelAnimationFrame(state.frame)
  if (!source) return
  if (!layer.moves || before === null || still.matches) {
    void source.setData(list as GeoJSON.FeatureCollection)
    return
  }
  const began = performance.now()
  const step = (): void => {
    const share = Math.min(1, (performance.now() - began) / MOVE_MS)
    void source.setData(share === 1 ? (list as GeoJSON.FeatureCollection) : moved(before, list, share))
    if (share < 1) state.frame = requestAnimationFrame(step)
  }
  step()
}

/** Adds the sources and layers of data to the style, and their present content. */
function addData(): void {
  drawSigns(view, scheme())
  for (const layer of LAYERS) {
    addLayer(view, layer, shown.get(layer.id)?.list ?? null)
    setShown(view, layer, shown.has(layer.id))
  }
}

view.once('style.load', () => {
  addData()
  for (const layer of LAYERS) if (wanted.includes(layer.id) && isOpen(layer)) show(layer)
})
view.once('idle', () => {
  frame.dataset['state'] = 'ready'
})
dark.addEventListener('change', () => {
  view.setStyle(baseStyle(scheme(), location.origin), { diff: false })
  view.once('style.load', addData)
})
view.on('moveend', () => {
  for (const layer of LAYERS) if (layer.isByArea && shown.has(layer.id)) void load(layer)
  panel.relist()
})
view.on('click', (event) => {
  const [found] = view.queryRenderedFeatures(
    [
      [event.point.x - 6, event.point.y - 6],
      [event.point.x + 6, event.point.y + 6],
    ],
    { layers: clickable(view, LAYERS) },
  )
  const layer = found && LAYERS.find(({ id }) => id === found.source)
  if (found && layer) panel.open(layer, found.properties, [event.lngLat.lng, event.lngLat.lat])
})
view.on('mousemove', (event) => {
  const layers = clickable(view, LAYERS)
  view.getCanvas().style.cursor = layers.length > 0 && view.queryRenderedFeatures(event.point, { layers }).length > 0 ? 'pointer' : ''
})
