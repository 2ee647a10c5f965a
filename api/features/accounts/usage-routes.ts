import type { FastifyInstance } from 'fastify'
import type { AccountParts } from '../../auth/account-parts.ts'
import { authorityOf } from '../../auth/authority.ts'
import { queryReader } from '../../engine/request/request.ts'
import { NO_STORE } from '../../kernel/http/headers.ts'
import { USAGE_PARAMS, usageReport } from './usage-report.ts'

const URL_PATH = '/api/usage'

/** Registers the report of usage. */
export function registerUsage(app: FastifyInstance, parts: AccountParts): void {
  const { access, usageDays, units, plans, clock } = parts
  const read = queryReader(USAGE_PARAMS)
  const { accounts } = access
  app.route({
    method: ['GET', 'HEAD'],
    url: URL_PATH,
    config: { isSameOrigin: true },
    handler: async ({ raw }, reply) => {
      const asked = read(raw.url ?? '/')
      const authority = await authorityOf(raw, parts)
      return reply.headers(NO_STORE).send(await usageReport({ days: usageDays, units, accounts, plans, clock }, authority, asked))
    },
  })
}
