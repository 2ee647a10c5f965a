import type { FastifyInstance, FastifyRequest } from 'fastify'
import { EVENT_DAYS } from '../../../lake/events/log.ts'
import type { Events } from '../../../lake/events/open.ts'
import type { Json } from '../../../lake/schema/columns.ts'
import { isoInstant } from '../../../lake/schema/time.ts'
import type { AccountParts } from '../../auth/account-parts.ts'
import { authorityOf } from '../../auth/authority.ts'
import { type BodyField, readBody } from '../../auth/bodies.ts'
import { sealed, unsealed } from '../../auth/keys/pepper.ts'
import { type RepeatableReply, writeOnce } from '../../engine/request/idempotency.ts'
import { queryReader } from '../../engine/request/request.ts'
import { NO_STORE } from '../../kernel/http/headers.ts'
import { readInstant } from '../../kernel/params/params-time.ts'
import { problem } from '../../kernel/problems.ts'
import { type DestinationRules, destinationOf } from './destination.ts'
import { filterSchema, readWebhookFilter } from './filter.ts'
import { needsWebhookPlan, type WebhookOwner } from './owner.ts'
import { type ShownWebhook, shownDelivery, shownWebhook } from './shown.ts'
import { readWebhookState } from './state.ts'
import { newSecret, rotated, rotationEnd, type Subscription, sealSecret, secretsOf, subscriptionId } from './subscriptions.ts'

/** What the paths of webhooks work with. */
export interface WebhookParts extends AccountParts {
  readonly events: Pick<Events, 'log'>
  readonly webhooks: WebhookOwner
  readonly destinations: DestinationRules
  readonly upgradeUrl: () => string
}

