import { EVENT_TYPES, type EventType } from '../../../lake/events/types.ts'
import { col, orNull } from '../../../lake/schema/columns.ts'
import { INT32 } from '../../../lake/schema/json.ts'
import { bodySchema } from '../../auth/bodies.ts'
import { ABOUT_FILTERS } from '../../events/filter.ts'
import { dataSchema } from '../../events/kinds.ts'
import { nested } from '../../kernel/fields.ts'
import { BODY_REFUSED, jsonReply, KEY_REFUSED, limitedOperation, OWNER, VALUE_REFUSED } from '../../kernel/openapi-operation.ts'
import { IDEMPOTENCY_KEY, type Part, pathParameter, ref, type Summary, withGeometryRefs } from '../../kernel/openapi-parts.ts'
import type { ProblemCode } from '../../kernel/problems.ts'
import { exampleOf, wholeRecord } from '../../kernel/reads/shape.ts'
import { filterSchema } from './filter.ts'
import { CHANGE_BODY, NEW_WEBHOOK_BODY, REPLAY_BODY } from './routes.ts'
import { DELIVERY_STATES, WEBHOOK_STATES } from './state.ts'

const EXAMPLE_ID = 'wh_0f8b1c526d0e4c539a2b'
const EXAMPLE_DELIVERY = 'dlv_2b7f0d7f0b8a11c4d5e6'
const text = (description: string): Part => ({ type: 'string', description })
const instant = (description: string): Part => ({ type: 'string', format: 'date-time', description })

const NULLABLE = { nullable: true } as const
const FIELDS = Object.freeze({
  id: col.string(0, 'Id of the webhook.', { example: EXAMPLE_ID }),
  url: col.string(0, 'URL that events are sent to.', { format: 'uri', example: 'https://example.org/hook' }),
  description: col.string(0, 'Name given by its owner.', NULLABLE),
  filter: col.json(0, ABOUT_FILTERS, { example: { types: ['incident'], province: ['Madrid'] } }),
  status: col.string(0, 'FAILING: the last deliveries did not arrive. DISABLED: nothing is sent.', {
    ...{ values: WEBHOOK_STATES, example: 'ENABLED' },
  }),
  disabled_reason: col.string(
    0,
    'Why it is disabled: by its owner, by a reply 410, after five days of failures, by a change of plan, or because its filter has a value that no longer exists.',
    { nullable: true, values: ['by-owner', 'gone', 'failing', 'plan-changed', 'filter-invalid'] },
  ),
  disabled_at: col.instant(0, 'When the service disabled it.', NULLABLE),
  failing_since: col.instant(0, 'When deliveries began to fail.', NULLABLE),
  waiting: col.integer(0, 'Events that wait for an attempt, at most a few hundred; more wait in the log.', { example: 0 }),
  secret_rotated_at: col.instant(0, 'When its secret was made.', { example: '2026-01-02T12:00:00.000Z' }),
  created_at: col.instant(0, 'When it was made.', { example: '2026-01-02T12:00:00.000Z' }),
})
const TRIED_AT = '2026-01-02T12:23:28.413Z'
const DELIVERY_FIELDS = Object.freeze({
  id: col.string(0, 'Id of the delivery.', { example: EXAMPLE_DELIVERY }),
  event_id: col.string(0, 'Id of the event, which the receiver gets as `webhook-id`.', { example: 'evt_0123456789abcdef0123456789abcdef' }),
  type: col.string(0, 'Type of the event.', { example: 'incident.created' }),
  status: col.string(0, 'RETRYING: another attempt follows. FAILED: none does.', { values: DELIVERY_STATES, example: 'DELIVERED' }),
  attempts: col.integer(0, 'Attempts so far.', { example: 1 }),
  created_at: col.instant(0, 'When it was first tried.', { example: TRIED_AT }),
  next_attempt_at: col.instant(0, 'When it is tried again.', NULLABLE),
  last_attempt: nested.maybe('The last attempt.', {
    at: col.instant(0, 'When it began.', { example: TRIED_AT }),
    status: col.integer(0, 'Status of the reply; null without one.', orNull(204)),
    duration_ms: col.integer(0, 'How long it took.', { unit: 'ms', example: 41 }),
    error: col.string(0, 'Why it failed; null if it arrived.', NULLABLE),
  }),
})

