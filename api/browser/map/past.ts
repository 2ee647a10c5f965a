import { ApiProblem, ask, isOpen } from './data.ts'
import { count, element, find, keepInUrl, language } from './dom.ts'
import { type At, during, type LevelSteps, levelsAt, livesOf, nameOf, placesAt, STEP_MS, STEPS } from './history.ts'
import type { DataLayer, PastList } from './layers/layer.ts'
import { type Collection, withParam } from './requests.ts'

/** What the slider works with. */
interface PastParts {
  readonly token: string
  readonly layers: readonly DataLayer[]
  readonly isShown: (layer: DataLayer) => boolean
  /** True for a person who wants little motion. */
  readonly isStill: boolean
  /** Shows lists of the past instead of the live ones, with what the panel says of each layer: null for one without a past. */
  readonly show: (lists: (layer: DataLayer) => Collection | null, noteOf: (layer: DataLayer) => string | null) => void
  /** Returns to the live lists. */
  readonly live: () => void
}

/** The slider of the last 24 hours. */
export interface Past {
  /** Opens or closes it; at an instant in ms, or at the present. */
  open(at: number | null): void
  /** Shows the layers that were added meanwhile. */
  refresh(): void
}

const WORDS = {
  es: {
    range: 'Hora de las últimas 24 horas',
    play: 'Reproducir',
    pause: 'Pausa',
    now: 'Ahora',
    isNow: 'ahora',
    cut: 'incompleto',
    plan: (plan: string) => `plan ${plan}`,
    from: (text: string) => `desde ${text}`,
    loading: 'cargando…',
    locked: 'El pasado necesita una clave PRO: escríbala en el panel.',
    hint: 'Incidencias, sensores y trenes, del lago. Las demás capas solo se conocen ahora.',
  },
  en: {
    range: 'Time within the last 24 hours',
    play: 'Play',
    pause: 'Pause',
    now: 'Now',
    isNow: 'now',
    cut: 'incomplete',
    plan: (plan: string) => `plan ${plan}`,
    from: (text: string) => `from ${text}`,
    loading: 'loading…',
    locked: 'The past needs a PRO key: enter it in the panel.',
    hint: 'Incidents, sensors and trains, from the lake. The other layers are known only now.',
  },
}[language]

/** Most pages of one list. */
const PAGES = 8
/** How long what was read of the past serves, in ms. */
const FRESH_MS = 300_000
/** Time between two steps while it plays, in ms. */
const PLAY_MS = 180

interface Read {
  readonly contentAt: At
  /** The first instant that the lake has, ms. */
  readonly from: number
  /** True if the lists have more pages than are read. */
  readonly isCut: boolean
  readonly at: number
}
type Loaded = Read | { readonly problem: string } | null

type Reply = Pick<Collection, 'features'> & {
  readonly sensors?: readonly LevelSteps[]
  readonly next_cursor?: string | null
  readonly meta?: { readonly covered_from?: string | null }
}

/** What the lists of a layer show at each instant. */
function contentOf(kind: PastList['kind'], then: readonly Reply[], now: readonly Reply[]): At {
  const [past, present] = [then, now].map((replies) => replies.flatMap(({ features }) => features ?? [])) as [
    GeoJSON.Feature[],
    GeoJSON.Feature[],
  ]
  if (kind === 'TRACKS') return placesAt(past)
  if (kind === 'LEVELS')
    return levelsAt(
      present,
      then.flatMap(({ sensors }) => sensors ?? []),
    )
  const lives = livesOf(past, present)
  return (at) => during(lives, at)
}

