import { existsSync } from 'node:fs'
import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { requestOf } from '../../../api/engine/request/example-request.ts'
import { endpointId } from '../../../api/kernel/endpoint.ts'
import { fuzzPlan } from '../fuzz/plan.ts'
import { type FuzzedService, startFuzzedService } from '../fuzz/service.ts'
import { exitBy, folderUntilExit, run, runSteps, type Steps } from '../run.ts'
import { goProgram } from './go.ts'
import { type ClientRequest, type Description, heyApiProgram, typescriptProgram } from './typescript.ts'

const PARSER = fileURLToPath(new URL('./parse_replies.py', import.meta.url))
const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
const JAVA_READER = fileURLToPath(new URL('./ReadReplies.java', import.meta.url))
/** Lists that clients of the slower languages read. */
const LISTS = 10
/** Media types of downloads and pages that openapi-python-client does not support. */
const UNSUPPORTED = /Unsupported content_type (application\/vnd\.apache\.parquet|image\/svg\+xml)/

/** The checks of clients, by the names of their folders. */
const CHECKS: Readonly<Record<string, (asked: Asked) => Promise<boolean>>> = {
  python: checkPython,
  typescript: checkTypescript,
  'hey-api': checkHeyApi,
  go: checkGo,
  java: checkJava,
  mcp: checkMcp,
}

const TSC = ['--noEmit', '--strict', '--target', 'es2022', '--types', 'node', '--skipLibCheck'] as const

const clients = process.env['CLIENTS_FOLDER'] ?? ''
const skipped = (process.env['CLIENTS_SKIPPED'] ?? '').split(' ')

const folder = await folderUntilExit('clients-')
await exitBy(check)

/** What the clients are checked with. */
interface Asked {
  /** A request of every data path that has data. */
  readonly requests: readonly ClientRequest[]
  /** Ten lists and one detail. */
  readonly few: readonly ClientRequest[]
  readonly description: Description
  /** The description with JSON only. */
  readonly json: Description
  readonly env: Readonly<Record<string, string>>
}

/** Generates every available client and requests the service with it; true if all clients parsed all replies. */
async function check(): Promise<boolean> {
  const service = await startFuzzedService(folder, (line) => process.stderr.write(`${line}\n`))
  try {
    const [description, json] = await Promise.all(['', '?media=json'].map((query) => described(service, query)))
    const requests = await answeredRequests(service)
    const few = someOf(requests)
    const { url, key } = service
    const files = {
      'openapi.json': description,
      'json.json': json,
      'requests.json': { url, key, requests: requests.map(({ reply: _reply, ...one }) => one) },
      'few.json': { url, key, requests: few.map(({ reply: _reply, ...one }) => one) },
    }
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), JSON.stringify(content))
    const asked: Asked = { requests, few, description: description as Description, json: json as Description, env: { API: url, KEY: key } }
    let isGood = true
    for (const [name, checkClient] of Object.entries(CHECKS)) if (!skipped.includes(name)) isGood = (await checkClient(asked)) && isGood
    return isGood
  } finally {
    await service.close()
  }
}

async function described({ url }: FuzzedService, query: string): Promise<Description> {
  return (await (await fetch(`${url}/openapi.json${query}`)).json()) as Description
}

/** Ten lists of JSON, evenly among all, and the first detail. */
function someOf(requests: readonly ClientRequest[]): ClientRequest[] {
  const lists = requests.filter(({ returns }) => returns.kind === 'list' && returns.prefers === undefined)
  const step = Math.max(1, Math.floor(lists.length / LISTS))
  return [
    ...lists.filter((_one, at) => at % step === 0).slice(0, LISTS),
    ...requests.filter(({ returns }) => returns.kind === 'one').slice(0, 1),
  ]
}

/** The example request of each data path that the service can answer; prints the other paths. */
async function answeredRequests(service: FuzzedService): Promise<ClientRequest[]> {
  const { ids } = await fuzzPlan(service, '')
  const found: ClientRequest[] = []
  const without: string[] = []
  for (const endpoint of endpoints) {
    const id = endpointId(endpoint.path)
    const path = requestOf(endpoint, ids[id] ?? {}, Date.now())
    const response = await fetch(`${service.url}${path}`, { headers: { 'X-API-Key': service.key, Accept: 'application/json' } })
    const reply: unknown = await response.json()
    if (response.ok) found.push({ id, tag: endpoint.domain, template: endpoint.path, path, returns: endpoint.returns, reply })
    else without.push(`${path} (${response.status})`)
  }
  process.stdout.write(`${found.length} of ${endpoints.length} paths have data`)
  process.stdout.write(without.length > 0 ? `; not ${without.join(', ')}\n` : '\n')
  return found
}

