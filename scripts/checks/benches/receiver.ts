import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A receiver of webhooks in a separate process: answers 204 and reports when each event arrived. */
const arrivals: Record<string, number[]> = {}
const server = createServer((request, response) => {
  const id = String(request.headers['webhook-id'])
  arrivals[id] = [...(arrivals[id] ?? []), Date.now()]
  request.resume().on('end', () => response.writeHead(204).end())
})
server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`))
process.on('message', () => process.send?.(arrivals))
process.once('disconnect', () => process.exit(0))
