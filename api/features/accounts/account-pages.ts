import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AccountParts } from '../../auth/account-parts.ts'
import { type BodyField, type BodyFields, type BodyValues, readBody, takeForms } from '../../auth/bodies.ts'
import type { Session } from '../../auth/sessions/tokens.ts'
import { LANGUAGES, type Language, languageOf } from '../../kernel/language.ts'
import { problem } from '../../kernel/problems.ts'
import type { SignedLinks } from '../exports/signed-links.ts'
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
const MAX_BODY = 4096

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

/** An action of a form with these members. It leads back to the account's page unless `work` has sent another. */
function action<F extends BodyFields>(
  fields: F,
  work: (form: Form, values: BodyValues<F>) => Promise<FastifyReply | void>,
): (form: Form) => Promise<FastifyReply> {
  return async (form) => {
    const { act: _, ...values } = readBody(form.body, { act: TEXT, ...fields })
    return (await work(form, values as unknown as BodyValues<F>)) ?? toPage(form.reply, form.language)
  }
}

/** The language that the URL of the page names, else the one that the browser prefers. Forms are sent to the same URL. */
function pageLanguage(raw: IncomingMessage): Language {
  const named = new URL(raw.url ?? '/', 'http://localhost').searchParams.get('lang')
  return LANGUAGES.find((one) => one === named) ?? languageOf(raw)
}

function toPage(reply: FastifyReply, language: Language): FastifyReply {
  return reply
    .code(303)
    .headers({ ...PAGE_HEADERS, Location: `${URL_PATH}?lang=${language}` })
    .send('')
}

/** What the page of an account works with. */
export interface PageParts extends AccountParts {
  readonly webhooks: WebhookOwner
  /** Makes the URLs of files of export jobs. */
  readonly links: Pick<SignedLinks, 'link'>
  readonly supportContact: string | null
  readonly upgradeUrl: () => string
}

/** Registers the page of an account: plain forms, which work without scripts. */
export function registerAccountPages(app: FastifyInstance, parts: PageParts): void {
  const { access, sessions, baseUrl, callerOf, webhooks, upgradeUrl } = parts
  const { accounts, attempts, tokens } = access
  const config = { isSameOrigin: true }
  const send = (reply: FastifyReply, html: string, status = 200): FastifyReply => reply.code(status).headers(PAGE_HEADERS).send(html)

  const mail = async ({ raw, body }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const language = pageLanguage(raw)
    const { email } = readBody(body, { act: TEXT, email: EMAIL })
    const wait_s = await attempts.take('mail-from-address', callerOf(raw))
    if (wait_s > 0) return send(reply.header('Retry-After', String(Math.ceil(wait_s))), askPage(language, baseUrl(), 'tooMany'), 429)
    const account = await accounts.nameOf(email)
    // Only the reader of an address's mail learns whether the address has keys.
    if (await accounts.contact(account))
      await access.mailLink({ reason: 'manage', email, account, language, page: `${baseUrl()}${URL_PATH}` })
    return send(reply, askPage(language, baseUrl(), 'asked'))
  }

  const open = async ({ raw, body }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { token } = readBody(body, { act: TEXT, token: TEXT })
    const session = await tokens.open(token)
    if (session === null) return send(reply, askPage(pageLanguage(raw), baseUrl(), 'ended'), 401)
    await accounts.confirm(session.account)
    reply.header('Set-Cookie', sessions.cookie(raw, session))
    return toPage(reply, pageLanguage(raw))
  }

  /** Returns a webhook of the account. The plan must include webhooks, as in the API. */
  const ownWebhook = async (account: string, id: string): Promise<Subscription> => {
    needsWebhookPlan(await accounts.list(account), { only: null, upgradeUrl: upgradeUrl() })
    return webhooks.find(account, id)
  }

  /** The actions in a session, by name. Those without a page of their own lead back to the account's. */
  const inSession: Readonly<Record<string, (form: Form) => Promise<FastifyReply>>> = {
    rotate: action({ id: TEXT, overlap_hours: HOURS }, async ({ account, language, reply }, { id, overlap_hours }) => {
      const { made } = await accounts.rotate({ account, id, overlap_ms: overlap_hours * HOUR_MS })
      return send(reply, newKeyPage(language, made))
    }),
    revoke: action({ id: TEXT }, async ({ account }, { id }) => void (await accounts.revoke({ account, id }))),
    'usage-mails': action({ wanted: WANTED }, ({ account }, { wanted }) => accounts.setUsageMails(account, wanted === 'yes')),
    'revoke-all': action({}, async ({ account, session, raw, reply }) => {
      await accounts.revokeAll(account)
      // The caller stays signed in, to be able to delete the account too: the day's mails may be used up.
      reply.header('Set-Cookie', sessions.cookie(raw, await tokens.endAll(session)))
    }),
    delete: action({ sure: SURE }, async ({ account, language, raw, reply }) => {
      // First, so that the owner can repeat a deletion that failed; and again for one that was made meanwhile.
      await webhooks.removeAll(account)
      await accounts.remove(account)
      await webhooks.removeAll(account)
      reply.header('Set-Cookie', sessions.cookie(raw, null))
      return send(reply, askPage(language, baseUrl(), 'removed'))
    }),
    'webhook-test': action({ id: TEXT }, async ({ account }, { id }) => void (await webhooks.test(await ownWebhook(account, id)))),
    'webhook-enabled': action({ id: TEXT, enabled: WANTED }, async ({ account }, { id, enabled }) => {
      await webhooks.setEnabled(await ownWebhook(account, id), enabled === 'yes')
    }),
    'webhook-redeliver': action({ id: TEXT, delivery: TEXT }, async ({ account }, { id, delivery }) => {
      await webhooks.redeliver(await ownWebhook(account, id), delivery)
    }),
    leave: action({}, async ({ session, raw, reply }) => {
      await tokens.endSessions(session)
      reply.header('Set-Cookie', sessions.cookie(raw, null))
    }),
  }

  void app.register(async (scope) => {
    takeForms(scope)
    scope.route({
      method: ['GET', 'HEAD'],
      url: URL_PATH,
      config,
      handler: async ({ raw }, reply) => {
        const language = pageLanguage(raw)
        const token = new URL(raw.url ?? '/', 'http://localhost').searchParams.get('token')
        if (token !== null)
          return (await tokens.peek(token)) === null
            ? send(reply, askPage(language, baseUrl(), 'ended'), 401)
            : send(reply, openPage(language, token))
        const { account } = (await sessions.of(raw)) ?? {}
        if (account === undefined) return send(reply, askPage(language, baseUrl()))
        return send(reply, accountPage(language, await accountView(parts, account)))
      },
    })
    scope.route({
      method: 'POST',
      url: URL_PATH,
      config,
      bodyLimit: MAX_BODY,
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
        const language = pageLanguage(request.raw)
        const session = await sessions.of(request.raw)
        if (session === null) return send(reply, askPage(language, baseUrl(), 'ended'), 401)
        return asked({ account: session.account, session, raw: request.raw, language, body, reply })
      },
    })
  })
}
