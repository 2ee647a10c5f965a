import { openRedis } from '../../../lake/live/connect.ts'
import type { OwnAnswers } from '../../engine/answers/own-answers.ts'
import type { LocalText } from '../../kernel/language.ts'
import { type Figure, figureReader, READING_MS } from './figures.ts'
import { drawSpain, type SpainPicture } from './spain-picture.ts'

/** A request that the first page shows with its current reply. */
export interface ShownRequest {
  readonly title: LocalText
  /** Path and query: the reply is that of any caller. */
  readonly url: string
  /** The reply as JSON without most of `meta`; null if there is none at the moment. */
  readonly reply: string | null
}

/** What the first page shows of our own API. */
export interface HomeContent {
  readonly at: number
  readonly figures: readonly Figure[]
  readonly picture: SpainPicture
  readonly requests: readonly ShownRequest[]
}

/** Makes what the first page shows. */
export interface Home {
  content(): Promise<HomeContent>
  close(): void
}

/** How long numbers are shown before they are read again, in s; the picture and the replies twice as long. */
export const FRESH_S = 30

const REQUESTS = [
  {
    title: { es: 'Accidentes en carretera ahora', en: 'Accidents on roads now' },
    url: '/api/incidents?type=ACCIDENT&sort=-created_at&limit=1&fields=road,km,province,severity,lat,lon',
  },
  {
    title: { es: 'El gasóleo más barato de Madrid', en: 'The cheapest diesel in Madrid' },
    url: '/api/gas-stations/cheapest?fuel=DIESEL_A&province=Madrid&limit=1&fields=operator,address,municipality,price',
  },
  {
    title: { es: 'Trenes con retraso', en: 'Trains that are late' },
    url: '/api/trenes/alertas?kind=DELAY&limit=1&fields=train_number,origin,destination,delay_s',
  },
] as const

/** Opens what the first page shows; `clock` is in ms. Each number is read every 15 minutes, also without visitors. */
export function openHome(ask: OwnAnswers, { redisUrl, clock }: { readonly redisUrl: string; readonly clock: () => number }): Home {
  const redis = openRedis(redisUrl, { queueWhileAway: false })
  const figures = freshly(figureReader(ask, { redis, clock }), { fresh_ms: FRESH_S * 1000, clock })
  const picture = freshly(() => drawSpain(ask), { fresh_ms: 2000 * FRESH_S, clock })
  const requests = freshly(() => Promise.all(REQUESTS.map((one) => replied(ask, one))), { fresh_ms: 2000 * FRESH_S, clock })
  const timer = setInterval(() => void figures(), READING_MS)
  timer.unref()
  return {
    async content() {
      const [numbers, drawn, replies] = await Promise.all([figures(), picture(), requests()])
      return { at: clock(), figures: numbers, picture: drawn, requests: replies }
    },
    close() {
      clearInterval(timer)
      redis.disconnect()
    },
  }
}

async function replied(ask: OwnAnswers, { title, url }: (typeof REQUESTS)[number]): Promise<ShownRequest> {
  try {
    const { total, updated_at, next_cursor: _, meta, ...list } = await ask(url)
    const { stale, cadence_s } = meta as Readonly<Record<string, unknown>>
    return { title, url, reply: JSON.stringify({ total, updated_at, ...list, meta: { stale, cadence_s } }, null, 2) }
  } catch {
    return { title, url, reply: null }
  }
}

/** Returns a function that makes a value at most once in `fresh_ms`. */
function freshly<T>(
  make: () => Promise<T>,
  { fresh_ms, clock }: { readonly fresh_ms: number; readonly clock: () => number },
): () => Promise<T> {
  let made: { readonly at: number; readonly value: Promise<T> } | null = null
  return () => {
    const now = clock()
    if (!made || now < made.at || now - made.at >= fresh_ms) made = { at: now, value: make() }
    return made.value
  }
}
