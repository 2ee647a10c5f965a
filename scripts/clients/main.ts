import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { endpointId } from '../../api/define/endpoint.ts'
import { endpoints } from '../../api/endpoints/catalog.ts'
import { requestOf } from '../../api/http/example-request.ts'
import { atExit } from '../chaos-runs/at-exit.ts'
import { fuzzPlan } from '../fuzz/plan.ts'
import { type FuzzedService, startFuzzedService } from '../fuzz/service.ts'
import { type ClientRequest, typescriptProgram } from './typescript.ts'

const PARSER = fileURLToPath(new URL('./parse_replies.py', import.meta.url))
/** Media types of downloads and pages that openapi-python-client does not support. */
const UNSUPPORTED = /Unsupported content_type (application\/vnd\.apache\.parquet|image\/svg\+xml)/

const clients = process.env['CLIENTS_FOLDER'] ?? ''
const skipped = (process.env['CLIENTS_SKIPPED'] ?? '').split(' ')

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))
const folder = await realpath(await mkdtemp(join(tmpdir(), 'clients-')))
const callOff = atExit(() => rmSync(folder, { recursive: true, force: true }))
try {
  process.exitCode = (await check()) ? 0 : 1
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 2
} finally {
  callOff()
  await rm(folder, { recursive: true, force: true })
}

/** Generates every available client and requests the service with it; true if all clients parsed all replies. */
async function check(): Promise<boolean> {
  const service = await startFuzzedService(folder, (line) => process.stderr.write(`${line}\n`))
  try {
    const description = await (await fetch(`${service.url}/openapi.json`)).text()
    await writeFile(join(folder, 'openapi.json'), description)
    const requests = await answeredRequests(service)
    await writeFile(join(folder, 'requests.json'), JSON.stringify({ url: service.url, key: service.key, requests }))
    let isGood = true
    if (!skipped.includes('python')) isGood = (await checkPython()) && isGood
    if (!skipped.includes('typescript'))
      isGood = (await checkTypescript(service, typescriptProgram(requests, JSON.parse(description)))) && isGood
    return isGood
  } finally {
    await service.close()
  }
}

/** The example request of each data path that the service can answer; prints the other paths. */
async function answeredRequests(service: FuzzedService): Promise<ClientRequest[]> {
  const { ids } = await fuzzPlan(service, '')
  const found: ClientRequest[] = []
  const without: string[] = []
  for (const endpoint of endpoints) {
    const id = endpointId(endpoint.path)
    const path = requestOf(endpoint, ids[id] ?? {}, Date.now())
    const response = await fetch(`${service.url}${path}`, { headers: { 'X-API-Key': service.key } })
    await response.arrayBuffer()
    if (response.ok) found.push({ id, tag: endpoint.domain, template: endpoint.path, path, returns: endpoint.returns })
    else without.push(`${path} (${response.status})`)
  }
  process.stdout.write(`${found.length} of ${endpoints.length} paths have data`)
  process.stdout.write(without.length > 0 ? `; not ${without.join(', ')}\n` : '\n')
  return found
}

async function checkPython(): Promise<boolean> {
  const bin = join(clients, 'python/bin')
  const target = join(folder, 'generated')
  const made = await run(join(bin, 'openapi-python-client'), [
    ...['generate', '--path', join(folder, 'openapi.json'), '--output-path', target, '--meta', 'none', '--overwrite'],
  ])
  const warnings = made.output.split('\n').filter((line) => /^(Cannot|Unable|ERROR|Invalid)/.test(line) && !UNSUPPORTED.test(line))
  for (const warning of warnings) process.stdout.write(`FAILED python: ${warning.slice(0, 300)}\n`)
  if (made.code !== 0) process.stdout.write(made.output.slice(-3000))
  const compiled = await run(join(bin, 'python'), ['-m', 'compileall', '-q', target])
  process.stdout.write(compiled.output)
  const parsed = await run(join(bin, 'python'), [PARSER, join(folder, 'requests.json'), folder])
  process.stdout.write(parsed.output)
  return made.code === 0 && warnings.length === 0 && compiled.code === 0 && parsed.code === 0
}

async function checkTypescript(service: FuzzedService, program: string): Promise<boolean> {
  const installed = join(clients, 'typescript/node_modules')
  await symlink(installed, join(folder, 'node_modules'))
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  const steps: readonly (readonly [string, readonly string[]])[] = [
    ['openapi-typescript', [join(folder, 'openapi.json'), '-o', join(folder, 'schema.d.ts')]],
    [
      'tsc',
      ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node', '--skipLibCheck', join(folder, 'ask.ts')],
    ],
  ]
  await writeFile(join(folder, 'ask.ts'), program)
  for (const [command, args] of steps) {
    const done = await run(join(installed, '.bin', command), args)
    if (done.code === 0) continue
    process.stdout.write(`FAILED typescript: ${command}\n${done.output.slice(0, 3000)}\n`)
    return false
  }
  const asked = await run(process.execPath, [join(folder, 'ask.ts')], { API: service.url, KEY: service.key })
  process.stdout.write(asked.output)
  return asked.code === 0
}

/** Runs a program in the folder; returns its output from both streams. */
async function run(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly output: string }> {
  const child = spawn(command, args, { cwd: folder, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const [[code], out, err] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)])
  return { code: (code as number | null) ?? 1, output: out + err }
}
