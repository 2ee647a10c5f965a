import { createSocket } from 'node:dgram'
import { connect as connectTcp } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'

/** Options of a connection. */
export interface ConnectionOptions {
  /** Called with each frame and its source address. If it throws, the connection ends. */
  readonly onFrame: (frame: string, address: string) => void
  /** Called with the reason when a connection ended; it is made again. */
  readonly onEnd: (address: string, reason: string) => void
  /** Sent first over a WebSocket. */
  readonly greeting: string | null
  /** A connection without a frame for this long is closed and reopened, ms. */
  readonly silence_ms: number
  readonly signal: AbortSignal
  /** Factor of waits between attempts; tests use a small one. */
  readonly patience?: number
}

const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 60_000
const HANDSHAKE_MS = 10_000
/** NMEA sentences have 82 characters, under 200 with a tag block: a longer line is not a sentence. */
const MAX_LINE = 1024
const MAX_MESSAGE_BYTES = 256 * 1024

/** Keeps a connection open until the signal fires. Reconnects after an end, with growing waits while no frames come. */
export async function holdConnection(address: string, options: ConnectionOptions): Promise<void> {
  const { signal, patience = 1 } = options
  for (let failures = 0; !signal.aborted; ) {
    let isAlive = false
    const onFrame = (frame: string): void => {
      options.onFrame(frame, address)
      isAlive = true
    }
    const reason = await connectOnce(address, { ...options, onFrame })
    if (signal.aborted) return
    options.onEnd(address, reason)
    failures = isAlive ? 0 : failures + 1
    const wait_ms = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures) * (0.5 + Math.random() / 2)
    await sleep(wait_ms * patience, undefined, { signal }).catch(() => undefined)
  }
}

/** Connects, and resolves with the reason when the connection ends. */
async function connectOnce(address: string, options: ConnectionOptions): Promise<string> {
  if (!URL.canParse(address)) return 'not a valid address'
  const { protocol } = new URL(address)
  const open = protocol === 'tcp:' ? openTcp : protocol === 'udp:' ? openUdp : openWebSocket
  return new Promise((resolve) => {
    let isOver = false
    const end = (reason: string): void => {
      if (isOver) return
      isOver = true
      clearTimeout(silence)
      options.signal.removeEventListener('abort', onAbort)
      close()
      resolve(reason)
    }
    const onAbort = (): void => end('stopped')
    const silence = setTimeout(() => end(`silent for ${Math.round(options.silence_ms / 1000)} s`), options.silence_ms)
    options.signal.addEventListener('abort', onAbort)
    let close = (): void => undefined
    const take = (frame: string): void => {
      if (isOver) return
      silence.refresh()
      try {
        options.onFrame(frame, address)
      } catch (error) {
        end(error instanceof Error ? error.message : String(error))
      }
    }
    close = open(address, { take, end, greeting: options.greeting })
    if (options.signal.aborted) end('stopped')
  })
}

interface Opened {
  readonly take: (frame: string) => void
  readonly end: (reason: string) => void
  readonly greeting: string | null
}

function openTcp(address: string, { take, end }: Opened): () => void {
  const { hostname, port } = new URL(address)
  const socket = connectTcp({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port), keepAlive: true })
  const split = lineSplitter(take)
  socket.setEncoding('latin1')
  socket.on('data', (text: string) => split(text))
  socket.on('error', (error) => end(error.message))
  socket.on('close', () => end('closed by the receiver'))
  return () => socket.destroy()
}

function openUdp(address: string, { take, end }: Opened): () => void {
  const { hostname, port } = new URL(address)
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  socket.on('message', (bytes) => {
    for (const line of bytes.toString('latin1').split(/\r?\n/)) if (line !== '' && line.length <= MAX_LINE) take(line)
  })
  socket.on('error', (error) => end(error.message))
  socket.bind(Number(port), host)
  return () => socket.close()
}

function openWebSocket(address: string, { take, end, greeting }: Opened): () => void {
  const socket = new WebSocket(address, { handshakeTimeout: HANDSHAKE_MS, maxPayload: MAX_MESSAGE_BYTES })
  socket.on('open', () => greeting !== null && socket.send(greeting))
  socket.on('message', (data: Buffer) => take(data.toString('utf8')))
  socket.on('error', (error) => end(error.message))
  socket.on('close', (code, reason) => end(`closed by the publisher (${code}${reason.length > 0 ? ` ${reason.toString()}` : ''})`))
  return () => socket.terminate()
}

/** Splits a stream of text into lines; a line without an end is dropped. */
function lineSplitter(take: (line: string) => void): (text: string) => void {
  let rest = ''
  return (text) => {
    const lines = (rest + text).split('\n')
    rest = (lines.pop() ?? '').slice(0, MAX_LINE + 1)
    for (const line of lines) {
      const plain = line.replace(/\r$/, '')
      if (plain !== '' && plain.length <= MAX_LINE) take(plain)
    }
  }
}
