import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AccountParts } from '../../auth/account-parts.ts'
import { type BodyField, readBody, takeForms } from '../../auth/bodies.ts'
import type { Session } from '../../auth/sessions/tokens.ts'
import type { Language } from '../../kernel/language.ts'
import { languageOf } from '../../kernel/language.ts'
import { problem } from '../../kernel/problems.ts'
import { needsWebhookPlan, type WebhookOwner } from '../webhooks/owner.ts'
import type { Subscription } from '../webhooks/subscriptions.ts'
import { EMAIL, OVERLAP } from './account-fields.ts'
import { accountPage, askPage, newKeyPage, openPage, PAGE_HEADERS } from './account-html.ts'
import { accountView } from './account-view.ts'

/** The fields of a form on the account's page. */
interface Form {
  readonly account: string
  readonly session: Session
  readonly raw: IncomingMessage
  readonly language: Language
  readonly body: Readonly<Record<string, unknown>>
  readonly reply: FastifyReply
}

const URL_PATH = '/account'
const HOUR_MS = 3_600_000
const BODY_MOST = 4096

/** A member of a form that is a text. */
const TEXT: BodyField<string> = { expected: 'a text', read: (value) => (typeof value === 'string' ? value : undefined), isPrivate: true }
const WANTED: BodyField<string> = {
  expected: 'yes or no',
  read: (value) => (value === 'yes' || value === 'no' ? value : undefined),
  allowed: ['yes', 'no'],
}
const SURE: BodyField<string> = { expected: 'yes', read: (value) => (value === 'yes' ? value : undefined), allowed: ['yes'] }
/** Forms send numbers as text. */
const HOURS: BodyField<number> = {
  ...OVERLAP,
  read: (value) => (/^\d{1,3}$/.test(String(value)) ? OVERLAP.read(Number(value)) : undefined),
}

/** What the page of an account works with. */
export interface PageParts extends AccountParts {
  readonly webhooks: WebhookOwner
  readonly supportContact: string | null
  readonly upgradeUrl: () => string
}

