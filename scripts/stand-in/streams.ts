import type { Server } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { positionFrame, staticFrames } from './formats/aisstream.ts'
import { positionSentences, staticSentences } from './formats/nmea.ts'
import { chance } from './random.ts'
import type { StreamFaults } from './stream-faults.ts'
import { sendsAt, type VesselFix, vesselAt, vesselsOfWorld } from './world/vessels.ts'
import type { World } from './world/world.ts'

const AISSTREAM_PATH = '/stream.aisstream.io/v0/stream'
/** A client that does not read is disconnected if more bytes than this wait for it. */
const MAX_WAITING_BYTES = 4_000_000
/** Share of sentences that a fault affects. */
const SPOILED = 0.1

/** The running streams of a stand-in. */
export interface Streams {
  /** Where NMEA sentences are sent, as `tcp://host:port`. */
  readonly nmea: string
  close(): Promise<void>
}

type Box = readonly [readonly [number, number], readonly [number, number]]

/** Serves AIS as a receiver does, over TCP on its own port, and as aisstream.io does, over WebSocket on the stand-in's port. */
export async function startStreams(options: {
  readonly http: Server
  readonly host: string
  readonly port: number
  readonly world: World
  readonly faults: StreamFaults
  readonly now: () => number
}): Promise<Streams> {
  const { http, host, world, faults, now } = options
  const sockets = new Set<Socket>()
  const listeners = new Map<WebSocket, readonly Box[]>()
  const receiver = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    socket.resume()
  })
  await new Promise<void>((resolve, reject) => receiver.once('error', reject).listen(options.port, host, resolve))
  const relay = new WebSocketServer({ noServer: true })
  http.on('upgrade', (request, socket, head) => {
    if (request.url !== AISSTREAM_PATH) return socket.destroy()
    relay.handleUpgrade(request, socket, head, (client) => {
      client.on('error', () => client.terminate())
      client.on('close', () => listeners.delete(client))
      client.once('message', (greeting: Buffer) => {
        const boxes = boxesOf(greeting.toString('utf8'))
        if (boxes) return listeners.set(client, boxes)
        client.send('{"error":"Api Key Is Not Valid"}')
        client.close()
      })
    })
  })

  const sendSentences = (sentences: readonly string[]): void => {
    for (const socket of sockets) {
      socket.write(`${sentences.join('\r\n')}\r\n`)
      if (socket.writableLength > MAX_WAITING_BYTES) socket.destroy()
    }
  }
  const sendFrames = ({ lat, lon }: VesselFix, frames: readonly string[]): void => {
    for (const [client, boxes] of listeners) {
      if (!boxes.some(([[south, west], [north, east]]) => lat >= south && lat <= north && lon >= west && lon <= east)) continue
      for (const frame of frames) client.send(Buffer.from(frame))
      if (client.bufferedAmount > MAX_WAITING_BYTES) client.terminate()
    }
  }
  const send = (second: number): void => {
    const at = 1000 * second
    const isHeard = sockets.size > 0 && !faults.has('ais_receivers', 'silence')
    const isRelayed = listeners.size > 0 && !faults.has('aisstream', 'silence')
    if (!isHeard && !isRelayed) return
    const sentences: string[] = []
    for (const vessel of world.part(vesselsOfWorld)) {
      const sends = sendsAt(vessel, second)
      if (!sends.position && !sends.static) continue
      const fix = vesselAt(vessel, at)
      if (isHeard && sends.position) sentences.push(...positionSentences(vessel, fix, second % 60))
      if (isHeard && sends.static) sentences.push(...staticSentences(vessel, fix, second + vessel.mmsi))
      if (isRelayed && sends.position) sendFrames(fix, [positionFrame(vessel, fix, at)])
      if (isRelayed && sends.static) sendFrames(fix, staticFrames(vessel, fix, at))
    }
    const isSpoiled = (place: number): boolean => chance('spoiled', second, place) < SPOILED
    if (sentences.length === 0) return
    if (faults.has('ais_receivers', 'bad_checksum'))
      return sendSentences(sentences.map((one, at) => (isSpoiled(at) ? one.replace(/..$/, 'ZZ') : one)))
    sendSentences(faults.has('ais_receivers', 'half_message') ? sentences.filter((one) => !one.startsWith('!AIVDM,2,2')) : sentences)
  }

  // Each second of the stand-in's clock once, in order; after a jump of the clock only the last minute.
  let sent = Math.floor(now() / 1000)
  const timer = setInterval(() => {
    const until = Math.floor(now() / 1000)
    for (let second = Math.max(sent + 1, until - 59); second <= until; second++) send(second)
    sent = Math.max(sent, until)
  }, 250)

  const address = receiver.address() as AddressInfo
  return {
    nmea: `tcp://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    close: async () => {
      clearInterval(timer)
      for (const client of relay.clients) client.terminate()
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => receiver.close(resolve))
    },
  }
}

/** The boxes in a subscription message, corners as latitude and longitude; null if it is not aisstream's. */
function boxesOf(greeting: string): readonly Box[] | null {
  try {
    const { APIKey, BoundingBoxes } = JSON.parse(greeting) as { readonly APIKey?: unknown; readonly BoundingBoxes?: readonly Box[] }
    return typeof APIKey === 'string' && Array.isArray(BoundingBoxes) ? BoundingBoxes : null
  } catch {
    return null
  }
}
