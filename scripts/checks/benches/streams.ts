import { fork } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openHub } from '../../../api/features/stream/hub.ts'
import { openEvents } from '../../../lake/events/open.ts'
import { fileStore } from '../../../lake/store/file.ts'
import { startRedis } from '../../redis.ts'
import type { MemoryBench } from './measure.ts'

const READERS = fileURLToPath(new URL('./stream-readers.ts', import.meta.url))
/** Open streams; `STREAMS_SCALE` divides them (10 for a tenth). */
const STREAMS = Math.round(5000 / Number(process.env['STREAMS_SCALE'] ?? 1))
const BATCHES = 20
const EVENTS = 10
const OPEN_MS = 60_000

/** A process with five thousand open streams, each of which receives two hundred events; another process reads them. */
export const streams: MemoryBench = {
  name: 'streams',
  about: `${STREAMS} open streams with ${BATCHES * EVENTS} events each: peak memory of the process`,
  limit_mb: 500,
  rounds: 1,
  expected: { streams: STREAMS, received: STREAMS * BATCHES * EVENTS },
  async run(folder) {
    const server = await startRedis({ folder: join(folder, 'redis'), appendOnly: false })
    const store = await fileStore(join(folder, 'store'))
    const events = openEvents({ store, redisUrl: server.url })
    const hub = await openHub({ log: events.log, redisUrl: server.url, onError: (error) => process.stderr.write(`${error.message}\n`) })
    const http = createServer((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      hub.open({ response, from: null, isWanted: () => true })
    })
    http.maxConnections = STREAMS + 10
    await new Promise<void>((resolve) => http.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, resolve))
    const readers = fork(READERS, [String((http.address() as AddressInfo).port), String(STREAMS)], { execArgv: [] })
    for (const began = Date.now(); hub.count < STREAMS && Date.now() - began < OPEN_MS; ) await sleep(50)
    const open = hub.count
    for (let batch = 0; batch < BATCHES; batch++) {
      const made = Array.from({ length: EVENTS }, (_, at) => {
        const id = `evt_${batch}_${at}`
        return { id, type: 'feed.stale', thing: id, at: Date.now(), data: { text: 'x'.repeat(1000) } } as const
      })
      await events.log.record(`bench ${batch}`, made, { since: Date.now() })
      await sleep(200)
    }
    let received = 0
    for (const began = Date.now(); received < open * BATCHES * EVENTS && Date.now() - began < OPEN_MS; await sleep(200)) {
      readers.send('report')
      received = await new Promise<number>((resolve) => readers.once('message', (message) => resolve(Number(message))))
    }
    readers.kill()
    await hub.close()
    http.closeAllConnections()
    http.close()
    events.close()
    await server.stop()
    return { streams: open, received }
  },
}
