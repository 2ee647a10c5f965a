import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { tooManyStreams } from '../../auth/access-problems.ts'
import { cameByHttps, STRICT_TRANSPORT } from '../../auth/https.ts'
import type { KeyIndex, LiveKey } from '../../auth/keys/key-index.ts'
import { type ContextParts, FULL_COST, RequestContext } from '../../auth/request-context.ts'
import { countRequest, type PathCounters, sendProblem } from '../../engine/replies/context-replies.ts'
import { queryReader } from '../../engine/request/request.ts'
import { EVENT_FILTERS, eventPredicate } from '../../events/filter.ts'
import { type Place, placeOf } from '../../events/shown.ts'
import { AS_TYPED, CORS_HEADERS, refuseLongUrl } from '../../kernel/http/headers.ts'
import { param } from '../../kernel/params/params.ts'
import { instantParam } from '../../kernel/params/params-time.ts'
import { InvalidParam, problem } from '../../kernel/problems.ts'
import type { Stream, StreamHub } from './hub.ts'

/** The path of the stream of events. */
export const STREAM_PATH = '/api/stream'
/** The domain of its group of paths. */
export const STREAM_DOMAIN = 'service'
const PLAN = 'PRO'
/** Time between two checks whether a key still works, in ms: mostly this process knows it. */
const KEY_LOOK_MS = 1000

/** The parameters of the stream. */
export const STREAM_PARAMS = {
  ...EVENT_FILTERS,
  since: instantParam('Begins with the events recorded from this time on, at most 24 hours back. `Last-Event-ID` takes precedence.'),
  last_event_id: param({
    about: 'As the header `Last-Event-ID`, for clients that cannot set it: continues after this event.',
    schema: { type: 'string', pattern: '^\\d{1,12}-\\d{1,9}$' },
    parse: readPlace,
    example: '1-0',
  }),
} as const

/** What the stream works with. */
export interface StreamParts extends ContextParts, PathCounters {
  readonly hub: StreamHub
  readonly keys: KeyIndex
  /** Returns the position in the log of the events recorded from an instant (ms) on. */
  readonly placeAt: (instant: number) => Promise<Place>
  readonly log: Pick<FastifyBaseLogger, 'warn'>
}

/** Registers the stream of events (server-sent events, WHATWG HTML §9.2). */
export function registerStream(app: FastifyInstance, parts: StreamParts): void {
  const readQuery = queryReader(STREAM_PARAMS)
  app.route({
    method: ['GET', 'HEAD'],
    url: STREAM_PATH,
    config: { counters: parts },
    handler: async (request, reply) => {
      const context = new RequestContext(parts, request.raw)
      try {
        await context.identify()
        context.needs(PLAN, STREAM_PATH)
        await context.charge(FULL_COST)
        refuseLongUrl(request.raw)
        const query = readQuery(request.raw.url ?? '/')
        refuseOtherTypes(request)
        await answer(request, reply, { ...parts, context: context, query })
      } catch (error) {
        await sendProblem(reply, parts, { context: context, error })
      }
    },
  })
  app.addHook('preClose', () => parts.hub.close())
}

type StreamRequest = StreamParts & {
  readonly context: RequestContext
  readonly query: ReturnType<ReturnType<typeof queryReader<typeof STREAM_PARAMS>>>
}

async function answer({ raw }: FastifyRequest, reply: FastifyReply, asked: StreamRequest): Promise<void> {
  const { context, query, limiter, placeAt, hub } = asked
  const { slot, terms, key } = context.caller
  const { last_event_id, since, ...filter } = query
  const header = raw.headers['last-event-id']
  const place = header === undefined ? last_event_id : readHeader(String(header))
  const from = place ?? (since === null ? null : await placeAt(since))
  const lease = raw.method === 'HEAD' ? null : await limiter.lease(`${slot} streams`, terms.streams)
  if (raw.method !== 'HEAD' && lease === null) throw tooManyStreams(terms.streams)
  reply.hijack()
  const { raw: response } = reply
  response.writeHead(200, {
    ...CORS_HEADERS,
    ...AS_TYPED,
    ...(cameByHttps(raw) ? STRICT_TRANSPORT : {}),
    ...context.headers(200),
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
  })
  countRequest(asked, context, 200)
  if (lease === null) {
    response.end()
    return
  }
  const account = key?.account ?? null
  const isChosen = eventPredicate(filter)
  const stream = hub.open({
    response,
    from,
    isWanted: (event) => (event.account === null || event.account === account) && isChosen(event),
  })
  const watch = setInterval(() => void endIfChanged(stream, String(raw.headers['x-api-key']), key, asked), KEY_LOOK_MS)
  void stream.ended.then(() => {
    clearInterval(watch)
    void lease.release()
  })
}

/** Ends a stream whose key no longer works, or has another plan. */
async function endIfChanged(stream: Stream, text: string, key: LiveKey | null, { keys, log }: StreamParts): Promise<void> {
  try {
    const found = await keys.lookUp(text)
    if (found.key?.plan !== key?.plan) stream.end('key-changed')
  } catch (err) {
    log.warn({ err }, 'the key of a stream cannot be looked up')
  }
}

const EXPECTED = 'expected the id of an event of this stream, such as 123-1'

function readPlace(text: string): Place {
  const place = placeOf(text)
  if (place) return place
  throw new InvalidParam(EXPECTED)
}

function readHeader(text: string): Place {
  const place = placeOf(text)
  if (place) return place
  const detail = `Last-Event-ID: ${EXPECTED}`
  throw problem('invalid-parameter', detail, { errors: [{ detail }] })
}

/** Refuses a request that does not accept a stream of events. */
function refuseOtherTypes({ raw }: FastifyRequest): void {
  const { accept } = raw.headers
  if (accept === undefined || /(^|,)\s*(text\/event-stream|text\/\*|\*\/\*)\s*(;(?!\s*q=0(\.0*)?\s*(,|$))[^,]*)?(,|$)/i.test(accept)) return
  throw problem('not-acceptable', 'The Accept header takes none of the media types of this path: text/event-stream.')
}
