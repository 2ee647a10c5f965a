import type { PLANS } from '../../../lake/schema/dataset.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { type Versioned, versioned, versionOf } from '../../../lake/store/versioned.ts'
import type { KeyHint } from './key-format.ts'

export type Plan = (typeof PLANS)[number]
/** The state of a key: ROTATING works until its successor has taken over; REVOKED and EXPIRED no longer work. */
export type KeyStatus = 'ACTIVE' | 'ROTATING' | 'REVOKED' | 'EXPIRED'

/** Most FREE keys of an e-mail address, apart from those being rotated. */
export const FREE_KEYS = 3
/** Most keys including paid plans; one digit, as object names require. */
export const SLOTS = 9

/** A key in its slot. Times are ms since the epoch. */
export interface SlotKey {
  /** HMAC of the key, 64 hexadecimal digits. */
  readonly hash: string
  readonly plan: Plan
  readonly hint: KeyHint
  /** The encrypted label; null if there is none. */
  readonly label: string | null
  readonly created_at: number
  /** As it was set; `statusAt` also applies the clock. */
  readonly status: KeyStatus
  /** When the key expires: the end of a rotation, or of the time to confirm the address. Null: never. */
  readonly ends_at: number | null
  /** Set for a key of the operator that writes tables of the lake. */
  readonly is_lake_writer?: true
}

/**
 * One of the places for keys of an account. Requests are counted by slot, so that a new key in it resets nothing. The newest
 * version is the state. A version is written once: of concurrent changes one wins, and the others start again from it.
 */
export interface Slot {
  readonly account: string
  /** 1 to `SLOTS`. */
  readonly number: number
  /** 0 if the slot was never used. */
  readonly version: number
  readonly keys: readonly SlotKey[]
}

const ROOT = 'accounts/'
const EMPTY_MS = 86_400_000

/** Returns the status of a key at an instant (ms). */
export function statusAt({ status, ends_at }: Pick<SlotKey, 'status' | 'ends_at'>, now: number): KeyStatus {
  return (status === 'ACTIVE' || status === 'ROTATING') && ends_at !== null && now >= ends_at ? 'EXPIRED' : status
}

/** True for a key that works at an instant (ms). */
export function isWorking(key: Pick<SlotKey, 'status' | 'ends_at'>, now: number): boolean {
  const status = statusAt(key, now)
  return status === 'ACTIVE' || status === 'ROTATING'
}

/** Returns a key's public name: it reveals only where the key's record is. */
export function keyId(hash: string): string {
  return `key_${hash.slice(0, 20)}`
}

/** Returns the name that counts the requests of a slot's keys. */
export function slotName(account: string, number: number): string {
  return `${account}.${number}`
}

/** Returns the names of an account's slots. */
export function slotNames(account: string): string[] {
  return Array.from({ length: SLOTS }, (_, at) => slotName(account, at + 1))
}

/** Returns the slots of an account, including those that were never used. */
export async function readSlots(store: ObjectStore, account: string): Promise<Slot[]> {
  for (;;) {
    const newest = new Map<number, string>()
    for await (const { key } of store.list(slotPrefix(account))) newest.set(slotNumber(key), key)
    const slots = await Promise.all(
      Array.from({ length: SLOTS }, async (_, at) => {
        const key = newest.get(at + 1)
        return key === undefined ? { account, number: at + 1, version: 0, keys: [] } : readVersion(store, account, key)
      }),
    )
    // A version that disappeared between the list and the read was no longer the newest.
    if (slots.every((slot) => slot !== null)) return slots
  }
}

/** Writes the next version of a slot; null if another change won. */
export async function commitSlot(store: ObjectStore, slot: Slot, keys: readonly SlotKey[]): Promise<Slot | null> {
  return (await chain(store, slot).commit(slot.version, { keys })) ? { ...slot, version: slot.version + 1, keys } : null
}

/** Removes all but the newest version of each slot of an account. */
export async function removeOldVersions(store: ObjectStore, account: string): Promise<void> {
  let last: string | null = null
  for await (const { key } of store.list(slotPrefix(account))) {
    if (last !== null && slotNumber(last) === slotNumber(key)) await store.delete(last)
    last = key
  }
}

/**
 * Removes an account's slots without keys, a day after the last key went. Until then they keep their numbers, so that a change
 * that began earlier finds them taken.
 */
export async function removeEmpty(store: ObjectStore, account: string): Promise<void> {
  const before = (await store.now()) - EMPTY_MS
  const all: string[] = []
  for await (const { key, modified_at } of store.list(slotPrefix(account))) {
    if (modified_at > before) return
    all.push(key)
  }
  for (const key of all) await store.delete(key)
}

/** Iterates over every account that has or had a key, once each. */
export async function* accountNames(store: ObjectStore): AsyncGenerator<string> {
  let last = ''
  for await (const { key } of store.list(ROOT)) {
    const account = key.slice(ROOT.length).split('/')[0] as string
    if (account !== last) yield account
    last = account
  }
}

/** Returns the name of an account's object besides its slots. */
export function accountKey(account: string, name: string): string {
  return `${ROOT}${account}/${name}`
}

function slotPrefix(account: string): string {
  return accountKey(account, 'slot-')
}

function slotNumber(key: string): number {
  return Number(/\/slot-(\d)\/\d+$/.exec(key)?.[1])
}

function chain(store: ObjectStore, { account, number }: Pick<Slot, 'account' | 'number'>): Versioned<Pick<Slot, 'keys'>> {
  return versioned(store, `${slotPrefix(account)}${number}/`)
}

async function readVersion(store: ObjectStore, account: string, key: string): Promise<Slot | null> {
  const [number, version] = [slotNumber(key), versionOf(key) as number]
  const found = await chain(store, { account, number }).at(version)
  return found && { account, number, version, keys: found.keys }
}
