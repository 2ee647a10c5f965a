import { type GeoJSONSource, Map as MapView, NavigationControl, setWorkerUrl } from 'maplibre-gl'
import { baseStyle, MAINLAND } from './map/base.ts'
import { askLayer } from './map/data.ts'
import { count, element, fileUrl, language } from './map/dom.ts'
import { addLayer, drawSigns } from './map/draw.ts'
import type { DataLayer } from './map/layers/layer.ts'
import { LAYERS } from './map/layers/layers.ts'
import { coloursOf } from './map/layers/legend.ts'
import type { Collection } from './map/requests.ts'

setWorkerUrl(fileUrl('maplibre-gl-worker.js'))

/** The layers of the picture, by the class of their line in the legend. */
const SHOWN = { incident: 'incidents', beacon: 'v16' } as const
const WORDS = {
  es: {
    map: 'Mapa: incidencias y balizas ahora',
    canaries: 'Canarias en el mapa',
    ctrl: 'Use Ctrl y la rueda para acercar',
    touch: 'Use dos dedos para mover el mapa',
  },
  en: {
    map: 'Map: incidents and beacons now',
    canaries: 'The Canary Islands on the map',
    ctrl: 'Use Ctrl and the wheel to zoom',
    touch: 'Use two fingers to move the map',
  },
}[language]
const dark = matchMedia('(prefers-color-scheme: dark)')

/** Draws the live map over the still picture, and keeps it up to date. Rejects if there is no map: the picture stays then. */
export async function showLive(still: HTMLElement): Promise<void> {
  const { token } = (await (await fetch('/map/token')).json()) as { readonly token: string }
  await loadStyle()
  const frame = document.createElement('div')
  frame.className = 'live'
  still.before(frame)
  const scheme = dark.matches ? 'dark' : 'light'
  const view = new MapView({
    ...{
      container: frame,
      style: baseStyle(scheme, { origin: location.origin, font: fileUrl('overpass.woff2') }),
      bounds: MAINLAND,
      fitBoundsOptions: { padding: { top: 8, left: 8, right: 8, bottom: 24 } },
    },
    ...{ minZoom: 3.5, maxZoom: 12, dragRotate: false, pitchWithRotate: false, cooperativeGestures: true, attributionControl: false },
    locale: {
      'Map.Title': WORDS.map,
      'CooperativeGesturesHandler.WindowsHelpText': WORDS.ctrl,
      'CooperativeGesturesHandler.MacHelpText': WORDS.ctrl.replace('Ctrl', '⌘'),
      'CooperativeGesturesHandler.MobileHelpText': WORDS.touch,
    },
  })
  view.addControl(new NavigationControl({ showCompass: false }), 'top-right')
  await new Promise((resolve) => view.once('style.load', resolve))
  drawSigns(view)
  const layers = Object.entries(SHOWN).flatMap(([kind, id]) => {
    const layer = LAYERS.find((one) => one.id === id)
    return layer ? [{ kind, layer }] : []
  })
  for (const { layer } of layers) addLayer(view, layer, null)
  const load = async (): Promise<void> => {
    for (const { kind, layer } of layers) {
      const list = await askLayer(layer, { token, bbox: MAINLAND, signal: AbortSignal.timeout(30_000) }).catch(() => null)
      if (list === null) continue
      await view.getSource<GeoJSONSource>(layer.id)?.setData(list as GeoJSON.FeatureCollection)
      tellCount(still, kind, list)
    }
  }
  await load()
  view.once('idle', () => {
    frame.append(canaries(still))
    for (const { kind, layer } of layers) colourLegend(still, kind, layer)
    frame.classList.add('ready')
    still.tabIndex = -1
  })
  view.triggerRepaint()
  setInterval(() => document.hidden || void load(), 60_000)
  view.on('click', ({ lngLat: { lat, lng } }) => {
    location.href = `/map?lang=${language}#map=${Math.max(view.getZoom() + 2, 9).toFixed(1)}/${lat.toFixed(4)}/${lng.toFixed(4)}`
  })
}

/** The corner of the still picture that the map does not show, as a link to the map there. */
function canaries(still: HTMLElement): HTMLElement {
  const link = element('a', { class: 'canaries', href: `/map?lang=${language}#map=6.4/28.3/-15.7`, 'aria-label': WORDS.canaries })
  const drawn = still.querySelector('svg')?.cloneNode(true)
  if (drawn instanceof SVGElement) {
    drawn.setAttribute('viewBox', '2 336 128 62')
    link.append(drawn)
  }
  return link
}

/** Gives the legend, and the points of the picture, the colours of the map. */
function colourLegend(still: HTMLElement, kind: string, layer: DataLayer): void {
  const colours = coloursOf(layer)
  const sectors = colours.map((one, at) => `${one} ${(360 * at) / colours.length}deg ${(360 * (at + 1)) / colours.length}deg`)
  const [name, first] = [{ incident: '--signal-fill', beacon: '--bad' }[kind] ?? '', colours[0] ?? '']
  const figure = still.closest('figure')
  figure?.querySelector<HTMLElement>(`li.${kind}`)?.style.setProperty(name, `conic-gradient(${sectors})`)
  if (colours.length === 1) for (const drawn of figure?.querySelectorAll<SVGElement>(`path.${kind}`) ?? []) drawn.style.stroke = first
}

/** Writes the current count of a list into the legend of the picture. */
function tellCount(still: HTMLElement, kind: string, { features }: Collection): void {
  const shown = still.closest('figure')?.querySelector(`li.${kind}`)
  if (shown) shown.textContent = (shown.textContent ?? '').replace(/^\S+/, count(features.length))
}

/** Loads the stylesheet of the map, which no other part of the page needs. */
function loadStyle(): Promise<unknown> {
  const link = document.createElement('link')
  link.rel = 'stylesheet'
  link.href = fileUrl('maplibre-gl.css')
  const loaded = new Promise((resolve, reject) => {
    link.addEventListener('load', resolve)
    link.addEventListener('error', reject)
  })
  document.head.append(link)
  return loaded
}
