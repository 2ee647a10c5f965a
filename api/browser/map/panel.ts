import type { Map as MapView } from 'maplibre-gl'
import { type ApiProblem, ask, type Collection, isOpen, key } from './data.ts'
import type { DataLayer, Language, Properties } from './layers.ts'

/** What the panel works with. */
interface PanelParts {
  readonly view: MapView
  readonly token: string
  readonly layers: readonly DataLayer[]
  readonly isShown: (layer: DataLayer) => boolean
  readonly toggle: (layer: DataLayer, isOn: boolean) => void
  readonly onKey: () => void
  /** Everything that is loaded, in the order of the layers. */
  readonly features: () => readonly { readonly layer: DataLayer; readonly feature: GeoJSON.Feature }[]
}

/** The state of a layer: its list, or why there is none. */
type LayerState = { readonly list: Collection } | { readonly problem: ApiProblem } | null

/** The panel beside the map. */
export interface Panel {
  /** Shows the state of a layer; null if it is hidden. */
  update(layer: DataLayer, state: LayerState): void
  /** Lists what is visible now. */
  relist(): void
  /** Opens the card of a thing at a place (lon, lat). */
  open(layer: DataLayer, of: Properties, at: readonly [number, number]): void
}

const language: Language = document.documentElement.lang === 'en' ? 'en' : 'es'
const WORDS = {
  es: {
    plan: (plan: string) => `plan ${plan}`,
    ago: (text: string) => `hace ${text}`,
    stale: 'anticuado',
    loading: 'cargando…',
    nothing: 'Nada de lo visible aquí.',
    more: (count: string) => `y ${count} más: acerque el mapa`,
    request: 'La petición',
    copy: 'Copiar como curl',
    copied: 'Copiado',
    close: 'Cerrar',
    none: 'Sin resultados.',
    waiting: 'todavía sin datos',
  },
  en: {
    plan: (plan: string) => `plan ${plan}`,
    ago: (text: string) => `${text} ago`,
    stale: 'stale',
    loading: 'loading…',
    nothing: 'Nothing visible here.',
    more: (count: string) => `and ${count} more: zoom in`,
    request: 'The request',
    copy: 'Copy as curl',
    copied: 'Copied',
    close: 'Close',
    none: 'No results.',
    waiting: 'no data yet',
  },
}[language]

const LISTED = 40
const number = new Intl.NumberFormat(language, { useGrouping: 'always' })
const element = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string>> = {},
  ...content: readonly (Node | string)[]
): HTMLElementTagNameMap[K] => {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...content)
  return made
}
const find = <E extends HTMLElement>(id: string): E => document.getElementById(id) as E

/** Formats the age of data, given its time in ISO 8601. */
function ageOf(updated_at: string): string {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(updated_at)) / 1000))
  if (seconds < 90) return `${seconds} s`
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`
  return seconds < 129_600 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`
}

