import { type WebhookState, writeWebhookState } from '../../../api/features/webhooks/state.ts'
import { exportedFileKey, listJobs, putOutcome } from '../../../lake/exports/jobs.ts'
import type { Reply } from '../service.ts'
import {
  type Ask,
  type Asks,
  added,
  exportAsks,
  filled,
  inClear,
  JSON_BODY,
  newKey,
  type Operation,
  type Services,
  send,
  someone,
} from './documented-requests.ts'

type Full = Pick<Services, 'full'>
type Headers = Readonly<Record<string, string>>

/** Most unfinished export jobs of a key. */
const MOST_JOBS = 20

/** Requests of an operation with one path, by headers and body. */
function asker({ method }: Operation, path: string) {
  const plain = (headers: Headers = {}, to = path): Ask => ({ path: to, method, headers: { ...someone(), ...headers } })
  const json = (body: unknown, headers: Headers = {}): Ask => ({ ...plain({ ...JSON_BODY, ...headers }), body: JSON.stringify(body) })
  return { plain, json }
}

/** An address that has used its limit. */
async function overLimit(url: string, path: string): Promise<Headers> {
  const headers = someone()
  while ((await send(url, { path, headers })).status !== 429);
  return headers
}

let busy: Promise<Headers> | null = null

/** Requests of export jobs and their files. */
export async function exportJobAsks(operation: Operation, { full }: Full): Promise<Asks> {
  const { operationId } = operation.spec
  const keyed = { 'X-API-Key': await newKey(full, 'ENTERPRISE') }
  const made = { dataset: 'incidents' }
  const create = async (headers: Headers, body: object = made): Promise<Reply> =>
    JSON.parse(String((await send(full.url, { path: '/api/export-jobs', method: 'POST', ...bodyOf(body, headers) })).body))
  const { id } = await create(keyed)
  if (operationId === 'export_jobs_by_id_files_by_file') return exportAsks(operation, { full }, await finishedFile(full, { id, keyed }))
  const path = filled(operation, { id })
  const { plain, json } = asker(operation, path)
  const write: Asks = { 413: [json('x'.repeat(20_000), keyed)], 415: [{ ...plain({ ...keyed, 'Content-Type': 'text/odd' }), body: 'x' }] }
  const own: Readonly<Record<string, () => Promise<Asks>>> = {
    export_jobs_create: async () => {
      const crowded = { 'X-API-Key': await newKey(full, 'ENTERPRISE') }
      for (let n = 0; n < MOST_JOBS; n++) await create(crowded)
      const repeated = { ...keyed, 'Idempotency-Key': 'twice' }
      await create(repeated)
      return {
        ...write,
        202: [json(made, keyed)],
        400: [json({}, keyed), { ...json(made, keyed), path: added(path, 'x=1') }],
        409: [json(made, crowded)],
        422: [json({ dataset: 'fuel_prices' }, repeated)],
      }
    },
    export_jobs_by_id_cancel: async () => write,
  }
  const unknown = operationId.startsWith('export_jobs_by_id') ? { 404: [plain(keyed, filled(operation, { id: 'exp_0' }))] } : {}
  return {
    200: [plain(keyed)],
    400: [plain(keyed, added(path, 'x=1'))],
    401: [plain(), plain({ 'X-API-Key': 'x' })],
    403: [plain({ 'X-API-Key': await newKey(full, 'FREE') }), plain(inClear())],
    405: [{ ...plain(), method: 'PUT' }],
    414: [plain(keyed, added(path, `lang=${'x'.repeat(17_000)}`))],
    429: [plain(await overLimit(full.url, path))],
    ...unknown,
    ...(await own[operationId]?.()),
  }
}

function bodyOf(body: object, headers: Headers): Pick<Ask, 'headers' | 'body'> {
  return { headers: { ...someone(), ...JSON_BODY, ...headers }, body: JSON.stringify(body) }
}

/** Ends a job with one file; returns the file's path, its signed path, and the key of the job. */
async function finishedFile(full: Services['full'], { id, keyed }: { readonly id: string; readonly keyed: Headers }) {
  const { store } = full.lake
  const [name, bytes] = ['incidents.parquet', Buffer.from('PAR1 of no rows')]
  const job = (await listJobs(store)).find((one) => one.id === id)
  if (!job) throw new Error(`no job ${id}`)
  await store.put(exportedFileKey({ id, attempt: 'one' }, name), bytes)
  const file = { name, bytes: bytes.length, sha256: '0'.repeat(64), rows: 0 }
  await putOutcome(store, job, { ended_at: Date.now(), attempt: 'one', snapshot: null, rows: 0, files: [file], reason: null })
  const { body } = await send(full.url, { path: `/api/export-jobs/${id}`, headers: { ...someone(), ...keyed } })
  const { pathname, search } = new URL(JSON.parse(String(body)).files[0].url)
  return { path: pathname, signed: pathname + search, keyed }
}

