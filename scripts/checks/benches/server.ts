import fastify from 'fastify'
import { type BareReply, type BenchApi, startService } from './services.ts'
import { startTablesService } from './tables-service.ts'

/** The servers by kind; `bare` is a Fastify route that sends the reply it is given. */
const SERVERS: Readonly<Record<string, (folder: string) => Promise<BenchApi>>> = {
  lists: startService,
  tables: startTablesService,
  bare,
}
const [, , kind = '', folder = ''] = process.argv
const start = SERVERS[kind]
if (!process.send || !start) throw new Error('server.ts is started by a bench')
const server = await start(folder)
process.on('disconnect', () => void server.close().then(() => process.exit()))
process.on('message', (message) => {
  const { user, system } = process.cpuUsage()
  if (message === 'processor') process.send?.((user + system) / 1000)
  if (message === 'memory') process.send?.(process.resourceUsage().maxRSS / 1024)
})
process.send({ url: server.url, key: server.key, redisUrl: server.redisUrl })

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
  app.get('/*', (_request, answer) => {
    answer.code(reply.status).headers(reply.headers)
    return answer.send(body)
  })
  return { url: await app.listen({ host: '127.0.0.1', port: 0 }), key: '', close: () => app.close() }
}
