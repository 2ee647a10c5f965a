import type { Events } from '../../../lake/events/open.ts'
import type { Access } from '../../auth/access.ts'
import type { PathGroups } from '../../auth/usage/path-groups.ts'
import type { RequestLog } from '../../auth/usage/request-log.ts'
import type { Feature } from '../../engine/feature.ts'
import { ABOUT_FILTERS } from '../../events/filter.ts'
import { KEY_REFUSED, limitedOperation, PLAN_REFUSED, VALUE_REFUSED } from '../../kernel/openapi-operation.ts'
import { type Part, parameterPart, ref } from '../../kernel/openapi-parts.ts'
import { registerStream, STREAM_DOMAIN, STREAM_PARAMS, STREAM_PATH, type StreamParts } from './routes.ts'

/** An example of a stream. */
const EXAMPLE =
  'retry: 5000\nid: 812-0\n\nid: 812-1\nevent: incident.updated\ndata: {"id":"evt_…","type":"incident.updated","timestamp":"2026-01-02T12:23:28.413Z","data":{…}}\n\n'

/** Describes the stream of events. It is not a list, so it is not a declared endpoint. */
function streamPaths(): Part {
  return {
    [STREAM_PATH]: {
      get: limitedOperation('stream', ['Events as they happen, as server-sent events', 'Eventos según ocurren, como server-sent events'], {
        tags: [STREAM_DOMAIN, 'data'],
        about:
          'One event per message: `event` is its type, `data` the JSON that webhooks also send, `id` its position in the log. With `Last-Event-ID`, ' +
          'which browsers send automatically, a new connection continues after that event. Events of the last 24 hours are kept for that; ' +
          'after a longer break, the event `reset` reports that events are missing: reload the lists. A comment every 15 seconds keeps the ' +
          'connection open. A reader that is too slow, a revoked key and a changed plan end the stream. Opening it costs one request; ' +
          `/api/plans lists how many streams a key may have. ${ABOUT_FILTERS}`,
        plan: 'PRO',
        security: [{ ApiKey: [] }],
        parameters: [
          ...Object.entries(STREAM_PARAMS).map(([name, one]) => parameterPart(name, one, { inPath: false, example: undefined })),
          {
            ...{ name: 'Last-Event-ID', in: 'header', description: 'Continues after the event with this id.' },
            schema: { type: 'string', pattern: '^\\d{1,12}-\\d{1,9}$' },
          },
        ],
        replies: {
          200: {
            description: 'The stream.',
            headers: { 'X-Request-Id': ref('headers', 'RequestId') },
            content: { 'text/event-stream': { schema: { type: 'string' }, example: EXAMPLE } },
          },
        },
        problems: [...VALUE_REFUSED, 'malformed-request', ...KEY_REFUSED, ...PLAN_REFUSED, 'not-acceptable', 'uri-too-long', 'concurrency'],
      }),
    },
  }
}

/** What the feature works with. */
interface Parts extends Omit<StreamParts, 'keys' | 'placeAt' | 'count' | 'countReply'> {
  readonly access: Pick<Access, 'keys'>
  readonly events: Events
  readonly requests: RequestLog
  readonly groups: PathGroups
}

/** Events as they happen, by server-sent events. */
export const streamFeature: Feature<Parts> = {
  id: 'stream',
  register: (app, parts) =>
    registerStream(app, {
      ...parts,
      keys: parts.access.keys,
      placeAt: async (instant) => ({ batch: (await parts.events.log.before(instant)) + 1, number: 0 }),
      count: parts.requests.usageOf(STREAM_PATH),
      countReply: parts.groups.ofPath(STREAM_DOMAIN, STREAM_PATH),
    }),
  describe: () => ({ paths: streamPaths() }),
}