/** Requests of the stream of events. */
export async function streamAsks(operation: Operation, { full }: Full): Promise<Asks> {
  const path = filled(operation)
  const { plain } = asker(operation, path)
  const keyed = await full.keyed('ENTERPRISE')
  return {
    200: [plain(keyed)],
    400: [plain(keyed, added(path, 'nonsense_xyz=1'))],
    401: [plain(), plain({ 'X-API-Key': 'x' })],
    403: [plain({ 'X-API-Key': await newKey(full, 'FREE') }), plain(inClear())],
    405: [{ ...plain(), method: 'PATCH' }],
    406: [plain({ ...keyed, Accept: 'image/png' })],
    414: [plain(keyed, added(path, `lang=${'x'.repeat(17_000)}`))],
    429: [plain(await overLimit(full.url, path))],
  }
}

/** Requests of webhooks. */
export async function webhookAsks(operation: Operation, { full }: Full): Promise<Asks> {
  const { operationId, responses } = operation.spec
  const keyed = { 'X-API-Key': await newKey(full, 'ENTERPRISE') }
  const target = { url: 'https://example.org/hook' }
  const create = async (): Promise<string> =>
    JSON.parse(String((await send(full.url, { path: '/api/webhooks', method: 'POST', ...bodyOf(target, keyed) })).body)).id
  const id = await create()
  const delivery = 'dlv_00000000000000000000'
  await writeWebhookState(full.lake.store, id, stateWith(delivery))
  const path = filled(operation, { id, delivery })
  const { plain, json } = asker(operation, path)
  const now = Date.now()
  const period = { from: new Date(now - 3_600_000).toISOString(), to: new Date(now).toISOString() }
  const bodies: Readonly<Record<string, object>> = { webhooks_create: target, webhooks_by_id_change: {}, webhooks_by_id_replay: period }
  const body = bodies[operationId]
  const good = (headers: Headers, to = path): Ask => ({ ...(body ? json(body, headers) : plain(headers)), path: to })
  const once = { ...keyed, 'Idempotency-Key': operationId }
  /** The same Idempotency-Key with another body. */
  const reused = async (): Promise<Ask> => {
    await send(full.url, good(once))
    return json({ other: 1 }, once)
  }
  const isRotation = operationId === 'webhooks_by_id_rotate_secret'
  const ok = Object.keys(responses).find((status) => status.startsWith('2')) as string
  const unsafe = json({ url: 'https://10.0.0.1/hook' }, keyed)
  return {
    [ok]: [good(keyed, isRotation ? filled(operation, { id: await create() }) : path)],
    400: [good(keyed, added(path, 'x=1')), ...(body ? [json({ url: 1, from: 1 }, keyed)] : [])],
    401: [plain(), plain({ 'X-API-Key': 'x' })],
    403: [plain({ 'X-API-Key': await newKey(full, 'FREE') }), plain(inClear())],
    404: [good(keyed, filled(operation, { id: 'wh_00000000000000000000', delivery }))],
    405: [{ ...plain(), method: 'PUT' }],
    413: [json('x'.repeat(70_000), keyed)],
    415: [{ ...plain({ ...keyed, 'Content-Type': 'text/odd' }), body: 'x' }],
    // The secret of this one is rotated by the request whose key is reused.
    ...(isRotation ? { 409: [good(keyed)] } : {}),
    ...(responses[422]
      ? { 422: [operationId === 'webhooks_create' || operationId === 'webhooks_by_id_change' ? unsafe : await reused()] }
      : {}),
    429: [plain(await (busy ??= overLimit(full.url, '/api/webhooks')))],
  }
}

/** The progress of a webhook with a delivery. */
function stateWith(id: string): WebhookState {
  const delivery = {
    ...{ id, event_id: 'evt_1', type: 'incident.created', offset: '1-0', status: 'DELIVERED' as const, created_at: 0, attempts: 1 },
    ...{ last: null, next_at: null },
  }
  return {
    ...{ scanned: 0, isBehind: false, waiting: [], replay: null, failing_since: null, mailed_days: 0 },
    ...{ disabled_at: null, disabled_reason: null, deliveries: [delivery] },
  }
}
