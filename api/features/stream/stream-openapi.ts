import { ABOUT_FILTERS } from '../../events/filter.ts'
import { KEY_REFUSED, limitedOperation, PLAN_REFUSED, VALUE_REFUSED } from '../../kernel/openapi-operation.ts'
import { type Part, parameterPart, ref } from '../../kernel/openapi-parts.ts'
import { STREAM_DOMAIN, STREAM_PARAMS, STREAM_PATH } from './routes.ts'

/** An example of a stream. */
const EXAMPLE =
  'retry: 5000\nid: 812-0\n\nid: 812-1\nevent: incident.updated\ndata: {"id":"evt_…","type":"incident.updated","timestamp":"2026-01-02T12:23:28.413Z","data":{…}}\n\n'

/** Describes the stream of events. It is not a list, so it is not a declared endpoint. */
export function streamPaths(): Part {
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
