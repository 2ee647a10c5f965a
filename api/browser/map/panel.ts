import type { Map as MapView } from 'maplibre-gl'
import { key } from '../key.ts'
import { type Cheapest, cheapestIn } from './cheapest.ts'
import { type ApiProblem, isOpen } from './data.ts'
import { count, element, find, hashParams, item, keepInUrl, language, plansLink } from './dom.ts'
import { middleOf, type Place } from './geometry.ts'
import { choose, chosenOf, type DataLayer, type Properties, span } from './layers/layer.ts'
import { legendOf } from './layers/legend.ts'
import type { Collection } from './requests.ts'

/** A thing of a layer. */
export interface Thing {
  readonly layer: DataLayer
  readonly feature: GeoJSON.Feature
}

/** What the panel works with. */
interface PanelParts {
  readonly view: MapView
  readonly layers: readonly DataLayer[]
  readonly isShown: (layer: DataLayer) => boolean
  readonly toggle: (layer: DataLayer, isOn: boolean) => void
  /** Requests a layer's list with what is chosen now. */
  readonly rechoose: (layer: DataLayer) => void
  readonly onKey: () => void
  /** Everything that is drawn, in the order of the layers. */
  readonly things: () => readonly Thing[]
  readonly open: (layer: DataLayer, of: Properties, at: Place) => void
  /** Shows the title of a thing on the map, or none. */
  readonly point: (thing: Thing | null) => void
  readonly mark: (cheapest: Cheapest | null) => void
}

/** The state of a layer: its list, why there is none, or what it has in the past. */
type LayerState =
  | { readonly list: Collection; readonly isLive: boolean }
  | { readonly problem: ApiProblem }
  | { readonly past: string | null }
  | null

/** The panel beside the map. */
export interface Panel {
  /** Shows the state of a layer; null if it is hidden. */
  update(layer: DataLayer, state: LayerState): void
  /** Lists what is visible now. */
  relist(): void
  /** Shows again which layers are locked. */
  lock(): void
}

const WORDS = {
  es: {
    ago: (text: string) => `hace ${text}`,
    each: (text: string) => `cada ${text}`,
    live: 'en directo',
    stale: 'anticuado',
    loading: 'cargando…',
    nothing: 'Nada de lo visible aquí.',
    more: (number: string) => `y ${number} más: acerque el mapa`,
    closer: 'acerque el mapa',
    waiting: 'todavía sin datos',
    noPast: 'solo ahora',
    cheapest: 'Lo más barato aquí',
  },
  en: {
    ago: (text: string) => `${text} ago`,
    each: (text: string) => `each ${text}`,
    live: 'live',
    stale: 'stale',
    loading: 'loading…',
    nothing: 'Nothing visible here.',
    more: (number: string) => `and ${number} more: zoom in`,
    closer: 'zoom in',
    waiting: 'no data yet',
    noPast: 'only now',
    cheapest: 'Cheapest here',
  },
}[language]

const LISTED = 40

/** A field to choose a value of a layer's list; the URL keeps it. */
function choiceField(choice: NonNullable<DataLayer['choice']>, onChoice: () => void): HTMLElement {
  choose(choice, hashParams().get(choice.param))
  const options = Object.entries(choice.values).map(([value, name]) => element('option', { value }, name[language]))
  const field = element('select', { 'aria-label': choice.name[language] }, ...options)
  field.value = chosenOf(choice)
  field.addEventListener('change', () => {
    choose(choice, field.value)
    keepInUrl(choice.param, field.value)
    onChoice()
  })
  return field
}

