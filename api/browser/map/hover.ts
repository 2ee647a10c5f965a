import { type Map as MapView, Popup } from 'maplibre-gl'
import { boardElement } from './card.ts'
import { element, language } from './dom.ts'
import type { Place } from './geometry.ts'
import type { Properties } from './layers/layer.ts'
import type { Thing } from './panel.ts'

const popup = new Popup({
  closeButton: false,
  closeOnClick: false,
  className: 'hover',
  maxWidth: '20rem',
  offset: 10,
  focusAfterOpen: false,
})
let shown: GeoJSON.Feature['properties'] | undefined

/** Shows the title of a thing at its place, and what a message sign shows as the driver reads it; null hides it. */
export function showHover(view: MapView, thing: (Thing & { readonly at: Place }) | null): void {
  if (!thing) {
    popup.remove()
    shown = undefined
    return
  }
  const { layer, feature, at } = thing
  if (shown !== feature.properties) {
    shown = feature.properties
    const of = (feature.properties ?? {}) as Properties
    const board = layer.board?.(of)
    const [line = ''] = layer.lines(of, language)
    const title = element('p', {}, element('strong', {}, layer.title(of, language) || layer.name[language]))
    if (!board && line !== '') title.append(` ${line}`)
    popup.setDOMContent(element('div', {}, title, ...(board ? [boardElement(board)] : [])))
  }
  popup.setLngLat([at[0], at[1]])
  if (!popup.isOpen()) popup.addTo(view)
}
