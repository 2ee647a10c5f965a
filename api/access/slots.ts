import { randomUUID } from 'node:crypto'
import type { PLANS } from '../../lake/schema/dataset.ts'
import type { ObjectStore } from '../../lake/store/store.ts'
import type { KeyHint } from './key-format.ts'

export type Plan = (typeof PLANS)[number]
/** What a key is: ROTATING works until its successor has taken over, REVOKED and EXPIRED do not work any more. */
export type KeyStatus = 'ACTIVE' | 'ROTATING' | 'REVOKED' | 'EXPIRED'

/** How many keys of the plan FREE an e-mail address may have, apart from those that are being rotated. */
export const FREE_KEYS = 3
/** How many it may have with those of paid plans; of one digit, as names of objects have it. */
export const SLOTS = 9

/** A key as its slot keeps it. Times are ms since the epoch. */
export interface SlotKey {
  /** HMAC of the key, 64 hexadecimal digits. */
  readonly hash: string
  readonly plan: Plan
  readonly hint: KeyHint
  /** The label, sealed; null where there is none. */
  readonly label: string | null
  readonly created_at: number
  /** As it was set; `statusAt` also looks at the clock. */
  readonly status: KeyStatus
  /** When the key stops to work by itself: end of a rotation, or of the time to confirm the address. Null: never. */
  readonly ends_at: number | null
}

/**
 * One of the places for keys that an account has; what is counted (calls of a minute, of a day) is counted by slot, so that a new key in it
 * resets nothing. Its state is the newest of its versions, and a version is written once only: of several changes at the same time one wins,
 * and the others begin again from its result.
 */
export interface Slot {
  readonly account: string
  /** 1 to `SLOTS`. */
  readonly number: number
  /** 0 where the slot was never used. */
  readonly version: number
  readonly keys: readonly SlotKey[]
}

const ROOT = 'accounts/'
/** Versions that stay, for a writer that began from an older one to find the next one taken. */
const KEPT_VERSIONS = 8
const EMPTY_MS = 86_400_000

/** What a key is at an instant (ms). */
export function statusAt({ status, ends_at }: Pick<SlotKey, 'status' | 'ends_at'>, now: number): KeyStatus {
  return (status === 'ACTIVE' || status === 'ROTATING') && ends_at !== null && now >= ends_at ? 'EXPIRED' : status
}

/** True for a key that works at an instant (ms). */
export function isWorking(key: Pick<SlotKey, 'status' | 'ends_at'>, now: number): boolean {
  const status = statusAt(key, now)
  return status === 'ACTIVE' || status === 'ROTATING'
}

/** A key's public name: it tells nothing of the key, but where its record lies. */
export function keyId(hash: string): string {
  return `key_${hash.slice(0, 20)}`
}

/** What the keys of a slot are counted by. */
export function slotName(account: string, number: number): string {
  return `${account}.${number}`
}

/** The names of an account's slots. */
export function slotNames(account: string): string[] {
  return Array.from({ length: SLOTS }, (_, at) => slotName(account, at + 1))
}

/** The slots of an account, also those that were never used. */
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
    // A version that went between the list and the look was no longer the newest.
    if (slots.every((slot) => slot !== null)) return slots
  }
}

/** Writes the next version of a slot; null where another change came first. */
export async function commitSlot(store: ObjectStore, slot: Slot, keys: readonly SlotKey[]): Promise<Slot | null> {
  const { account, number } = slot
  const next: Slot = { account, number, version: slot.version + 1, keys }
  const body = Buffer.from(JSON.stringify({ commit: randomUUID(), keys }))
  if (!(await store.putIfAbsent(versionKey(next, next.version), body))) return null
  if (next.version > KEPT_VERSIONS) await store.delete(versionKey(next, next.version - KEPT_VERSIONS))
  return next
}

/** Removes what was before the newest version of each slot of an account. */
export async function removeOldVersions(store: ObjectStore, account: string): Promise<void> {
  let last: string | null = null
  for await (const { key } of store.list(slotPrefix(account))) {
    if (last !== null && slotNumber(last) === slotNumber(key)) await store.delete(last)
    last = key
  }
}

/**
 * Removes the slots of an account without keys, a day after the last one went: until then they keep their numbers, so that a change that was
 * begun before finds them taken.
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

/** Every account that has or had a key, once. */
export async function* accountNames(store: ObjectStore): AsyncGenerator<string> {
  let last = ''
  for await (const { key } of store.list(ROOT)) {
    const account = key.slice(ROOT.length).split('/')[0] as string
    if (account !== last) yield account
    last = account
  }
}

/** Object of an account besides its slots. */
export function accountKey(account: string, name: string): string {
  return `${ROOT}${account}/${name}`
}

function slotPrefix(account: string): string {
  return accountKey(account, 'slot-')
}

function slotNumber(key: string): number {
  return Number(/\/slot-(\d)\/\d+$/.exec(key)?.[1])
}

function versionKey(slot: Pick<Slot, 'account' | 'number'>, version: number): string {
  return `${slotPrefix(slot.account)}${slot.number}/${String(version).padStart(8, '0')}`
}

async function readVersion(store: ObjectStore, account: string, key: string): Promise<Slot | null> {
  const bytes = await store.get(key)
  if (!bytes) return null
  const { keys } = JSON.parse(bytes.toString()) as { readonly keys: readonly SlotKey[] }
  return { account, number: slotNumber(key), version: Number(key.slice(key.lastIndexOf('/') + 1)), keys }
}
