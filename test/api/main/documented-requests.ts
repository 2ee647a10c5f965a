import { type IncomingHttpHeaders, request } from 'node:http'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { requestOf } from '../../../api/engine/request/example-request.ts'
import type { BodyParam } from '../../../api/kernel/endpoint.ts'
import type { Plan } from '../../../lake/schema/dataset.ts'
import { openapi } from '../openapi.ts'
import type { Reply, TestService } from '../service.ts'

/** A request to send. */
export interface Ask {
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The service that receives the request; the full one by default. */
  readonly to?: keyof Services
}

/** A received reply. */
export interface Sent {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** An operation of the description. */
export interface Operation {
  readonly path: string
  readonly method: string
  readonly spec: Reply
}

/** The requests that provoke each documented status of an operation. */
export type Asks = Readonly<Record<string, readonly Ask[]>>

/** The description of the API. */
export const description = openapi(endpoints, 'https://api.example.org') as Reply

/** Every operation of the API. */
export const operations: readonly Operation[] = Object.entries<Reply>(description.paths).flatMap(([path, methods]) =>
  Object.entries<Reply>(methods).map(([method, spec]) => ({ path, method: method.toUpperCase(), spec })),
)

/**
 * Three services: one where a caller without a key, or with a FREE key, may send one request; one without any data yet; and one
 * that can read neither Redis nor its store.
 */
export interface Services {
  readonly full: TestService
  readonly bare: TestService
  readonly away: TestService
}

/** Sends a request, also one that a browser would not send. */
export function send(url: string, { path, method = 'GET', headers = {}, body }: Ask): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
    const sent = request(url, { path, method, headers: { ...headers, ...length }, agent: false }, (response) => {
      const parts: Buffer[] = []
      // A stream of events has no end.
      if (response.headers['content-type']?.startsWith('text/event-stream')) {
        response.on('error', () => undefined).destroy()
        return resolve({ status: response.statusCode as number, headers: response.headers, body: Buffer.alloc(0) })
      }
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () => resolve({ status: response.statusCode as number, headers: response.headers, body: Buffer.concat(parts) }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

let callers = 0
/** An unused address. */
export const someone = (): Record<string, string> => ({
  'X-Forwarded-For': `10.${callers >> 16}.${(callers >> 8) & 255}.${callers++ & 255}`,
})
/** The same by plain HTTP. */
export const inClear = (): Record<string, string> => ({ ...someone(), 'X-Forwarded-Proto': 'http' })
/** The header of a JSON body. */
export const JSON_BODY = { 'Content-Type': 'application/json' }
/** A path with a parameter more. */
export const added = (path: string, query: string): string => `${path}${path.includes('?') ? '&' : '?'}${query}`

/** A new key of a plan, of an account of its own. */
export async function newKey({ access }: TestService, plan: Plan): Promise<string> {
  const account = { email: `own${callers++}@example.org`, label: null, language: 'es', plan } as const
  return (await access.accounts.create(account)).key
}

/** A path with the examples of its parameters, except for the given ones. */
export function filled({ path, spec }: Operation, values: Readonly<Record<string, string>> = {}): string {
  return path.replaceAll(/\{(\w+)\}/g, (_whole, name) => values[name] ?? spec.parameters.find((one: Reply) => one.name === name).example)
}

/** Requests that every path refuses. */
export function badAsks(operation: Operation): Asks {
  const [path, { method }] = [filled(operation), operation]
  return {
    414: [{ path: added(path, `lang=${'x'.repeat(17_000)}`), method, headers: someone() }],
    417: [{ path, method, headers: { ...someone(), Expect: 'x' } }],
    431: [{ path, method, headers: { ...someone(), 'X-Long': 'x'.repeat(40_000) } }],
  }
}

const unknown = ({ spec }: Operation): Record<string, string> =>
  Object.fromEntries((spec.parameters ?? []).flatMap((one: Reply) => (one.in === 'path' ? [[one.name, 'nothing']] : [])))

/** Requests for data. */
export async function dataAsks(operation: Operation, { full, bare, away }: Services): Promise<Asks> {
  const { spec, method } = operation
  const path = spec['x-example-request'] as string
  const endpoint = endpoints.find((one) => one.path === operation.path) as (typeof endpoints)[number]
  const taken = method === 'POST' ? endpoint.takesBody : undefined
  const requested = (values: Record<string, string>): string => requestOf(endpoint, { ...values, ...(taken && { [taken.param]: null }) })
  const isFree = endpoint.plan === 'FREE'
  const key = async (): Promise<Record<string, string>> => ({ ...someone(), ...(await full.keyed('ENTERPRISE')) })
  /** With a key that allows one request. */
  const once = async (): Promise<Record<string, string>> => {
    const { key: text } = await full.access.accounts.create({ email: `once${callers}@example.org`, label: null, language: 'es' })
    return { ...someone(), 'X-API-Key': text }
  }
  const [spent, over] = [await once(), someone()]
  for (const headers of [spent, over]) await send(full.url, { path: added(path, 'nonsense_xyz=1'), headers })
  const types = Object.keys(spec.responses[200].content)
  const csv = requested({ format: 'csv' })
  const asks: Asks = {
    200: [
      ...(await Promise.all(types.map(async (type) => ({ path, headers: { ...(await key()), Accept: type } })))),
      ...(isFree ? [{ path, headers: someone() }] : []),
      {
        path: spec.parameters.some(({ name }: Reply) => name === 'limit') ? requested({ limit: '1' }) : path,
        headers: await key(),
      },
    ],
    304: [await key(), ...(isFree ? [someone()] : [])].map((headers) => ({ path, headers: { ...headers, 'If-None-Match': '*' } })),
    400: [await key(), ...(isFree ? [someone()] : [])].map((headers) => ({ path: added(path, 'nonsense_xyz=1'), headers })),
    401: [
      { path, headers: { ...someone(), 'X-API-Key': 'x' } },
      { path: isFree ? csv : path, headers: someone() },
    ],
    403: [
      { path: csv, headers: await once() },
      { path, headers: inClear() },
    ],
    404: [
      ...(path === requested(unknown(operation)) ? [] : [{ path: requested(unknown(operation)), headers: await key() }]),
      ...(endpoint.read.kind === 'system'
        ? []
        : [{ path, headers: { ...someone(), ...(await bare.keyed('ENTERPRISE')) }, to: 'bare' as const }]),
    ],
    406: [{ path, headers: { ...(await key()), Accept: 'image/png' } }],
    413: [{ path, headers: await key(), body: 'x' }],
    414: [{ path: added(path, `lang=${'x'.repeat(17_000)}`), headers: await key() }],
    429: [
      { path, headers: spent },
      { path, headers: over },
    ],
    503: [{ path, headers: { ...someone(), ...(await away.keyed('ENTERPRISE')) }, to: 'away' }],
  }
  return taken ? posted({ ...asks, 415: [{ path, headers: { ...(await key()), 'Content-Type': 'text/odd' } }] }, taken) : asks
}

/** The same requests by POST, with the body of the example, or one that is too long. */
function posted(asks: Asks, { mediaTypes, maxBytes, example }: BodyParam): Asks {
  const post = (ask: Ask, body: string): Ask => ({
    ...{ ...ask, method: 'POST', body },
    headers: { 'Content-Type': mediaTypes[0] as string, ...ask.headers },
  })
  const bodyFor = (status: string): string => (status === '413' ? 'x'.repeat(maxBytes + 1) : JSON.stringify(example))
  return Object.fromEntries(Object.entries(asks).map(([status, own]) => [status, own.map((ask) => post(ask, bodyFor(status)))]))
}

/** An address that exceeds its limit for descriptions and pages. */
const busy = someone()

/** Requests of pages and of descriptions. */
export async function platformAsks(operation: Operation, { full }: Pick<Services, 'full'>): Promise<Asks> {
  const path = filled(operation)
  const { spec } = operation
  const types = Object.keys(spec.responses[200].content)
  while ((await send(full.url, { path: '/health', headers: busy })).status !== 429);
  return {
    200: types.map((type) => ({ path, headers: { Accept: type } })),
    304: [{ path, headers: { 'If-None-Match': '*' } }],
    400: [{ path: added(path, 'nonsense_xyz=1') }],
    403: [{ path, headers: inClear() }],
    404: [{ path: filled(operation, unknown(operation)) }],
    405: [{ path, method: 'PATCH' }],
    406: [{ path, headers: { Accept: 'image/png' } }],
    429: [{ path, headers: busy }],
  }
}

/** Requests of the MCP server. */
export async function mcpAsks(operation: Operation, { full }: Pick<Services, 'full'>): Promise<Asks> {
  const { path, method } = operation
  const { example } = operation.spec.requestBody.content['application/json']
  const ask = (message: unknown, headers: Readonly<Record<string, string>> = {}): Ask => ({
    ...{ path, method, body: typeof message === 'string' ? message : JSON.stringify(message) },
    headers: { ...someone(), ...JSON_BODY, Accept: 'application/json, text/event-stream', ...headers },
  })
  const {
    403: inPlain,
    405: wrong,
    429: over,
  } = await platformAsks({ ...operation, spec: { responses: { 200: { content: {} } } } }, { full })
  return {
    200: [ask(example)],
    202: [ask({ jsonrpc: '2.0', method: 'notifications/initialized' })],
    400: [ask('{')],
    403: [ask(example, { Origin: 'https://other.example' }), ...(inPlain ?? []).map((one) => ({ ...one, method }))],
    405: wrong ?? [],
    406: [ask(example, { Accept: 'image/png' })],
    413: [ask(JSON.stringify({ ...example, params: { text: 'x'.repeat(2_000_000) } }))],
    415: [ask('x', { 'Content-Type': 'text/odd' })],
    429: (over ?? []).map((one) => ({ ...one, method })),
  }
}

/** A file to download: its path, its signed path, and headers with a key that may read it. */
interface ExportFile {
  readonly path: string
  readonly signed: string
  readonly keyed: Readonly<Record<string, string>>
}

async function firstFile(full: TestService): Promise<ExportFile> {
  const keyed = await full.keyed('ENTERPRISE')
  const { files } = (await (await fetch(`${full.url}/api/export/incidents`, { headers: keyed })).json()) as Reply
  const { pathname, search } = new URL(files[0].url)
  return { path: `/api/export/incidents/${files[0].file}`, signed: pathname + search, keyed }
}

/** Requests of files of exports: of a table by default. */
export async function exportAsks(_operation: Operation, { full }: Pick<Services, 'full'>, file?: ExportFile): Promise<Asks> {
  const { path, signed, keyed: key } = file ?? (await firstFile(full))
  const keyed = (more: Readonly<Record<string, string>> = {}): Record<string, string> => ({ ...someone(), ...key, ...more })
  const { key: free } = await full.access.accounts.create({ email: `export${callers}@example.org`, label: null, language: 'es' })
  const spent = someone()
  await send(full.url, { path: added(path, 'nonsense_xyz=1'), headers: spent })
  return {
    200: [
      { path, headers: keyed() },
      { path: signed, headers: someone() },
    ],
    206: [{ path, headers: keyed({ Range: 'bytes=0-3' }) }],
    304: [{ path, headers: keyed({ 'If-None-Match': '*' }) }],
    400: [{ path: added(path, 'nonsense_xyz=1'), headers: keyed() }],
    401: [
      { path, headers: someone() },
      { path, headers: { ...someone(), 'X-API-Key': 'x' } },
    ],
    403: [
      { path, headers: { ...someone(), 'X-API-Key': free } },
      { path, headers: inClear() },
    ],
    404: [{ path: path.replace(/[^/]+$/, 'nothing.parquet'), headers: keyed() }],
    405: [{ path, method: 'PATCH', headers: someone() }],
    410: [{ path: added(path, 'signature=nothing'), headers: someone() }],
    416: [{ path, headers: keyed({ Range: 'bytes=999999999-' }) }],
    429: [{ path: added(path, 'nonsense_xyz=1'), headers: spent }],
  }
}

/** Requests of accounts. */
export async function accountAsks(operation: Operation, { full }: Pick<Services, 'full'>): Promise<Asks> {
  const { spec, method } = operation
  const { accounts } = full.access
  const create = () => accounts.create({ email: `owner${callers++}@example.org`, label: null, language: 'es' })
  const [mine, revoked, spare] = [await create(), await create(), await create()]
  await accounts.revoke({ account: revoked.account, id: revoked.id })
  const keyed = { 'X-API-Key': mine.key }
  const session = await full.session(revoked.account)
  const path = filled(operation, { id: mine.id })
  const json = (body: object, headers: Readonly<Record<string, string>> = {}): Ask => ({
    ...{ path, method, headers: { ...someone(), ...JSON_BODY, ...headers }, body: JSON.stringify(body) },
  })
  const plain = (headers: Readonly<Record<string, string>> = {}, to = path): Ask => ({
    path: to,
    method,
    headers: { ...someone(), ...headers },
  })
  const email = (name: string): string => `${name}${callers++}@example.org`
  /** The last of these requests exceeds the limit. */
  const repeated = async (times: number, ask: Ask): Promise<Ask> => {
    for (let n = 1; n < times; n++) await send(full.url, ask)
    return ask
  }
  /** An address that has used its limit. */
  const overLimit = async (): Promise<Record<string, string>> => {
    const headers = someone()
    await repeated(31, { path: '/api/keys', headers })
    return headers
  }
  const [owned, crowded] = [await create(), email('crowded')]
  for (let n = 0; n < 3; n++) await accounts.create({ email: crowded, label: null, language: 'es' })
  const kept = {
    401: [plain(), plain({ 'X-API-Key': 'x' }), plain({ 'X-API-Key': revoked.key })],
    404: [plain(keyed, filled(operation, { id: spare.id }))],
  }
  const own: Readonly<Record<string, Asks>> = {
    keys_create: {
      201: [json({ email: email('new') })],
      400: [json({}), plain({}, added(path, 'x=1'))],
      422: [json({ email: crowded })],
      429: [await repeated(6, json({ email: email('often') }))],
    },
    keys_list: { ...kept, 200: [plain(keyed), plain(session)], 400: [plain(keyed, added(path, 'x=1'))] },
    keys_by_id_rotate: {
      ...kept,
      201: [json({}, keyed)],
      400: [json({ overlap_hours: -1 }, { 'X-API-Key': mine.key })],
      409: [plain(session, filled(operation, { id: revoked.id }))],
    },
    keys_by_id_revoke: {
      ...kept,
      200: [plain({ 'X-API-Key': owned.key }, filled(operation, { id: owned.id }))],
      400: [plain(keyed, added(path, 'x=1'))],
    },
    usage: {
      ...kept,
      200: [plain(keyed), plain(session)],
      400: [plain(keyed, added(path, 'x=1'))],
      404: [plain(keyed, added(path, `key=${spare.id}`))],
    },
  }
  const { operationId } = spec
  const mineOnly = own[operationId]
  if (!mineOnly) throw new Error(`${operationId}: nothing is known of what to ask`)
  return {
    403: [plain(inClear())],
    405: [{ ...plain(), method: 'PATCH' }],
    413: [{ ...plain({ ...JSON_BODY, ...keyed }), body: `"${'x'.repeat(5000)}"` }],
    415: [{ ...plain({ ...keyed, 'Content-Type': 'text/odd' }), body: 'x' }],
    ...mineOnly,
    429: [plain(await overLimit()), ...(mineOnly['429'] ?? [])],
  }
}