/** Opens the slider: one request or few per layer read the whole day, and moving it needs none. */
export function openPast({ token, layers, isShown, isStill, show, live }: PastParts): Past {
  const bar = find('past')
  const opener = find('past-open')
  const range = element('input', { type: 'range', min: '0', max: String(STEPS), step: '1', 'aria-label': WORDS.range })
  const label = element('output', { class: 'when' })
  const play = element('button', { type: 'button', class: 'quiet' })
  const toNow = element('button', { type: 'button', class: 'quiet' }, WORDS.now)
  const note = element('p', { class: 'note', role: 'status' })
  bar.replaceChildren(element('div', { class: 'controls' }, play, range, label, toNow), note)

  const loaded = new Map<string, Loaded>()
  /** The instant of the last step, ms. */
  let newest = Date.now()
  let playing: ReturnType<typeof setInterval> | undefined

  const instant = (): number => newest - (STEPS - Number(range.value)) * STEP_MS
  const isNow = (): boolean => Number(range.value) === STEPS

  const readList = async (path: string): Promise<Reply[]> => {
    const replies: Reply[] = []
    let cursor: string | null | undefined = ''
    while (typeof cursor === 'string' && replies.length < PAGES) {
      const page: Reply = await ask<Reply>(cursor === '' ? path : `${path}&cursor=${encodeURIComponent(cursor)}`, token, { plan: 'PRO' })
      replies.push(page)
      cursor = page.next_cursor
    }
    return replies
  }
  const read = async (layer: DataLayer): Promise<void> => {
    const { past } = layer
    if (!past) return
    const known = loaded.get(layer.id)
    if (known === null || (known && 'at' in known && Date.now() - known.at < FRESH_MS)) return
    if (!isOpen(past)) return void loaded.set(layer.id, { problem: WORDS.plan(past.plan) })
    loaded.set(layer.id, null)
    const from = new Date(newest - STEPS * STEP_MS).toISOString()
    try {
      const format = past.kind === 'LEVELS' ? 'json' : 'geojson'
      const [then, now] = await Promise.all([
        readList(withParam(past.then, `format=${format}&from=${from}`)),
        past.now === undefined ? [] : readList(withParam(past.now, 'format=geojson')),
      ])
      const first = Date.parse(then[0]?.meta?.covered_from ?? '')
      const isCut = [then, now].some((replies) => typeof replies.at(-1)?.next_cursor === 'string')
      loaded.set(layer.id, { contentAt: contentOf(past.kind, then, now), from: Number.isNaN(first) ? 0 : first, isCut, at: Date.now() })
    } catch (error) {
      loaded.set(layer.id, { problem: error instanceof ApiProblem ? error.message : String(error) })
    }
    if (!isNow()) draw()
  }

  const name = (): void => {
    const text = isNow() ? WORDS.isNow : nameOf(instant(), Date.now(), language)
    label.textContent = text
    range.setAttribute('aria-valuetext', text)
  }
  const explain = (): void => {
    const isLocked = layers.some(({ past }) => past && !isOpen(past))
    note.textContent = isLocked ? WORDS.locked : WORDS.hint
  }
  const draw = (): void => {
    const at = instant()
    const listOf = (layer: DataLayer): Collection | null => {
      const of = loaded.get(layer.id)
      return of && 'contentAt' in of && at >= of.from - STEP_MS ? of.contentAt(at) : null
    }
    explain()
    show(listOf, (layer) => {
      if (!layer.past) return null
      const of = loaded.get(layer.id)
      if (!of) return WORDS.loading
      if ('problem' in of) return of.problem
      if (at < of.from - STEP_MS) return WORDS.from(nameOf(of.from, Date.now(), language))
      return [count(of.contentAt(at).features.length), of.isCut ? WORDS.cut : ''].filter(Boolean).join(', ')
    })
  }
  const move = (): void => {
    name()
    keepInUrl('at', isNow() ? null : new Date(instant()).toISOString().replace(/:\d\d\.\d+Z$/, 'Z'))
    if (isNow()) return live()
    for (const layer of layers) if (isShown(layer)) void read(layer)
    draw()
  }
  const stop = (): void => {
    clearInterval(playing)
    playing = undefined
    play.textContent = '▶'
    play.setAttribute('aria-label', WORDS.play)
  }
  const start = (): void => {
    if (isNow()) range.value = '0'
    play.textContent = '❚❚'
    play.setAttribute('aria-label', WORDS.pause)
    playing = setInterval(
      () => {
        range.value = String(Number(range.value) + 1)
        move()
        if (isNow()) stop()
      },
      isStill ? 3 * PLAY_MS : PLAY_MS,
    )
    move()
  }
  play.addEventListener('click', () => (playing === undefined ? start() : stop()))
  range.addEventListener('input', () => {
    stop()
    move()
  })
  toNow.addEventListener('click', () => {
    stop()
    newest = Date.now()
    range.value = String(STEPS)
    move()
  })
  stop()

  return {
    open(at) {
      const isOpening = at !== null || bar.hidden
      bar.hidden = !isOpening
      opener.setAttribute('aria-expanded', String(isOpening))
      stop()
      newest = Date.now()
      const step = at === null ? STEPS : STEPS - Math.round((newest - at) / STEP_MS)
      range.value = String(Math.max(0, Math.min(STEPS, step)))
      explain()
      move()
      if (isOpening) range.focus({ preventScroll: true })
    },
    refresh() {
      for (const layer of layers) if (isShown(layer)) void read(layer)
      draw()
    },
  }
}
