import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { hasBody } from '../kernel/http/request-body.ts'
import { shortened } from '../kernel/http/validation-errors.ts'
import { problem } from '../kernel/problems.ts'
import type { AccountParts } from './account-parts.ts'
import { type AddressLimit, limitByAddress } from './address-limit.ts'

/** Methods that change nothing. */
const READS: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/** Registers paths of accounts: limited and counted by address, without compressed bodies. */
export function accountScope(
  app: FastifyInstance,
  parts: AccountParts,
  limit: AddressLimit,
  register: (scope: FastifyInstance) => void,
): void {
  void app.register(async (scope) => {
    limitByAddress(scope, parts, limit)
    parts.groups.take(scope, 'account', parts.callerOf)
    scope.addHook('preParsing', async ({ raw }) => refuseEncoded(raw))
    register(scope)
  })
}

/** Registers paths that take JSON and, with a session, no writes from pages of other sites. */
export function ownPagesOnly(
  app: FastifyInstance,
  { sessions }: Pick<AccountParts, 'sessions'>,
  register: (scope: FastifyInstance) => void,
): void {
  void app.register(async (scope) => {
    scope.removeContentTypeParser('text/plain')
    scope.addHook('preParsing', async ({ raw }) => {
      if (!READS.includes(raw.method ?? '')) sessions.refuseForeignSession(raw)
    })
    register(scope)
  })
}

/** Throws the problem of a compressed body. */
function refuseEncoded(raw: IncomingMessage): void {
  const encoding = raw.headers['content-encoding']?.trim().toLowerCase() ?? ''
  if (encoding === '' || encoding === 'identity' || !hasBody(raw)) return
  throw problem('unsupported-media-type', `The request body is encoded as ${shortened(encoding)}; send it without encoding.`, {
    headers: { 'Accept-Encoding': 'identity' },
  })
}