/** Opens the panel: switches of the layers with the age of their data, and the list of what is visible. */
export function openPanel(parts: PanelParts): Panel {
  const { view, layers, isShown, toggle, rechoose, onKey, things, open, point, mark } = parts
  const states = new Map<string, LayerState>()
  const notes = new Map<string, HTMLElement>()
  const boxes = new Map<string, HTMLInputElement>()
  const keys = new Map<string, HTMLElement | null>()
  const list = find('list')

  /** The text about a layer and its kind. */
  const noteOf = (layer: DataLayer): readonly [text: string, kind?: 'bad' | 'warn' | 'off'] => {
    const state = states.get(layer.id) ?? null
    if (!isShown(layer) || !isOpen(layer)) return ['']
    if (state === null) return [WORDS.loading]
    if ('past' in state) return state.past === null ? [WORDS.noPast, 'off'] : [state.past]
    if ('problem' in state) return state.problem.code === 'no-data-yet' ? [WORDS.waiting] : [state.problem.message, 'bad']
    const { features, updated_at, meta } = state.list
    const age = updated_at ? WORDS.ago(span(Math.max(0, (Date.now() - Date.parse(updated_at)) / 1000))) : WORDS.each(span(layer.every_s))
    const text = [count(features.length), state.isLive ? WORDS.live : age]
    if (view.getZoom() < (layer.from ?? 0)) text.push(WORDS.closer)
    return meta?.stale ? [[...text, WORDS.stale].join(', '), 'warn'] : [text.join(', ')]
  }
  const note = (layer: DataLayer): void => {
    const at = notes.get(layer.id)
    if (!at) return
    const [text, kind = ''] = noteOf(layer)
    const state = states.get(layer.id)
    // A link that is there keeps its focus.
    if (isOpen(layer)) at.textContent = text
    else if (!at.firstElementChild) at.replaceChildren(plansLink(layer.plan))
    at.className = `note ${kind}`
    const colours = keys.get(layer.id)
    for (const part of [colours, at.nextElementSibling]) if (part instanceof HTMLElement) part.hidden = !isShown(layer)
    at.title = isShown(layer) && !(state && 'list' in state && state.isLive) ? WORDS.each(span(layer.every_s)) : ''
    at.parentElement?.classList.toggle('faded', kind === 'warn' || kind === 'off')
  }
  const switches = find('layers')
  const drawSwitches = (): void => {
    switches.replaceChildren(
      ...layers.toReversed().map((layer) => {
        const isLocked = !isOpen(layer)
        const box = element('input', { type: 'checkbox', id: `layer-${layer.id}` })
        box.checked = isShown(layer) && !isLocked
        box.disabled = isLocked
        box.addEventListener('change', () => {
          toggle(layer, box.checked)
          note(layer)
        })
        const { sign, key: colours } = legendOf(layer)
        boxes.set(layer.id, box)
        keys.set(layer.id, colours)
        const text = element('span', { class: 'note' })
        notes.set(layer.id, text)
        const field = layer.choice ? choiceField(layer.choice, () => rechoose(layer)) : ''
        return element(
          'li',
          {},
          element('label', { for: `layer-${layer.id}` }, box, sign, layer.name[language]),
          text,
          field,
          colours ?? '',
        )
      }),
    )
    layers.forEach(note)
    find('forget').hidden = key.get() === null
  }

  const itemOf = ({ layer, feature }: Thing, at: Place): HTMLElement => {
    const of = (feature.properties ?? {}) as Properties
    const line = [layer.name[language], ...layer.lines(of, language), ...(layer.board?.(of)?.pages.map((lines) => lines.join(' ')) ?? [])]
    const button = item(layer.title(of, language), line.filter(Boolean).join(', '), () => open(layer, of, at))
    button.addEventListener('focus', () => button.matches(':focus-visible') && point({ layer, feature }))
    button.addEventListener('blur', () => point(null))
    return element('li', {}, button)
  }
  const relist = (): void => {
    // The list is not replaced below the focus of a person who goes through it by keyboard.
    if (list.contains(document.activeElement)) return
    const bounds = view.getBounds()
    const visible = things()
      .toReversed()
      .flatMap((thing) => {
        const at = middleOf(thing.feature.geometry)
        return at && view.getZoom() >= (thing.layer.from ?? 0) && bounds.contains([at[0], at[1]]) ? [{ thing, at }] : []
      })
    const cheapest = cheapestIn(visible.map(({ thing }) => thing))
    mark(cheapest)
    const items = visible.slice(0, LISTED).map(({ thing, at }) => itemOf(thing, at))
    const rest = visible.length - items.length
    const best = cheapest && visible.find(({ thing }) => thing.feature === cheapest.feature)
    list.replaceChildren(
      ...(best ? [element('li', { class: 'note best' }, WORDS.cheapest), itemOf(best.thing, best.at)] : []),
      ...items,
      ...(rest > 0 ? [element('li', { class: 'note' }, WORDS.more(count(rest)))] : []),
      ...(visible.length === 0 ? [element('li', { class: 'note' }, WORDS.nothing)] : []),
    )
  }

  const useKey = (own: string): void => {
    key.set(own)
    find<HTMLInputElement>('key').value = ''
    onKey()
    drawSwitches()
  }
  find<HTMLFormElement>('key-form').addEventListener('submit', (event) => {
    event.preventDefault()
    useKey(find<HTMLInputElement>('key').value.trim())
  })
  find('forget').addEventListener('click', () => useKey(''))
  setInterval(() => layers.forEach(note), 5000)
  drawSwitches()
  let isDue = false
  return {
    update(layer, state) {
      states.set(layer.id, state)
      const box = boxes.get(layer.id)
      if (box) box.checked = isShown(layer)
      note(layer)
      // Layers often arrive together.
      if (isDue) return
      isDue = true
      requestAnimationFrame(() => {
        isDue = false
        relist()
      })
    },
    relist() {
      layers.forEach(note)
      relist()
    },
    lock: drawSwitches,
  }
}