/** The schemas of webhooks and their deliveries. */
export function webhookSchemas(): Part {
  const { properties, ...webhook } = wholeRecord(FIELDS)
  return {
    Webhook: { ...webhook, properties: { ...(properties as Part), filter: filterSchema({ inRequest: false }) } },
    WebhookDelivery: wholeRecord(DELIVERY_FIELDS),
  }
}

const SHOWN = exampleOf(FIELDS)
const DELIVERY = exampleOf(DELIVERY_FIELDS)
const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX'

const ABOUT_DISABLED = 'A disabled webhook answers 409.'

/** The paths of webhooks. */
export function webhookPaths(): Part {
  const withSecret = {
    allOf: [ref('schemas', 'Webhook')],
    required: ['secret'],
    properties: { secret: text('The secret, shown only once.') },
  }
  return {
    '/api/webhooks': {
      post: operation('webhooks_create', ['Make a webhook', 'Crear un webhook'], {
        about: `Events are sent as POST requests signed as Standard Webhooks 1.0.0 says, at least once, and in order for each thing. ${ABOUT_FILTERS}`,
        body: [bodySchema(NEW_WEBHOOK_BODY), { url: SHOWN['url'], filter: SHOWN['filter'] }],
        ok: [201, 'The webhook with its secret, shown once.', withSecret, { ...SHOWN, secret: SECRET }],
        isOnce: true,
        more: ['unsafe-webhook-url', 'webhook-limit-reached'],
        isAboutOne: false,
      }),
      get: operation('webhooks_list', ['The webhooks of the account', 'Los webhooks de la cuenta'], {
        ok: [200, 'All of them.', listOf('webhooks', 'Webhook'), { total: 1, webhooks: [SHOWN] }],
        isAboutOne: false,
        isRead: true,
      }),
    },
    '/api/webhooks/{id}': {
      get: operation('webhooks_by_id', ['One webhook', 'Un webhook'], {
        ok: [200, 'The webhook.', ref('schemas', 'Webhook'), SHOWN],
        isRead: true,
      }),
      patch: operation('webhooks_by_id_change', ['Change a webhook', 'Cambiar un webhook'], {
        about:
          'Absent members stay unchanged. `enabled: true` also enables a webhook that the service disabled. A new `url` gets waiting events at once.',
        body: [bodySchema(CHANGE_BODY), { enabled: true }],
        ok: [200, 'The webhook as it is now.', ref('schemas', 'Webhook'), SHOWN],
        more: ['unsafe-webhook-url'],
      }),
      delete: operation('webhooks_by_id_delete', ['Delete a webhook', 'Borrar un webhook'], { ok: [204, 'It is gone.', null, null] }),
    },
    '/api/webhooks/{id}/test': {
      post: operation('webhooks_by_id_test', ['Send a test event', 'Enviar un evento de prueba'], {
        about: `An event of the type \`webhook.test\`; its result is among the deliveries. ${ABOUT_DISABLED}`,
        ok: [
          202,
          'It will be sent.',
          { type: 'object', required: ['event_id'], properties: { event_id: text('Its id.') } },
          { event_id: 'evt_test_1' },
        ],
        isOnce: true,
      }),
    },
    '/api/webhooks/{id}/rotate-secret': {
      post: operation('webhooks_by_id_rotate_secret', ['Make a new secret', 'Crear un secreto nuevo'], {
        about: 'For 24 hours events are also signed with the former secret, and another rotation answers 409.',
        ok: [200, 'The webhook with its new secret, shown once.', withSecret, { ...SHOWN, secret: SECRET }],
        isOnce: true,
      }),
    },
    '/api/webhooks/{id}/deliveries': {
      get: operation('webhooks_by_id_deliveries', ['The last deliveries of a webhook', 'Las últimas entregas de un webhook'], {
        about: 'The last 100, newest first.',
        ok: [200, 'The deliveries.', listOf('deliveries', 'WebhookDelivery'), { total: 1, deliveries: [DELIVERY] }],
        isRead: true,
      }),
    },
    '/api/webhooks/{id}/deliveries/{delivery}/redeliver': {
      post: operation('webhooks_by_id_deliveries_by_delivery_redeliver', ['Send an event again', 'Enviar un evento otra vez'], {
        about: ABOUT_DISABLED,
        ok: [202, 'It will be sent under the same `webhook-id`.', ref('schemas', 'WebhookDelivery'), DELIVERY],
        isOnce: true,
        inPath: [pathParameter('delivery', 'Id of the delivery.', EXAMPLE_DELIVERY)],
      }),
    },
    '/api/webhooks/{id}/replay': {
      post: operation('webhooks_by_id_replay', ['Send the events of a period again', 'Enviar otra vez los eventos de un periodo'], {
        about: `Sends events of the period that match the filter, under their former \`webhook-id\`. ${ABOUT_DISABLED}`,
        body: [bodySchema(REPLAY_BODY), { from: '2026-01-02T12:00:00Z', to: '2026-01-02T13:00:00Z' }],
        ok: [
          202,
          'They will be sent.',
          { type: 'object', properties: bodySchema(REPLAY_BODY)['properties'] },
          { from: '2026-01-02T12:00:00.000Z', to: '2026-01-02T13:00:00.000Z' },
        ],
        isOnce: true,
      }),
    },
  }
}

