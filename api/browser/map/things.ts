import type { Map as MapView } from 'maplibre-gl'
import { openCard } from './card.ts'
import { ask, isOpen } from './data.ts'
import { element, find, hashParams, keepInUrl, language, NARROW, offset, plansLink, textsIn } from './dom.ts'
import { middleOf, type Place } from './geometry.ts'
import type { DataLayer, Properties } from './layers/layer.ts'
import type { Overlays } from './overlays.ts'
import { type Collection, idOf } from './requests.ts'

/** What the cards work with. */
interface ThingParts {
  readonly view: MapView
  readonly token: string
  readonly overlays: Overlays
  /** True for a person who wants little motion. */
  readonly isStill: () => boolean
}

/** The cards of things on the map. */
export interface Things {
  /** Opens the card of a thing at a place, with what its own request adds, and its track. */
  open(layer: DataLayer, of: Properties, at: Place): void
  /** Opens the card that the URL names, once, if the list has its thing. */
  reopen(layer: DataLayer, list: Collection): void
  /** Keeps the ring around the thing whose card is open, where the map draws it now. */
  follow(layer: DataLayer, drawn: Collection): void
}

const thingOf = (list: Collection, id: string): GeoJSON.Feature | undefined =>
  list.features.find(({ properties }) => idOf(properties ?? {}) === id)

/** Opens the cards of things; the chosen one has a ring, and is in the URL. */
export function openThings({ view, token, overlays, isStill }: ThingParts): Things {
  const panel = find<HTMLDetailsElement>('panel')
  let wanted = hashParams().get('card')
  let chosen: { readonly layer: DataLayer; readonly id: string } | null = null
  const ring = (at: Place): void =>
    overlays.set('chosen', [{ type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [...at] } }])

  const open = (layer: DataLayer, of: Properties, at: Place): void => {
    const id = idOf(of)
    const path = layer.detail === null || id === null ? layer.path : `${layer.detail}${encodeURIComponent(id)}`
    let wasOpen = false
    const more = openCard({
      ...{ kind: layer.name[language], title: layer.title(of, language), lines: layer.lines(of, language), path, plan: layer.plan },
      board: layer.board?.(of) ?? null,
      onClose: () => {
        chosen = null
        overlays.set('track', [])
        overlays.set('chosen', [])
        keepInUrl('card', null)
        if (wasOpen) panel.open = true
      },
    })
    // On a phone the map has room for one of both.
    if (NARROW.matches) [wasOpen, panel.open] = [panel.open, false]
    ring(at)
    view.easeTo({ center: [at[0], at[1]], zoom: Math.max(view.getZoom(), 9), offset: offset(), animate: !isStill() })
    if (id === null) return
    chosen = { layer, id }
    keepInUrl('card', `${layer.id}:${id}`)
    if (layer.detail !== null)
      void ask<Properties>(`${path}?lang=${textsIn}`, token, { plan: layer.plan }).then((record) => {
        const text = record['description'] ?? record['text'] ?? record['address']
        if (typeof text === 'string' && text !== '' && !layer.board) more.append(element('p', {}, text))
      }, ignore)
    const { track, course } = layer
    if (!track && !course) return
    void import('./thing-history.ts').then(({ readTrack, courseOf }) => {
      if (track) readTrack(layer, id, token).then((lines) => more.isConnected && overlays.set('track', lines), ignore)
      if (course && !isOpen({ plan: 'PRO' }))
        more.append(element('p', { class: 'note' }, `${course.history[language]}: `, plansLink('PRO')))
      else if (course)
        courseOf(layer, id, token).then(
          (chart) => chart && more.append(chart),
          () => isOpen({ plan: 'PRO' }) || more.append(plansLink('PRO')),
        )
    })
  }
  return {
    open,
    reopen(layer, list) {
      if (!wanted?.startsWith(`${layer.id}:`)) return
      const thing = thingOf(list, wanted.slice(layer.id.length + 1))
      const at = thing && middleOf(thing.geometry)
      wanted = null
      if (thing && at) open(layer, (thing.properties ?? {}) as Properties, at)
    },
    follow(layer, drawn) {
      if (chosen?.layer !== layer || !layer.moves) return
      const at = middleOf(thingOf(drawn, chosen.id)?.geometry ?? null)
      if (at) ring(at)
    },
  }
}

const ignore = (): void => undefined
