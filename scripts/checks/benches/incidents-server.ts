import fastify from 'fastify'
import type { BenchApi } from './bench-api.ts'
import { startIncidentsService } from './incidents-service.ts'
import { startRailService } from './rail-service.ts'
import { startStationsService } from './stations-service.ts'
import { startTablesService } from './tables-service.ts'
import { startTrainsService } from './trains-service.ts'

/** The answer of the bare server. */
export interface BareReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Body in base64. */
  readonly body: string
}

/**
 * A server in a separate process. The service serves incidents (`api <folder> <home>`), stations (`stations <folder> <home>`),
 * boards (`rail <home> <redis> <began>`), trains (`trains <folder> <home>`) or readings (`tables <home>`). `bare` is a Fastify
 * route that sends the reply it is given.
 */
const SERVICES: Readonly<Record<string, (...args: [string, string, string]) => Promise<BenchApi>>> = {
  api: startIncidentsService,
  rail: startRailService,
  trains: startTrainsService,
  stations: startStationsService,
  tables: startTablesService,
  bare,
}
const [, , kind = '', first = '', second = '', third = ''] = process.argv
const start = SERVICES[kind]
if (!process.send || !start) throw new Error('incidents-server.ts is started by a bench')
const server = await start(first, second, third)
process.on('disconnect', () => void server.close().then(() => process.exit()))
process.on('message', (message) => {
  const { user, system } = process.cpuUsage()
  if (message === 'processor') process.send?.((user + system) / 1000)
  if (message === 'memory') process.send?.(process.resourceUsage().maxRSS / 1024)
})
process.send({ url: server.url, key: server.key })

async function bare(): Promise<BenchApi> {
  const app = fastify()
  let reply: BareReply = { status: 200, headers: {}, body: '' }
  let body = Buffer.alloc(0)
  process.on('message', (next: BareReply | string) => {
    if (typeof next === 'string') return
    reply = next
    body = Buffer.from(next.body, 'base64')
    process.send?.('set')
  })
  app.get('/api/incidents', (_request, answer) => {
    answer.code(reply.status).headers(reply.headers)
    return answer.send(body)
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return { url: `${url}/api/incidents`, key: '', close: () => app.close() }
}