/** A request, and the account that it may act on. */
interface WebhookRequest {
  readonly request: FastifyRequest
  readonly account: string
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

const MAX_DESCRIPTION = 200
const NO_QUERY = queryReader({})

/** Makes a member optional, for changes. */
const optional = <T>(field: BodyField<T>): BodyField<T | null> => ({ ...field, fallback: null })
const instant = (description: string): BodyField<number> => ({
  expected: 'an instant such as 2026-01-02T12:00:00Z',
  read: (value) => {
    try {
      return typeof value === 'string' ? readInstant(value) : undefined
    } catch {
      return undefined
    }
  },
  schema: { type: 'string', format: 'date-time', description },
})

/** The body of a request for a webhook. */
export const NEW_WEBHOOK_BODY = Object.freeze({
  url: {
    expected: 'an https:// address',
    read: (value) => (typeof value === 'string' ? value : undefined),
    schema: {
      ...{ type: 'string', format: 'uri' },
      description: 'URL that events are sent to: https, port 443 or 8443, on the public internet or in a network that the operator allows.',
    },
  } satisfies BodyField<string>,
  description: {
    expected: `a text of up to ${MAX_DESCRIPTION} characters`,
    read: (value) => (typeof value === 'string' && value.length <= MAX_DESCRIPTION ? value : undefined),
    fallback: null,
    schema: { type: ['string', 'null'], maxLength: MAX_DESCRIPTION },
  } satisfies BodyField<string | null>,
  filter: {
    expected: 'an object of filters',
    read: (value) => (typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined),
    fallback: {},
    schema: filterSchema({ inRequest: true }),
  } satisfies BodyField<Readonly<Record<string, unknown>>>,
})

/** The body of a change. */
export const CHANGE_BODY = Object.freeze({
  url: optional(NEW_WEBHOOK_BODY.url),
  description: NEW_WEBHOOK_BODY.description,
  filter: optional<Readonly<Record<string, unknown>>>(NEW_WEBHOOK_BODY.filter),
  enabled: {
    expected: 'true or false',
    read: (value) => (typeof value === 'boolean' ? value : undefined),
    fallback: null,
    schema: { type: ['boolean', 'null'], description: 'False sends nothing; null changes nothing.' },
  } satisfies BodyField<boolean | null>,
})

/** The period whose events are sent again. */
export const REPLAY_BODY = Object.freeze({ from: instant('Start, inclusive; at most seven days ago.'), to: instant('End, exclusive.') })

/** Registers the paths of webhooks, in the scope of the account paths. */
export function registerWebhooks(app: FastifyInstance, parts: WebhookParts): void {
  const { access, lake, events, webhooks, destinations, upgradeUrl, clock } = parts
  const { store } = lake
  const { peppers } = access
  const config = { isSameOrigin: true }

  /** Returns the account that a request may act on. Its key or, in a session, one of its keys needs the plan. */
  const ownerOf = async ({ raw }: FastifyRequest): Promise<string> => {
    NO_QUERY(raw.url ?? '/')
    const { account, only } = await authorityOf(raw, parts)
    needsWebhookPlan(await access.accounts.list(account), { only, upgradeUrl: upgradeUrl() })
    return account
  }
  const find = ({ account, request }: WebhookRequest): Promise<Subscription> =>
    webhooks.find(account, (request.params as { readonly id: string }).id)
  const shown = async (subscription: Subscription): Promise<ShownWebhook> =>
    shownWebhook(subscription, await readWebhookState(store, subscription.id))
  const route = (method: string[], url: string, work: (asked: WebhookRequest) => Promise<Answer>): void => {
    app.route({
      method,
      url,
      config,
      handler: async (request, reply) => {
        const { status, body } = await work({ request, account: await ownerOf(request) })
        return reply.code(status).headers(NO_STORE).send(body)
      },
    })
  }
  /**
   * Registers a POST that happens once per Idempotency-Key, which determines `seed`. Its stored reply is encrypted, as it may
   * show a secret.
   */
  const post = (url: string, work: (asked: WebhookRequest, seed: string) => Promise<Answer>): void =>
    route(['POST'], url, async (asked) => {
      const { request, account } = asked
      const scope = `${account} POST ${request.raw.url ?? ''}`
      const header = request.headers['idempotency-key']
      const write = {
        header: header === undefined ? undefined : String(header),
        scope,
        payload: (request.body ?? null) as Json,
        now: clock(),
      }
      const seal = { encrypt: (text: string) => sealed(peppers, text, scope), decrypt: (text: string) => unsealed(peppers, text, scope) }
      return writeOnce(store, { ...write, seal }, async (seed) => ({ headers: {}, ...(await work(asked, seed)) }) as RepeatableReply)
    })

  post('/api/webhooks', async ({ request, account }, seed) => {
    const { url, description, filter } = readBody(request.body, NEW_WEBHOOK_BODY)
    const target = destinationOf(url, destinations)
    readWebhookFilter(filter)
    const [id, at] = [subscriptionId(account, seed), clock()]
    const secret = newSecret(peppers, id, seed)
    const made = await webhooks.add({
      ...{ id, account, url: target.href, description, filter, created_at: at, enabled: true, enabled_at: at },
      secrets: [sealSecret(peppers, secret, { id, at })],
      after: await events.log.head(),
    })
    return { status: 201, body: { ...(await shown(made)), secret } }
  })
  route(['GET', 'HEAD'], '/api/webhooks', async ({ account }) => {
    const found = (await webhooks.list(account)).map(({ subscription, state }) => shownWebhook(subscription, state))
    return { status: 200, body: { total: found.length, webhooks: found } }
  })
  route(['GET', 'HEAD'], '/api/webhooks/:id', async (asked) => ({ status: 200, body: await shown(await find(asked)) }))
  route(['PATCH'], '/api/webhooks/:id', async (asked) => {
    const found = await find(asked)
    // Without a body there is nothing to change.
    const body = asked.request.body ?? null
    const given = readBody(body, CHANGE_BODY)
    const isGiven = (name: string): boolean => Object.hasOwn(body as object, name)
    const url = given.url === null ? null : destinationOf(given.url, destinations).href
    const changed = await webhooks.change(found, (newest) => {
      const filter = isGiven('filter') ? (given.filter ?? {}) : newest.filter
      if (isGiven('filter') || given.enabled) readWebhookFilter(filter)
      return {
        ...newest,
        filter,
        ...(url === null ? {} : { url }),
        ...(isGiven('description') ? { description: given.description } : {}),
        ...(given.enabled === null ? {} : { enabled: given.enabled }),
        ...(given.enabled === true ? { enabled_at: clock() } : {}),
      }
    })
    return { status: 200, body: await shown(changed) }
  })
  route(['DELETE'], '/api/webhooks/:id', async (asked) => {
    await webhooks.remove(await find(asked))
    return { status: 204, body: undefined }
  })
  post('/api/webhooks/:id/test', async (asked, seed) => ({
    status: 202,
    body: { event_id: await webhooks.test(await find(asked), seed) },
  }))
  post('/api/webhooks/:id/rotate-secret', async (asked, seed) => {
    const found = await find(asked)
    const secret = newSecret(peppers, found.id, seed)
    const changed = await webhooks.change(found, (newest) => {
      // Another attempt at the same request may have stored it.
      if (secretsOf(peppers, newest, clock()).includes(secret)) return newest
      const end = rotationEnd(newest, clock())
      if (end !== null) throw problem('conflict', `The former secret is valid until ${isoInstant(end)}; rotate again after that.`)
      return { ...newest, secrets: rotated(newest.secrets, sealSecret(peppers, secret, { id: newest.id, at: clock() })) }
    })
    return { status: 200, body: { ...(await shown(changed)), secret } }
  })
  route(['GET', 'HEAD'], '/api/webhooks/:id/deliveries', async (asked) => {
    const state = await readWebhookState(store, (await find(asked)).id)
    const deliveries = (state?.deliveries ?? []).map(shownDelivery)
    return { status: 200, body: { total: deliveries.length, deliveries } }
  })
  post('/api/webhooks/:id/deliveries/:delivery/redeliver', async (asked) => {
    const { delivery } = asked.request.params as { readonly delivery: string }
    return { status: 202, body: shownDelivery(await webhooks.redeliver(await find(asked), delivery)) }
  })
  post('/api/webhooks/:id/replay', async (asked) => {
    const found = await find(asked)
    const { from, to } = readBody(asked.request.body, REPLAY_BODY)
    const oldest = clock() - EVENT_DAYS * 86_400_000
    if (from >= to || from < oldest) {
      const detail = `from: expected an instant before to, in the last ${EVENT_DAYS} days`
      throw problem('invalid-parameter', detail, { errors: [{ pointer: '/from', detail }] })
    }
    await webhooks.replay(found, { from, to })
    return { status: 202, body: { from: new Date(from).toISOString(), to: new Date(to).toISOString() } }
  })
}
