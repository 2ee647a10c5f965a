import { rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readPlans } from '../../../api/auth/plans.ts'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { fillWithExamples, type Reply, startService } from '../service.ts'
import { exportJobAsks, streamAsks, webhookAsks } from './documented-job-requests.ts'
import { lakeAsks } from './documented-lake-requests.ts'
import {
  type Ask,
  type Asks,
  accountAsks,
  badAsks,
  dataAsks,
  description,
  exportAsks,
  mcpAsks,
  type Operation,
  operations,
  platformAsks,
  type Services,
  send,
} from './documented-requests.ts'

const MUCH = { minute: 1e9, day: 1e9, concurrency: 1e6 }
const ONCE = { minute: 1, day: 1 }
const plans = readPlans(JSON.stringify({ ANONYMOUS: ONCE, FREE: ONCE, PRO: MUCH, ENTERPRISE: MUCH }))

let services: Services
beforeAll(async () => {
  const full = await startService({ plans, proxies: '127.0.0.0/8', securityContact: 'mailto:security@example.org' })
  await fillWithExamples(full)
  const away = await startService({ proxies: '127.0.0.0/8' })
  await away.key('ENTERPRISE')
  await away.killRedis()
  // A loop: reading it fails, while a folder that is gone looks like an empty lake.
  const tables = join(away.shared.storeFolder, 'lake')
  await rm(tables, { recursive: true, force: true })
  await symlink(tables, tables)
  services = { full, bare: await startService({ proxies: '127.0.0.0/8' }), away }
}, 60_000)
afterAll(async () => {
  if (services) await Promise.all([services.full, services.bare, services.away].map((one) => one.close()))
})

/** Headers that HTTP defines for any reply and its content, or that address browsers or proxies: not in the description. */
const OF_ANY = [
  ...['date', 'connection', 'keep-alive', 'transfer-encoding', 'content-type', 'content-length', 'content-encoding', 'content-language'],
  ...['vary', 'cache-control', 'x-content-type-options', 'access-control-allow-origin', 'access-control-expose-headers'],
  'x-accel-buffering',
]
const OF_PAGES = ['content-security-policy', 'referrer-policy', 'cross-origin-opener-policy', 'permissions-policy']

/** The description of an operation's reply: one of its own or one that several share. */
function documented({ spec }: Operation, status: string): { readonly headers: Reply; readonly types: readonly string[] } {
  const { $ref, ...own } = spec.responses[status]
  const { headers = {}, content = {} } = $ref ? description.components.responses[$ref.split('/').at(-1)] : own
  return { headers, types: Object.keys(content) }
}

/** True for an operation whose replies are pages for people. */
function isPage({ spec }: Operation): boolean {
  return Object.values<Reply>(spec.responses).some(({ content = {} }) => Object.hasOwn(content, 'text/html'))
}

/** The defects of a reply, compared with its description. */
async function wrongIn(operation: Operation, status: string, ask: Ask): Promise<string[]> {
  const { headers, body, ...got } = await send(services[ask.to ?? 'full'].url, ask)
  if (String(got.status) !== status) return [`${got.status} in place of ${status}: ${body.toString('utf8', 0, 300)}`]
  const wrong: string[] = []
  const { headers: described, types } = documented(operation, status)
  // Generated clients compare the whole header of JSON with the media type; only texts have a charset.
  const type = headers['content-type']?.replace(/^(text\/[^;]+);.*/, '$1')
  if (types.length > 0 && !types.includes(type ?? '')) wrong.push(`${type} in place of ${types.join(' or ')}`)
  if (types.length === 0 && body.length > 0) wrong.push('a body')
  if (headers['cache-control'] === undefined) wrong.push('no Cache-Control')
  for (const [name, { $ref }] of Object.entries<Reply>(described)) {
    const { required = false, schema } = description.components.headers[$ref.split('/').at(-1)]
    const value = headers[name.toLowerCase()]
    if (value === undefined && required) wrong.push(`no ${name}`)
    if (value !== undefined && schema.type === 'integer' && !/^-?\d+$/.test(String(value))) wrong.push(`${name}: ${value}`)
  }
  const known = new Set([...OF_ANY, ...(isPage(operation) ? OF_PAGES : []), ...Object.keys(described).map((name) => name.toLowerCase())])
  for (const name of Object.keys(headers)) if (!known.has(name)) wrong.push(`${name}, of which nothing is said`)
  return wrong.map((one) => `${status} of ${ask.method ?? 'GET'} ${ask.path.slice(0, 100)}: ${one}`)
}

/** Paths of webhooks that may be sent again with their Idempotency-Key; a conflict needs two requests at the same time. */
const REPEATABLE = ['create', 'by_id_test', 'by_id_deliveries_by_delivery_redeliver', 'by_id_replay']
/** Statuses that take too long to provoke, or need a fault: tested where that is made. */
const NOT_PROVOKED = [
  ...[
    '408',
    '410',
    '500',
    'lake_drop_table 409',
    'ready 503',
    'usage 503',
    'export_by_dataset_by_file 302',
    'export_jobs_by_id_files_by_file 302',
  ],
  ...REPEATABLE.map((name) => `webhooks_${name} 409`),
]

function asksOf(operation: Operation): Promise<Asks> {
  const { tags } = operation.spec
  if (operation.path.startsWith('/api/export-jobs')) return exportJobAsks(operation, services)
  if (operation.path === '/api/stream') return streamAsks(operation, services)
  if (tags.includes('webhooks')) return webhookAsks(operation, services)
  if (endpoints.some(({ path }) => path === operation.path)) return dataAsks(operation, services)
  if (operation.path.startsWith('/lake/')) return lakeAsks(operation, services)
  if (tags.includes('export')) return exportAsks(operation, services)
  if (operation.spec.operationId === 'mcp') return mcpAsks(operation, services)
  return tags.includes('account') ? accountAsks(operation, services) : platformAsks(operation, services)
}

describe.each(operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))('%s', (_name, operation) => {
  test('answers with the headers and media types that are documented, and no others', async () => {
    const asks = { ...badAsks(operation), ...(await asksOf(operation)) }
    const wrong: string[] = []
    const missed: string[] = []
    for (const status of Object.keys(operation.spec.responses)) {
      if (!asks[status] && !NOT_PROVOKED.includes(status)) missed.push(`${operation.spec.operationId} ${status}`)
      for (const ask of asks[status] ?? []) wrong.push(...(await wrongIn(operation, status, ask)))
    }
    expect(wrong).toEqual([])
    expect(missed.filter((one) => !NOT_PROVOKED.includes(one))).toEqual([])
  })
})

test('a documented header is described once, and the headers of every reply of a kind are required', () => {
  const always = Object.entries<Reply>(description.components.headers).flatMap(([name, { required }]) => (required ? [name] : []))
  expect(always.sort()).toEqual(['Allow', 'CacheControl', 'DataAge', 'ETag', 'Location', 'RetryAfter', 'WWWAuthenticate'])
})

test('every operation documents its rate limit', () => {
  const silent = operations.filter(({ spec }) => !spec.responses[429])
  expect(silent.map(({ spec }) => spec.operationId)).toEqual([])
})
