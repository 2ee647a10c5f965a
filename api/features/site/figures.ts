import type { Redis } from 'ioredis'
import type { OwnAnswers } from '../../engine/answers/own-answers.ts'
import type { LocalText } from '../../kernel/language.ts'

/** A count at an instant (ms). */
export interface Reading {
  readonly at: number
  readonly count: number
}

/** A current number from our own API, with what is known of its last 24 hours. */
export interface Figure {
  /** The path that it comes from. */
  readonly path: string
  readonly label: LocalText
  /** Null if there is none at the moment. */
  readonly count: number | null
  /** Time of the data, as the API returns it; null if there is none. */
  readonly updated_at: string | null
  /** Readings of the last 24 hours, oldest first: by hour from the API, else every 15 minutes. */
  readonly history: readonly Reading[]
  /** What the history counts if that is not the number itself. */
  readonly historyLabel: LocalText | null
}

/** The numbers that are shown, all from free endpoints; `hours` is a path whose reply has the last 24 hours. */
const SHOWN = [
  { path: '/api/incidents', label: { es: 'incidencias activas', en: 'active incidents' } },
  {
    path: '/api/v16',
    label: { es: 'balizas V16 encendidas', en: 'V16 beacons lit' },
    hours: '/api/v16/stats',
    historyLabel: { es: 'encendidas por hora', en: 'lit by hour' },
  },
  { path: '/api/panels?has_message=true', label: { es: 'paneles con mensaje', en: 'panels with a message' } },
  { path: '/api/trenes/alertas', label: { es: 'avisos ferroviarios', en: 'rail alerts' } },
  { path: '/api/weather/alerts', label: { es: 'avisos meteorológicos', en: 'weather warnings' } },
  { path: '/api/gas-stations', label: { es: 'gasolineras con precio', en: 'filling stations with prices' } },
] as const satisfies readonly {
  readonly path: string
  readonly label: LocalText
  readonly hours?: string
  readonly historyLabel?: LocalText
}[]

/** Time between two readings that are remembered, and for how long, in ms. */
export const READING_MS = 15 * 60_000
const REMEMBERED_MS = 86_400_000

/** The hash of a figure in Redis: the first count of each quarter of an hour since the epoch, by the number of that quarter. */
const keyOf = (path: string): string => `site:figures:${path}`

/**
 * Makes the function that reads the current numbers and keeps the first of every 15 minutes for all processes; `clock` is in ms.
 * A number that is not available is null, and without Redis there is no history, without an error.
 */
export function figureReader(
  ask: OwnAnswers,
  { redis, clock }: { readonly redis: Redis; readonly clock: () => number },
): () => Promise<readonly Figure[]> {
  const remember = async (path: string, count: number): Promise<readonly Reading[]> => {
    const [at, key] = [clock(), keyOf(path)]
    await redis.hsetnx(key, String(Math.floor(at / READING_MS)), count)
    await redis.pexpire(key, REMEMBERED_MS)
    const all = Object.entries(await redis.hgetall(key)).map(([slot, text]) => ({ at: Number(slot) * READING_MS, count: Number(text) }))
    const old = all.filter((one) => one.at <= at - REMEMBERED_MS).map((one) => String(one.at / READING_MS))
    if (old.length > 0) await redis.hdel(key, ...old)
    const known = all.filter((one) => one.at > at - REMEMBERED_MS && one.at <= at - READING_MS).sort((one, other) => one.at - other.at)
    return [...known, { at, count }]
  }
  return () =>
    Promise.all(
      SHOWN.map(async (one): Promise<Figure> => {
        const { path, label } = one
        const historyLabel = 'historyLabel' in one ? one.historyLabel : null
        try {
          const { total, updated_at } = await ask(`${path}${path.includes('?') ? '&' : '?'}limit=1`)
          const count = total as number | null
          const own =
            'hours' in one
              ? await hourly(ask, one.hours).catch(() => [])
              : count === null
                ? []
                : await remember(path, count).catch(() => [])
          return { path, label, count, updated_at: updated_at as string | null, history: own, historyLabel }
        } catch {
          return { path, label, count: null, updated_at: null, history: [], historyLabel }
        }
      }),
    )
}

/** Reads the hours of a reply of statistics for all of Spain, without unknown ones and the last, which is not over. */
async function hourly(ask: OwnAnswers, path: string): Promise<readonly Reading[]> {
  const { stats } = await ask(path)
  const [{ hours } = { hours: [] }] = stats as readonly {
    readonly hours: readonly { readonly period_start: string; readonly activations: number | null }[]
  }[]
  return hours
    .slice(0, -1)
    .flatMap(({ period_start, activations }) => (activations === null ? [] : [{ at: Date.parse(period_start), count: activations }]))
}
