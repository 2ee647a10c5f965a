import { type Publishers, startPublishers } from '../../scripts/stand-in/server.ts'
import type { Scale } from '../../scripts/stand-in/world/world.ts'

/** A Wednesday morning in March, 08:30 in Madrid. */
const RUSH_HOUR = Date.parse('2026-03-11T07:30:00Z')

/** A stand-in whose clock is fixed at `at` until it is moved; closed by `await using publishers = await standIn()`. */
export async function standIn(options: { at?: number; scale?: Scale } = {}): Promise<Publishers & AsyncDisposable> {
  const { at = RUSH_HOUR, scale = 'full' } = options
  const publishers = await startPublishers({ source: { kind: 'simulated', speed: 0, start: at, seed: 1, scale, archives: 'short' } })
  return Object.assign(publishers, { [Symbol.asyncDispose]: () => publishers.close() })
}

/** The bytes of a path; throws unless the answer is 200. */
export async function bytesOf(publishers: Publishers, path: string): Promise<Buffer> {
  const response = await fetch(publishers.url + path)
  const bytes = Buffer.from(await response.arrayBuffer())
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${bytes.toString().slice(0, 200)}`)
  return bytes
}
