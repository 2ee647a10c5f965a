import type { Endpoint } from '../../../api/kernel/endpoint.ts'

/** Types of the description, which openapi-typescript writes beside the program. */
const SCHEMA = './schema.d.ts'
/** Entries of each list that are compared with its type. */
const FEW = 5

/** A request for data that a generated client makes. */
export interface ClientRequest {
  /** Its `operationId`. */
  readonly id: string
  /** Its first tag, by which clients group operations. */
  readonly tag: string
  /** Its path in the description. */
  readonly template: string
  /** Its path and query. */
  readonly path: string
  readonly returns: Endpoint['returns']
  /** A reply to it. */
  readonly reply: unknown
}

interface ParamSchema {
  readonly type?: string
  readonly items?: ParamSchema
}

/** The parts of the description that the program needs. */
export interface Description {
  readonly paths: Readonly<Record<string, { readonly get: { readonly parameters?: readonly DescribedParam[] } }>>
}

interface DescribedParam {
  readonly name: string
  readonly in: string
  readonly schema: ParamSchema
}

/** A program that makes the requests by openapi-fetch: it compiles only if the replies have the generated types. */
export function typescriptProgram(requests: readonly ClientRequest[], description: Description): string {
  return `import createClient from 'openapi-fetch'
import type { paths } from '${SCHEMA}'

const client = createClient<paths, 'application/json'>({
  baseUrl: process.env['API'] ?? '',
  headers: { 'X-API-Key': process.env['KEY'] ?? '', Accept: 'application/json' },
})
${ask('typescript')}
${requests.map((request) => askOf(request, description)).join('\n')}
${requests.map(({ template, reply }, at) => typedReply(`paths[${JSON.stringify(template)}]['get']['responses']['200']['content']['application/json']`, reply, at)).join('\n')}
${ending('typescript', requests.length)}`
}

function askOf(request: ClientRequest, description: Description): string {
  const { template, path, returns } = request
  const params = JSON.stringify(paramsOf(request, description))
  return `await ask(${JSON.stringify(path)}, client.GET(${JSON.stringify(template)}, { params: ${params} }), (data) => data.${memberOf(returns)})`
}

/** A program that makes the requests by a client of hey-api: it compiles only if the replies have the generated types. */
export function heyApiProgram(requests: readonly ClientRequest[], description: Description): string {
  const names = requests.map(({ id }) => camel(id))
  const asks = requests.map((request, at) => {
    const params = JSON.stringify(paramsOf(request, description)).replace(/^\{/, '{ client, ')
    return `await ask(${JSON.stringify(request.path)}, ${names[at]}(${params}), (data) => data.${memberOf(request.returns)})`
  })
  return `import { createClient } from './hey/client'
import { ${names.join(', ')} } from './hey'

const client = createClient({
  baseUrl: process.env['API'] ?? '',
  headers: { 'X-API-Key': process.env['KEY'] ?? '', Accept: 'application/json' },
})
${ask('hey-api')}
${asks.join('\n')}
${requests.map(({ reply }, at) => typedReply(`NonNullable<Awaited<ReturnType<typeof ${names[at]}<false>>>['data']>`, reply, at)).join('\n')}
${ending('hey-api', requests.length)}`
}

/** A reply as a literal of a type: a member that the type lacks, or of another type, does not compile. */
function typedReply(type: string, reply: unknown, at: number): string {
  return `export const reply${at}: ${type} = ${JSON.stringify(reply, (_name, value) => (Array.isArray(value) ? value.slice(0, FEW) : value))}`
}

/** The program's function that makes one request and reads a member of its reply. */
function ask(name: string): string {
  return `let failed = 0
async function ask<T>(what: string, asked: Promise<{ data?: T; error?: unknown }>, members: (data: T) => unknown): Promise<void> {
  const { data, error } = await asked
  if (error === undefined && data !== undefined && members(data) !== undefined) return
  failed += 1
  console.log('FAILED ${name}', what, JSON.stringify(error ?? null).slice(0, 300))
}
`
}

function ending(name: string, count: number): string {
  return `console.log(\`${name}: \${${count} - failed} of ${count} replies parsed\`)
process.exitCode = failed > 0 ? 1 : 0
`
}

/** The name of an operation as hey-api writes it: `trenes_by_id` becomes `trenesById`. */
function camel(id: string): string {
  return id.replaceAll(/_(\w)/g, (_whole, letter: string) => letter.toUpperCase())
}

/** The member of a reply that only the right type has. */
function memberOf(returns: Endpoint['returns']): string {
  return returns.kind === 'one' ? 'meta' : returns.name
}

/** The parameters of a request by their place, with values of their types. */
function paramsOf({ template, path }: ClientRequest, { paths }: Description): Record<string, Record<string, unknown>> {
  const url = new URL(path, 'http://localhost')
  const parts = url.pathname.split('/')
  const given = new Map(url.searchParams)
  for (const [at, part] of template.split('/').entries()) {
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    if (name !== undefined) given.set(name, decodeURIComponent(parts[at] ?? ''))
  }
  const params: Record<string, Record<string, unknown>> = {}
  for (const { name, in: place, schema } of paths[template]?.get.parameters ?? []) {
    const text = given.get(name)
    if (text !== undefined) params[place] = { ...params[place], [name]: valueOf(schema, text) }
  }
  return params
}

/** The value of a text, converted to its declared type. */
function valueOf({ type, items }: ParamSchema, text: string): unknown {
  if (type === 'array') return text.split(',').map((part) => valueOf(items ?? {}, part))
  if (type === 'integer' || type === 'number') return Number(text)
  return type === 'boolean' ? text === 'true' : text
}
