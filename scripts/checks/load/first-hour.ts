import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { requestOf } from '../../../api/engine/request/example-request.ts'
import { say } from '../../commands/output.ts'
import { atExit, run } from '../run.ts'

/** The catalogue of the specification (4.1): each path with the parameters that it needs. */
const CATALOGUE: Readonly<Record<string, Readonly<Record<string, string | null>> | null>> = {
  '/api/incidents': {},
  '/api/trafico/intensidad': {},
  '/api/trafico/prediccion': null,
  '/api/v16': {},
  '/api/panels': {},
  '/api/gas-stations': {},
  '/api/combustible/historico': {},
  '/api/combustible/tendencia': {},
  '/api/prediccion/combustible': {},
  '/api/trenes/estaciones': {},
  '/api/trenes/rutas': {},
  '/api/trenes/alertas': {},
  '/api/trenes/flota': {},
  '/api/weather': {},
  '/api/clima/historico': null,
  '/api/clima/estaciones': {},
  '/api/movilidad': null,
  '/api/movilidad/corredores': {},
  '/api/accidentes/microdata': {},
  '/api/accidentes/hotspots': {},
  '/api/prediccion/riesgo': null,
  '/api/maritimo': {},
  '/api/maritimo/ferries': {},
  '/api/aviacion': null,
  '/api/aviacion/aeropuertos': {},
  '/api/search': { q: 'atocha' },
}
const LOOK_MS = 10_000
const KEYS = join(import.meta.dirname, '../../commands/keys.ts')

/** Keeps `count` cores busy until the process ends or `stop` is called. */
export function busyLoops(count: number): () => void {
  const children = Array.from({ length: count }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }))
  const stop = (): void => {
    for (const child of children) child.kill('SIGKILL')
  }
  const callOff = atExit(stop)
  return () => {
    callOff()
    stop()
  }
}

/**
 * Asks every row of the catalogue until each has answered 200 with at least one record, or the time is over. Shows when each
 * first did; returns the paths that never did, with their last answer.
 */
export async function firstHour(
  url: string,
  { dataFolder, minutes }: { readonly dataFolder: string; readonly minutes: number },
): Promise<string[]> {
  const create = [KEYS, 'create', 'load@example.org', '--plan', 'ENTERPRISE', '--data', dataFolder]
  const { code, output } = await run('.', [process.execPath, ...create])
  if (code !== 0) throw new Error(`no key could be created: ${output}`)
  const key = output.split('\n')[0] as string
  const began = performance.now()
  const waiting = new Map(Object.keys(CATALOGUE).map((path) => [path, 'not asked']))
  while (waiting.size > 0 && performance.now() - began < 60_000 * minutes) {
    for (const path of waiting.keys()) {
      const answer = await answerOf(`${url}${requestFor(path)}`, key)
      if (answer === null) {
        waiting.delete(path)
        say(`${String(Math.round((performance.now() - began) / 1000)).padStart(5)} s  ${path}`)
      } else waiting.set(path, answer)
    }
    if (waiting.size > 0) await sleep(LOOK_MS)
  }
  return [...waiting].map(([path, answer]) => `${path}: ${answer}`)
}

function requestFor(path: string): string {
  const values = CATALOGUE[path]
  const endpoint = endpoints.find((one) => one.path === path)
  if (values) return `${path}?${new URLSearchParams(values as Record<string, string>)}`
  return endpoint ? requestOf(endpoint, {}, Date.now()) : path
}

/** Returns null for an answer with data, else what it was. */
async function answerOf(url: string, key: string): Promise<string | null> {
  try {
    const reply = await fetch(url, { headers: { 'X-API-Key': key }, signal: AbortSignal.timeout(35_000) })
    const body = (await reply.json()) as Record<string, unknown>
    if (!reply.ok) return `${reply.status} ${String(body['code'])}: ${String(body['detail']).slice(0, 160)}`
    const list = Object.values(body).find(Array.isArray)
    return list && list.length === 0 ? '200 without records' : null
  } catch (error) {
    return String(error)
  }
}