/** Registers the page of an account: plain forms, which work without scripts. */
export function registerAccountPages(app: FastifyInstance, parts: PageParts): void {
  const { access, sessions, baseUrl, callerOf, webhooks, upgradeUrl } = parts
  const { accounts, attempts, tokens } = access
  const config = { isSameOrigin: true }
  const send = (reply: FastifyReply, html: string, status = 200): FastifyReply => reply.code(status).headers(PAGE_HEADERS).send(html)
  const toPage = (reply: FastifyReply): FastifyReply =>
    reply
      .code(303)
      .headers({ ...PAGE_HEADERS, Location: URL_PATH })
      .send('')

  const mail = async ({ raw, body }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const language = languageOf(raw)
    const { email } = readBody(body, { act: TEXT, email: EMAIL })
    const wait_s = await attempts.take('mail-from-address', callerOf(raw))
    if (wait_s > 0) return send(reply.header('Retry-After', String(Math.ceil(wait_s))), askPage(language, 'tooMany'), 429)
    const account = await accounts.nameOf(email)
    // Only the reader of an address's mail learns whether the address has keys.
    if (await accounts.contact(account))
      await access.mailLink({ reason: 'manage', email, account, language, page: `${baseUrl()}${URL_PATH}` })
    return send(reply, askPage(language, 'asked'))
  }

  const open = async ({ raw, body }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { token } = readBody(body, { act: TEXT, token: TEXT })
    const session = await tokens.open(token)
    if (session === null) return send(reply, askPage(languageOf(raw), 'ended'), 401)
    await accounts.confirm(session.account)
    reply.header('Set-Cookie', sessions.cookie(raw, session))
    return toPage(reply)
  }

  /** Returns a webhook of the account. The plan must include webhooks, as in the API. */
  const ownWebhook = async (account: string, id: string): Promise<Subscription> => {
    needsWebhookPlan(await accounts.list(account), { only: null, upgradeUrl: upgradeUrl() })
    return webhooks.find(account, id)
  }

  /** The actions in a session, by name. */
  const inSession: Readonly<Record<string, (form: Form) => Promise<FastifyReply>>> = {
    rotate: async ({ account, language, body, reply }) => {
      const { id, overlap_hours } = readBody(body, { act: TEXT, id: TEXT, overlap_hours: HOURS })
      const { made } = await accounts.rotate({ account, id, overlap_ms: overlap_hours * HOUR_MS })
      return send(reply, newKeyPage(language, made))
    },
    revoke: async ({ account, body, reply }) => {
      const { id } = readBody(body, { act: TEXT, id: TEXT })
      await accounts.revoke({ account, id })
      return toPage(reply)
    },
    'usage-mails': async ({ account, body, reply }) => {
      const { wanted } = readBody(body, { act: TEXT, wanted: WANTED })
      await accounts.setUsageMails(account, wanted === 'yes')
      return toPage(reply)
    },
    'revoke-all': async ({ account, session, raw, body, reply }) => {
      readBody(body, { act: TEXT })
      await accounts.revokeAll(account)
      // The caller stays signed in, to be able to delete the account too: the day's mails may be used up.
      reply.header('Set-Cookie', sessions.cookie(raw, await tokens.endAll(session)))
      return toPage(reply)
    },
    delete: async ({ account, language, raw, body, reply }) => {
      readBody(body, { act: TEXT, sure: SURE })
      // First, so that the owner can repeat a deletion that failed; and again for one that was made meanwhile.
      await webhooks.removeAll(account)
      await accounts.remove(account)
      await webhooks.removeAll(account)
      reply.header('Set-Cookie', sessions.cookie(raw, null))
      return send(reply, askPage(language, 'removed'))
    },
    'webhook-test': async ({ account, body, reply }) => {
      const { id } = readBody(body, { act: TEXT, id: TEXT })
      await webhooks.test(await ownWebhook(account, id))
      return toPage(reply)
    },
    'webhook-enabled': async ({ account, body, reply }) => {
      const { id, enabled } = readBody(body, { act: TEXT, id: TEXT, enabled: WANTED })
      await webhooks.setEnabled(await ownWebhook(account, id), enabled === 'yes')
      return toPage(reply)
    },
    'webhook-redeliver': async ({ account, body, reply }) => {
      const { id, delivery } = readBody(body, { act: TEXT, id: TEXT, delivery: TEXT })
      await webhooks.redeliver(await ownWebhook(account, id), delivery)
      return toPage(reply)
    },
    leave: async ({ session, raw, body, reply }) => {
      readBody(body, { act: TEXT })
      await tokens.endSessions(session)
      reply.header('Set-Cookie', sessions.cookie(raw, null))
      return toPage(reply)
    },
  }

  void app.register(async (scope) => {
    takeForms(scope)
    scope.route({
      method: ['GET', 'HEAD'],
      url: URL_PATH,
      exposeHeadRoute: false,
      config,
      handler: async ({ raw }, reply) => {
        const language = languageOf(raw)
        const token = new URL(raw.url ?? '/', 'http://localhost').searchParams.get('token')
        if (token !== null)
          return (await tokens.peek(token)) === null ? send(reply, askPage(language, 'ended'), 401) : send(reply, openPage(language, token))
        const { account } = (await sessions.of(raw)) ?? {}
        if (account === undefined) return send(reply, askPage(language))
        return send(reply, accountPage(language, await accountView(parts, account)))
      },
    })
    scope.route({
      method: 'POST',
      url: URL_PATH,
      config,
      bodyLimit: BODY_MOST,
      handler: async (request, reply) => {
        sessions.refuseForeign(request.raw)
        const body = (request.body ?? {}) as Readonly<Record<string, unknown>>
        const { act } = body
        if (act === 'mail') return mail(request, reply)
        if (act === 'open') return open(request, reply)
        const acts = ['mail', 'open', ...Object.keys(inSession)]
        const asked = typeof act === 'string' && Object.hasOwn(inSession, act) ? inSession[act] : undefined
        if (!asked)
          throw problem('invalid-parameter', `act: expected one of ${acts.join(', ')}`, {
            errors: [{ pointer: '/act', detail: 'act: expected a known act', allowed: acts }],
          })
        const language = languageOf(request.raw)
        const session = await sessions.of(request.raw)
        if (session === null) return send(reply, askPage(language, 'ended'), 401)
        return asked({ account: session.account, session, raw: request.raw, language, body, reply })
      },
    })
  })
}
