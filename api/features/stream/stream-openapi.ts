import { ABOUT_FILTERS } from '../../events/filter.ts'
import { LIMIT_HEADERS, limitedResponse, type Part, parameterPart, ref } from '../../kernel/openapi-parts.ts'
import { STREAM_DOMAIN, STREAM_PARAMS, STREAM_PATH } from './routes.ts'

/** An example of a stream. */
const EXAMPLE =
  'retry: 5000\nid: 812-0\n\nid: 812-1\nevent: incident.updated\ndata: {"id":"evt_…","type":"incident.updated","timestamp":"2026-01-02T12:23:28.413Z","data":{…}}\n\n'

/** Describes the stream of events. It is not a list, so it is not a declared endpoint. */
export function streamPaths(): Part {
  return {
    [STREAM_PATH]: {
      get: {
        operationId: 'stream',
        tags: [STREAM_DOMAIN, 'data'],
        summary: 'Events as they happen, as server-sent events',
        description:
          'One event per message: `event` is its type, `data` the JSON that webhooks also send, `id` its position in the log. With `Last-Event-ID`, ' +
          'which browsers send automatically, a new connection continues after that event. Events of the last 24 hours are kept for that; ' +
          'after a longer break, the event `reset` reports that events are missing: reload the lists. A comment every 15 seconds keeps the ' +
          'connection open. A reader that is too slow, a revoked key and a changed plan end the stream. Opening it costs one request; ' +
          `/api/plans lists how many streams a key may have. ${ABOUT_FILTERS}`,
        'x-plan': 'PRO',
        security: [{ ApiKey: [] }],
        parameters: [
          ...Object.entries(STREAM_PARAMS).map(([name, one]) => parameterPart(name, one, { inPath: false, example: undefined })),
          {
            ...{ name: 'Last-Event-ID', in: 'header', description: 'Continues after the event with this id.' },
            schema: { type: 'string', pattern: '^\\d{1,12}-\\d{1,9}$' },
          },
        ],
        responses: {
          200: {
            description: 'The stream.',
            headers: { 'X-Request-Id': ref('headers', 'RequestId'), ...LIMIT_HEADERS },
            content: { 'text/event-stream': { schema: { type: 'string' }, example: EXAMPLE } },
          },
          400: limitedResponse(['invalid-parameter', 'unknown-parameter', 'malformed-request']),
          401: ref('responses', '401'),
          403: ref('responses', '403'),
          405: ref('responses', '405'),
          406: ref('responses', '406Limited'),
          414: ref('responses', '414'),
          429: limitedResponse(['quota-exceeded', 'concurrency']),
        },
      },
    },
  }
}
