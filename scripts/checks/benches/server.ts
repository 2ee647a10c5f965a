import fastify from 'fastify'
import { type BareReply, type BenchApi, serveParent, startService } from './services.ts'

const [, , kind, folder = ''] = process.argv
await serveParent(kind === 'bare' ? bare : () => startService(folder))

/** A Fastify route that sends the reply it is given. */
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