/** Describes the messages that are sent: one for each event type. */
export function eventWebhooks(): Part {
  return Object.fromEntries(
    (Object.keys(EVENT_TYPES) as EventType[]).map((type) => [
      type,
      {
        post: {
          operationId: `event_${type.replace('.', '_')}`,
          tags: ['events'],
          summary: EVENT_TYPES[type],
          security: [],
          parameters: ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ({
            ...{ name, in: 'header', required: true, schema: { type: 'string' }, description: HEADERS[name] },
          })),
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['id', 'type', 'timestamp', 'data'],
                  properties: {
                    id: text('Id of the event; the same however often it is sent.'),
                    type: { type: 'string', const: type },
                    timestamp: instant('Time of the publication with the change, or of the event itself.'),
                    data: withGeometryRefs(dataSchema(type)),
                    omitted: {
                      type: 'array',
                      items: { type: 'string' },
                      description: 'Members of `data` that were left out because the message would exceed 20 kB.',
                    },
                    url: text('URL of the whole object, if members were left out.'),
                  },
                },
              },
            },
          },
          responses: { '2XX': { description: 'It arrived. Anything else is tried again; 410 disables the webhook.' } },
        },
      },
    ]),
  )
}

const HEADERS: Readonly<Record<string, string>> = {
  'webhook-id': 'Id of the event, the same for every attempt.',
  'webhook-timestamp': 'Time of the attempt, in seconds since 1970.',
  'webhook-signature': 'Signatures of id, timestamp and body, one for each valid secret.',
}

function listOf(name: string, schema: string): Part {
  return {
    type: 'object',
    required: ['total', name],
    properties: { total: INT32, [name]: { type: 'array', items: ref('schemas', schema) } },
  }
}

function operation(
  operationId: string,
  summary: Summary,
  one: {
    readonly about?: string
    readonly body?: readonly [schema: Part, example: unknown]
    readonly ok: readonly [status: number, description: string, schema: Part | null, example: unknown]
    readonly more?: readonly ProblemCode[]
    /** True if an Idempotency-Key may be sent. */
    readonly isOnce?: boolean
    readonly isAboutOne?: boolean
    /** True for a GET, whose body is not read. */
    readonly isRead?: boolean
    readonly inPath?: readonly Part[]
  },
): Part {
  const { about, body, ok, more = [], isOnce = false, isAboutOne = true, isRead = false, inPath = [] } = one
  const [status, description, schema, example] = ok
  return limitedOperation(operationId, summary, {
    ...{ tags: ['account', 'webhooks'], plan: 'ENTERPRISE', security: OWNER },
    ...(about ? { about } : {}),
    parameters: [
      ...(isAboutOne ? [pathParameter('id', 'Id of the webhook.', EXAMPLE_ID)] : []),
      ...inPath,
      ...(isOnce ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(body ? { body: { schema: body[0], example: body[1] } } : {}),
    replies: { [status]: schema ? jsonReply(description, schema, example) : { description } },
    problems: [
      ...[...VALUE_REFUSED, ...(isRead ? (['malformed-request'] as const) : BODY_REFUSED), ...KEY_REFUSED],
      ...(['plan-required', 'foreign-origin', 'https-required'] as const),
      ...(isAboutOne ? (['not-found'] as const) : []),
      ...more,
      ...(isOnce ? (['conflict', 'idempotency-key-reused'] as const) : []),
    ],
  })
}
