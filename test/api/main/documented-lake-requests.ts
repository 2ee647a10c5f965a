import { randomUUID } from 'node:crypto'
import type { Reply, TestService } from '../service.ts'
import {
  type Ask,
  type Asks,
  added,
  badAsks,
  filled,
  inClear,
  JSON_BODY,
  newKey,
  type Operation,
  type Services,
  send,
  someone,
} from './documented-requests.ts'

/** Requests of the Iceberg catalogue. */
export async function lakeAsks(operation: Operation, { full, away }: Services): Promise<Asks> {
  const { method, spec } = operation
  const path = filled(operation)
  const body = spec.requestBody ? { body: '{}' } : {}
  const keyed = async (of: TestService, more: Readonly<Record<string, string>> = {}): Promise<Record<string, string>> => ({
    ...{ ...someone(), ...(await of.keyed('ENTERPRISE')), ...more },
    ...(spec.requestBody ? JSON_BODY : {}),
  })
  const ask = async (to: string, more: Readonly<Record<string, string>> = {}): Promise<Ask> => ({
    ...{ path: to, method, headers: await keyed(full, more), ...body },
  })
  const free = { ...JSON_BODY, ...someone(), 'X-API-Key': await newKey(full, 'FREE') }
  await send(full.url, { path, method, headers: free, ...body })
  const done = [await ask(path)]
  const isChecked = (spec.parameters ?? []).some((one: Reply) => one.name === 'snapshots' || one.name === 'pageSize')
  const wrong = spec.requestBody ? { ...(await ask(path)), body: '{' } : await ask(added(path, 'snapshots=x&pageToken=&pageSize=x'))
  return {
    ...badAsks(operation),
    200: done,
    204: done,
    304: [await ask(path, { 'If-None-Match': '*' })],
    // Without parameters only a malformed path is wrong, as everywhere.
    400: isChecked || spec.requestBody ? [wrong] : [],
    401: [{ path, method, headers: { ...JSON_BODY, ...someone(), 'X-API-Key': 'x' }, ...body }],
    403: [{ path, method, headers: { ...JSON_BODY, ...inClear() }, ...body }],
    404: [await ask(path.includes('/road') ? filled(operation, { namespace: 'nothing' }) : added(path, 'parent=nothing'))],
    413: [{ ...(await ask(path)), body: `"${'x'.repeat(2_000_000)}"` }],
    414: [await ask(added(path, `x=${'x'.repeat(17_000)}`))],
    415: [{ ...(await ask(path)), headers: await keyed(full, { 'Content-Type': 'text/odd' }), body: 'x' }].map((one) => ({
      ...{ ...one, headers: { ...one.headers, 'Content-Type': 'text/odd' } },
    })),
    429: [{ path, method, headers: free, ...body }],
    501: [await ask(`${path}/x/y`)],
    503: [{ path, method, headers: await keyed(away), ...body, to: 'away' }],
    ...(['lake_create_table', 'lake_commit', 'lake_drop_table'].includes(spec.operationId)
      ? await writeAsks(operation, { full, away })
      : {}),
  }
}

/** Requests of lake writers that change tables. */
async function writeAsks(operation: Operation, { full, away }: Pick<Services, 'full' | 'away'>): Promise<Asks> {
  const { method, spec } = operation
  const keyed = async ({ access }: TestService): Promise<Record<string, string>> => {
    const of = { email: `${randomUUID()}@example.org`, label: null, language: 'es', plan: 'ENTERPRISE', isLakeWriter: true } as const
    return { ...someone(), ...(spec.requestBody ? JSON_BODY : {}), 'X-API-Key': (await access.accounts.create(of)).key }
  }
  const path = filled(operation)
  const example = spec.requestBody?.content['application/json'].example
  const ask = async (to: string, body: object | null = example ?? null): Promise<Ask> => ({
    ...{ path: to, method, headers: await keyed(full) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const odd = async (): Promise<Ask> => ({ ...(await ask(path)), headers: { ...(await keyed(full)), 'Content-Type': 'text/odd' } })
  const unavailable: Ask = { ...(await ask(path)), headers: await keyed(away), to: 'away' }
  const nowhere = path.replace(/namespaces\/[^/]+/, 'namespaces/nothing')
  const create = async (name: string): Promise<void> => {
    const body = JSON.stringify({ name, schema: { type: 'struct', fields: [{ id: 1, name: 'id', type: 'string', required: false }] } })
    const to = '/lake/iceberg/v1/namespaces/own/tables'
    await send(full.url, { path: to, method: 'POST', headers: { ...(await keyed(full)), ...JSON_BODY }, body })
  }
  await create('checked')
  if (spec.operationId === 'lake_drop_table')
    return {
      ...{ 204: [await ask(path)], 400: [await ask(added(path, 'purgeRequested=x'))], 404: [await ask(`${path}_not`)] },
      415: [await odd()],
      // Only if the store fails.
      503: [],
    }
  const isCommit = spec.operationId === 'lake_commit'
  const good = isCommit ? { requirements: [], updates: [] } : { ...example, name: `made_${randomUUID().slice(0, 8)}` }
  return { 200: [await ask(path, good)], 404: [await ask(nowhere)], 409: [await ask(path)], 503: [unavailable] }
}
