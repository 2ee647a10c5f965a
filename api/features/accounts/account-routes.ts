import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type AccountParts, shown, shownOnce } from '../../auth/account-parts.ts'
import { accountScope, ownPagesOnly } from '../../auth/account-scope.ts'
import { ACCOUNT_LIMIT } from '../../auth/address-limit.ts'
import { type Authority, authorityOf } from '../../auth/authority.ts'
import { readBody } from '../../auth/bodies.ts'
import { makeKeyFor } from '../../auth/keys/make-key.ts'
import { NO_STORE } from '../../kernel/http/headers.ts'
import { shortened, ValidationErrors } from '../../kernel/http/validation-errors.ts'
import { languageOf } from '../../kernel/language.ts'
import { problem } from '../../kernel/problems.ts'
import { NEW_KEY_BODY, ROTATE_BODY } from './account-fields.ts'
import { type PageParts, registerAccountPages } from './account-pages.ts'
import { registerSignup, type SignupParts } from './signup.ts'
import { registerUsage } from './usage-routes.ts'

const HOUR_MS = 3_600_000
const MAX_BODY = 4096

/** What the paths of accounts work with. */
export type AccountsParts = SignupParts & PageParts

/** Registers the paths of accounts and keys: only for our own pages, never cached, and limited by address. */
export function registerAccounts(app: FastifyInstance, parts: AccountsParts): void {
  accountScope(app, parts, ACCOUNT_LIMIT, (scope) => {
    ownPagesOnly(scope, parts, (own) => {
      registerKeys(own, parts)
      registerUsage(own, parts)
    })
    registerAccountPages(scope, parts)
    registerSignup(scope, parts)
  })
}

function registerKeys(app: FastifyInstance, parts: AccountParts): void {
  const { access } = parts
  const { accounts } = access
  const config = { isSameOrigin: true }

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

  app.route({
    method: 'POST',
    url: '/api/keys',
    config,
    bodyLimit: MAX_BODY,
    handler: async (request, reply) => {
      refuseQuery(request)
      const { email, label } = readBody(request.body, NEW_KEY_BODY)
      const made = await makeKeyFor(parts, { raw: request.raw, email, label, language: languageOf(request.raw) })
      return await reply.code(201).headers(NO_STORE).send(shownOnce(made))
    },
  })

  app.route({
    method: ['GET', 'HEAD'],
    url: '/api/keys',
    config,
    handler: async (request, reply) => {
      const { account, only } = await authority(request)
      const keys = (await accounts.list(account)).filter(({ id }) => only === null || id === only)
      return reply.headers(NO_STORE).send({ keys: keys.map(shown) })
    },
  })

  app.route({
    method: 'POST',
    url: '/api/keys/:id/rotate',
    config,
    bodyLimit: MAX_BODY,
    handler: async (request, reply) => {
      const one = await keyToActOn(request)
      const { overlap_hours } = readBody(request.body, ROTATE_BODY)
      const { made, former } = await accounts.rotate({ ...one, overlap_ms: overlap_hours * HOUR_MS })
      return reply
        .code(201)
        .headers(NO_STORE)
        .send({ ...shownOnce(made), former: shown(former) })
    },
  })

  app.route({
    method: 'DELETE',
    url: '/api/keys/:id',
    config,
    bodyLimit: MAX_BODY,
    handler: async (request, reply) => reply.headers(NO_STORE).send(shown(await accounts.revoke(await keyToActOn(request)))),
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
