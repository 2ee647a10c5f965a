import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Collected } from './collect.ts'

const unpack = promisify(gunzip)

/** A part that an operator imports: its period, its bytes packed by gzip, and the name of the file that it is from. */
export interface ImportedPart {
  readonly period: string
  readonly bytes: Buffer
  readonly from: string
}

/** An imported part in the form of a publisher's reply, fetched at an instant (ms). */
export async function importedReply(
  { period, bytes, from }: ImportedPart,
  fetched_at: number,
): Promise<Extract<Collected, { readonly kind: 'bodies' }>> {
  const received = { name: period, url: `import:${from}`, status: 200, headers: {}, received: bytes }
  return { kind: 'bodies', fetched_at, received: [received], decoded: [{ name: period, bytes: await unpack(bytes) }] }
}