/** Opens the panel: switches of the layers with the age of their data, search, list and card. */
export function openPanel(parts: PanelParts): Panel {
  const { view, token, layers, isShown, toggle, onKey, features } = parts
  const states = new Map<string, LayerState>()
  const notes = new Map<string, HTMLElement>()
  const boxes = new Map<string, HTMLInputElement>()
  const card = find('card')
  const list = find('list')

  const note = (layer: DataLayer): void => {
    const state = states.get(layer.id)
    const at = notes.get(layer.id)
    if (!at) return
    at.className = 'note'
    if (!isOpen(layer)) at.textContent = WORDS.plan(layer.plan)
    else if (state === null || state === undefined) at.textContent = isShown(layer) ? WORDS.loading : ''
    else if ('problem' in state) {
      at.textContent = state.problem.code === 'no-data-yet' ? WORDS.waiting : state.problem.message
      at.className = state.problem.code === 'no-data-yet' ? 'note' : 'note bad'
    } else {
      const { features: all, updated_at, meta } = state.list
      const age = updated_at ? `, ${WORDS.ago(ageOf(updated_at))}` : ''
      at.textContent = `${number.format(all.length)}${age}${meta?.stale ? `, ${WORDS.stale}` : ''}`
      if (meta?.stale) at.className = 'note warn'
    }
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
        const swatch = element('span', { class: 'swatch', 'aria-hidden': 'true' })
        swatch.style.background = swatchOf(layer)
        boxes.set(layer.id, box)
        const text = element('span', { class: 'note' })
        notes.set(layer.id, text)
        return element('li', {}, element('label', { for: `layer-${layer.id}` }, box, swatch, layer.name[language]), text)
      }),
    )
    layers.forEach(note)
  }

  const relist = (): void => {
    const bounds = view.getBounds()
    const visible = features()
      .toReversed()
      .flatMap(({ layer, feature }) => {
        const at = middleOf(feature.geometry)
        return at && view.getZoom() >= (layer.from ?? 0) && bounds.contains(at) ? [{ layer, feature, at }] : []
      })
    const items = visible.slice(0, LISTED).map(({ layer, feature, at }) => {
      const of = (feature.properties ?? {}) as Properties
      const button = element('button', { type: 'button', class: 'item' }, element('strong', {}, layer.title(of)))
      button.append(element('span', {}, [layer.name[language], ...layer.lines(of, language)].filter(Boolean).join(', ')))
      button.addEventListener('click', () => open(layer, of, at))
      return element('li', {}, button)
    })
    const rest = visible.length - items.length
    list.replaceChildren(
      ...items,
      ...(rest > 0 ? [element('li', { class: 'note' }, WORDS.more(number.format(rest)))] : []),
      ...(visible.length === 0 ? [element('li', { class: 'note' }, WORDS.nothing)] : []),
    )
  }

  const open = (layer: DataLayer, of: Properties, at: readonly [number, number]): void => {
    const id = of['id'] ?? of['mmsi'] ?? of['icao24']
    const path = layer.detail === null || id === undefined ? layer.path : `${layer.detail}${encodeURIComponent(String(id))}`
    const copy = element('button', { type: 'button', class: 'quiet' }, WORDS.copy)
    copy.addEventListener('click', () => {
      void navigator.clipboard.writeText(`curl -H 'X-API-Key: …' '${location.origin}${path}'`).then(() => (copy.textContent = WORDS.copied))
    })
    const close = element('button', { type: 'button', class: 'quiet close', 'aria-label': WORDS.close }, '×')
    close.addEventListener('click', () => (card.hidden = true))
    const more = element('div', { class: 'more' })
    card.replaceChildren(
      close,
      element('p', { class: 'note' }, layer.name[language]),
      element('h2', {}, layer.title(of)),
      ...layer
        .lines(of, language)
        .filter(Boolean)
        .map((line) => element('p', {}, line)),
      more,
      element('p', { class: 'note' }, `${WORDS.request} `, element('code', {}, path)),
      copy,
    )
    card.hidden = false
    close.focus({ preventScroll: true })
    view.easeTo({ center: [at[0], at[1]], zoom: Math.max(view.getZoom(), 9) })
    if (layer.detail !== null && id !== undefined)
      void ask<Properties>(`${path}?lang=${language}`, token).then(
        (record) => {
          const text = record['description'] ?? record['text'] ?? record['address']
          if (typeof text === 'string' && text !== '') more.replaceChildren(element('p', {}, text))
        },
        () => undefined,
      )
  }

  const field = find<HTMLInputElement>('search')
  const hits = find('hits')
  let latest = 0
  const search = async (): Promise<void> => {
    const mine = ++latest
    const q = field.value.trim()
    if (q.length < 2) return hits.replaceChildren()
    interface Hit {
      readonly title: string
      readonly subtitle?: string | null
      readonly lat: number | null
      readonly lon: number | null
    }
    const { results } = await ask<{ readonly results: readonly Hit[] }>(
      `/api/search?q=${encodeURIComponent(q)}&limit=8&lang=${language}`,
      token,
    )
    if (mine !== latest) return
    const places = results.filter(({ lat }) => lat !== null)
    hits.replaceChildren(
      ...places.map(({ title, subtitle, lat, lon }) => {
        const button = element(
          'button',
          { type: 'button', class: 'item' },
          element('strong', {}, title),
          element('span', {}, subtitle ?? ''),
        )
        button.addEventListener('click', () => {
          hits.replaceChildren()
          view.flyTo({ center: [lon as number, lat as number], zoom: 12 })
        })
        return element('li', {}, button)
      }),
      ...(places.length === 0 ? [element('li', { class: 'note' }, WORDS.none)] : []),
    )
  }
  let typing: ReturnType<typeof setTimeout> | undefined
  field.addEventListener('input', () => {
    clearTimeout(typing)
    typing = setTimeout(() => void search().catch(() => undefined), 250)
  })
  find<HTMLFormElement>('search-form').addEventListener('submit', (event) => {
    event.preventDefault()
    void search().catch(() => undefined)
  })
  find<HTMLFormElement>('key-form').addEventListener('submit', (event) => {
    event.preventDefault()
    key.set(find<HTMLInputElement>('key').value.trim())
    drawSwitches()
    onKey()
  })
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') card.hidden = true
  })
  setInterval(() => layers.forEach(note), 5000)
  drawSwitches()
  return {
    update(layer, state) {
      states.set(layer.id, state)
      const box = boxes.get(layer.id)
      if (box) box.checked = isShown(layer)
      note(layer)
      relist()
    },
    relist,
    open,
  }
}

/** Returns the colour that stands for a layer: its own, or the first of its expression that is no grey. */
function swatchOf({ colour }: DataLayer): string {
  if (typeof colour === 'string') return colour
  return colour.flat().find((part): part is string => typeof part === 'string' && /^#(?!8593a0)/.test(part)) ?? 'currentColor'
}

/** Returns a place of a geometry for the list, as lon and lat; null for none. */
function middleOf(geometry: GeoJSON.Geometry | null): [number, number] | null {
  if (geometry === null || geometry.type === 'GeometryCollection') return null
  let at: unknown = geometry.coordinates
  while (Array.isArray(at) && Array.isArray(at[0])) at = at[Math.floor(at.length / 2)]
  return Array.isArray(at) ? [at[0] as number, at[1] as number] : null
}
