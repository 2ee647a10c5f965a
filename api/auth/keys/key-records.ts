import type { ObjectStore } from '../../../lake/store/store.ts'
import { type KeyStatus, type Plan, type Slot, type SlotKey, statusAt } from './slots.ts'

/**
 * The content of a key's object `keys/<hash>`: all that a request needs, in one read. It is derived from the key's slot. The
 * record of an ended key contains neither account nor slot.
 */
export interface KeyRecord {
  readonly hash: string
  /** Version of the slot that it was written from: the higher version is right. */
  readonly version: number
  readonly plan: Plan
  readonly status: KeyStatus
  /** When the key expires, ms since the epoch. */
  readonly ends_at: number | null
  readonly account: string | null
  /** Number of the slot in its account. */
  readonly slot: number | null
  /** Set for a key of the operator that writes tables of the lake. */
  readonly is_lake_writer?: true
}

const ROOT = 'keys/'

/** Returns the record of a key in a slot, at an instant (ms). */
export function recordOf(slot: Slot, key: SlotKey, now: number): KeyRecord {
  const status = statusAt(key, now)
  const isOver = status === 'REVOKED' || status === 'EXPIRED'
  const { hash, plan } = key
  const { version, account, number } = slot
  if (isOver) return { hash, version, plan, status, ends_at: null, account: null, slot: null }
  const writer = key.is_lake_writer ? ({ is_lake_writer: true } as const) : {}
  return { hash, version, plan, status, ends_at: key.ends_at, account, slot: number, ...writer }
}

/** Returns the record of a hash; null if no key has it. */
export async function readRecord(store: ObjectStore, hash: string): Promise<KeyRecord | null> {
  const bytes = await store.get(`${ROOT}${hash}`)
  return bytes && (JSON.parse(bytes.toString()) as KeyRecord)
}

/** Writes the record of a key. */
export async function writeRecord(store: ObjectStore, record: KeyRecord): Promise<void> {
  await store.put(`${ROOT}${record.hash}`, Buffer.from(JSON.stringify(record)))
}

/** Returns the record of a key's public name (`key_…`); null if there is none. */
export async function recordById(store: ObjectStore, id: string): Promise<KeyRecord | null> {
  const [, begin] = /^key_([0-9a-f]{20})$/.exec(id) ?? []
  if (begin === undefined) return null
  for await (const { key } of store.list(`${ROOT}${begin}`)) return readRecord(store, key.slice(ROOT.length))
  return null
}
