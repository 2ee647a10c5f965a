import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify'
import { type AccountParts, shown, shownOnce } from '../../auth/account-parts.ts'
import { accountScope, ownPagesOnly } from '../../auth/account-scope.ts'
import { ACCOUNT_LIMIT } from '../../auth/address-limit.ts'
import { type Authority, authorityOf } from '../../auth/authority.ts'
import { readBody } from '../../auth/bodies.ts'
import { makeKeyFor } from '../../auth/keys/make-key.ts'
import { queryReader } from '../../engine/request/request.ts'
import { NO_STORE } from '../../kernel/http/headers.ts'
import { shortened, ValidationErrors } from '../../kernel/http/validation-errors.ts'
import { languageOf } from '../../kernel/language.ts'
import { problem } from '../../kernel/problems.ts'
import { NEW_KEY_BODY, ROTATE_BODY } from './account-fields.ts'
import { type PageParts, registerAccountPages } from './account-pages.ts'
import { registerSignup, type SignupParts } from './signup.ts'
import { USAGE_PARAMS, usageReport } from './usage-report.ts'

const HOUR_MS = 3_600_000
const MAX_BODY = 4096

/** What the paths of accounts work with. */
export type AccountsParts = SignupParts & PageParts

/** Registers the paths of accounts and keys: only for our own pages, never cached, and limited by address. */
export function registerAccounts(app: FastifyInstance, parts: AccountsParts): void {
  accountScope(app, parts, ACCOUNT_LIMIT, (scope) => {
    ownPagesOnly(scope, parts, (own) => registerKeys(own, parts))
    registerAccountPages(scope, parts)
    registerSignup(scope, parts)
  })
}

/** Registers the keys of an account and the report of their usage. Each path answers a JSON body that no cache keeps. */
function registerKeys(app: FastifyInstance, parts: AccountParts): void {
  const { access, usageDays, units, plans, clock } = parts
  const { accounts } = access
  const readUsage = queryReader(USAGE_PARAMS)

  /** Returns the account that a request may act on, and its key if it may act on that alone. */
  const authority = (request: FastifyRequest): Promise<Authority> => {
    refuseQuery(request)
    return authorityOf(request.raw, parts)
  }
  const keyToActOn = async (request: FastifyRequest): Promise<{ readonly account: string; readonly id: string }> => {
    const { account, only } = await authority(request)
    const { id } = request.params as { readonly id: string }
    if (only !== null && only !== id)
      throw problem('not-found', 'A key may act on itself only. For the other keys of your account, use the link that is mailed to you.')
    return { account, id }
  }
  const route = (method: HTTPMethods[], url: string, work: (request: FastifyRequest) => Promise<object>, status = 200): void => {
    app.route({
      ...{ method, url, config: { isSameOrigin: true }, bodyLimit: MAX_BODY },
      handler: async (request, reply) => {
        const body = await work(request)
        return reply.code(status).headers(NO_STORE).send(body)
      },
    })
  }

  const create = async (request: FastifyRequest): Promise<object> => {
    refuseQuery(request)
    const { email, label } = readBody(request.body, NEW_KEY_BODY)
    return shownOnce(await makeKeyFor(parts, { raw: request.raw, email, label, language: languageOf(request.raw) }))
  }
  route(['POST'], '/api/keys', create, 201)
  route(['GET', 'HEAD'], '/api/keys', async (request) => {
    const { account, only } = await authority(request)
    const keys = (await accounts.list(account)).filter(({ id }) => only === null || id === only)
    return { keys: keys.map(shown) }
  })
  const rotate = async (request: FastifyRequest): Promise<object> => {
    const one = await keyToActOn(request)
    const { overlap_hours } = readBody(request.body, ROTATE_BODY)
    const { made, former } = await accounts.rotate({ ...one, overlap_ms: overlap_hours * HOUR_MS })
    return { ...shownOnce(made), former: shown(former) }
  }
  route(['POST'], '/api/keys/:id/rotate', rotate, 201)
  route(['DELETE'], '/api/keys/:id', async (request) => shown(await accounts.revoke(await keyToActOn(request))))
  route(['GET', 'HEAD'], '/api/usage', async ({ raw }) => {
    const asked = readUsage(raw.url ?? '/')
    return await usageReport({ days: usageDays, units, accounts, plans, clock }, await authorityOf(raw, parts), asked)
  })
}

function refuseQuery({ raw }: FastifyRequest): void {
  const { searchParams } = new URL(raw.url ?? '/', 'http://localhost')
  const errors = new ValidationErrors()
  for (const name of searchParams.keys())
    errors.add('unknown-parameter', {
      parameter: shortened(name),
      detail: `There is no parameter ${shortened(name)}; this path has none.`,
    })
  errors.throwIfAny()
}