async function checkPython(): Promise<boolean> {
  const bin = join(clients, 'python/bin')
  const target = join(folder, 'generated')
  const made = await run(folder, [
    join(bin, 'openapi-python-client'),
    ...['generate', '--path', join(folder, 'openapi.json'), '--output-path', target, '--meta', 'none', '--overwrite'],
  ])
  const warnings = made.output.split('\n').filter((line) => /^(Cannot|Unable|ERROR|Invalid)/.test(line) && !UNSUPPORTED.test(line))
  for (const warning of warnings) process.stdout.write(`FAILED python: ${warning.slice(0, 300)}\n`)
  if (made.code !== 0) process.stdout.write(made.output.slice(-3000))
  const isRead = await runSteps('python', folder, [
    [join(bin, 'python'), '-m', 'compileall', '-q', target],
    [join(bin, 'python'), PARSER, join(folder, 'requests.json'), folder],
  ])
  return made.code === 0 && warnings.length === 0 && isRead
}

/** Writes a program for a client from npm into its folder, and takes steps there by the commands of its packages. */
async function checkByNpm(
  name: string,
  { program, env, steps }: { readonly program: string; readonly env: Asked['env']; readonly steps: (bin: string) => Steps },
): Promise<boolean> {
  const own = await folderOf(name)
  await writeFile(join(own, 'ask.ts'), program)
  return await runSteps(name, own, steps(join(own, 'node_modules/.bin')), env)
}

function checkTypescript({ requests, description, env }: Asked): Promise<boolean> {
  const steps = (bin: string): Steps => [
    [join(bin, 'openapi-typescript'), join(folder, 'openapi.json'), '-o', 'schema.d.ts'],
    [join(bin, 'tsc'), ...TSC, '--module', 'nodenext', 'ask.ts'],
    [process.execPath, 'ask.ts'],
  ]
  return checkByNpm('typescript', { program: typescriptProgram(requests, description), env, steps })
}

function checkHeyApi({ few, json, env }: Asked): Promise<boolean> {
  const steps = (bin: string): Steps => [
    [join(bin, 'openapi-ts'), '-i', join(folder, 'json.json'), '-o', 'hey', '-c', '@hey-api/client-fetch'],
    [join(bin, 'tsc'), ...TSC, '--module', 'esnext', '--moduleResolution', 'bundler', 'ask.ts'],
    [join(bin, 'esbuild'), 'ask.ts', '--bundle', '--platform=node', '--format=esm', '--outfile=ask.mjs', '--log-level=error'],
    [process.execPath, 'ask.mjs'],
  ]
  return checkByNpm('hey-api', { program: heyApiProgram(few, json), env, steps })
}

async function checkGo({ few, env }: Asked): Promise<boolean> {
  const own = await folderOf('go')
  await writeFile(join(own, 'go.mod'), `module clients\n\ngo 1.24\n\nrequire ${process.env['CLIENTS_GO_RUNTIME'] ?? ''}\n`)
  await writeFile(join(own, 'main.go'), goProgram(few))
  const generated = ['-generate', 'types,client', '-package', 'main', '-o', 'client.gen.go', join(folder, 'json.json')]
  const steps = [
    [join(clients, 'go/oapi-codegen'), ...generated],
    ['go', 'build', '-mod=mod', '-o', 'clients', '.'],
    [join(own, 'clients')],
  ] as const
  return await runSteps('go', own, steps, env)
}

async function checkJava(): Promise<boolean> {
  const own = await folderOf('java')
  const jars = join(clients, 'java/lib')
  await copyFile(JAVA_READER, join(own, 'ReadReplies.java'))
  const generated = [
    ...['-jar', join(clients, 'java/generator.jar'), 'generate', '-g', 'java', '--library', 'native', '-i', join(folder, 'json.json')],
    ...['-o', 'made', '--global-property', 'apis,models,supportingFiles,apiTests=false,modelTests=false,apiDocs=false,modelDocs=false'],
    ...['-p', 'openApiNullable=false', '--skip-validate-spec'],
  ]
  return await runSteps('java', own, [
    ['java', ...generated],
    ['bash', '-c', 'javac -nowarn -proc:none -d classes -cp "$0/*" ReadReplies.java $(find made/src/main/java -name "*.java")', jars],
    ['java', '-cp', `classes:${jars}/*`, 'ReadReplies', join(folder, 'few.json')],
  ])
}

/** The questions of a test, by the MCP client for Python over HTTP and over standard input and output. */
async function checkMcp(): Promise<boolean> {
  const asked = [join(PROJECT, 'scripts/test'), 'test/api/features/mcp/seeded-questions'] as const
  return await runSteps('mcp', PROJECT, [asked], { REQUIRE: 'python', MCP_PYTHON: join(clients, 'mcp/bin/python') })
}

/** A folder for a client, with the packages that it has in `node_modules`. */
async function folderOf(name: string): Promise<string> {
  const own = join(folder, name)
  await mkdir(own)
  const installed = join(clients, name, 'node_modules')
  if (existsSync(installed)) await symlink(installed, join(own, 'node_modules'))
  await writeFile(join(own, 'package.json'), '{"private":true,"type":"module"}')
  return own
}
