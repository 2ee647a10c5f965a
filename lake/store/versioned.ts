import { randomUUID } from 'node:crypto'
import { StoreError } from './errors.ts'
import type { ObjectInfo, ObjectStore } from './store.ts'

/** A state and its number in the chain of versions; 0 and null before the first. */
export interface Version<T> {
  readonly number: number
  readonly value: T | null
}

/** A state that several processes change: each version is an object of its own and written once, so no change is lost. */
export interface Versioned<T extends object> {
  /** Returns the newest version. */
  read(): Promise<Version<T>>
  /** Returns the version with a number; null if it does not exist. */
  at(number: number): Promise<T | null>
  /** Writes the version after `number`; false if another change has won. */
  commit(number: number, value: T): Promise<boolean>
  /**
   * Replaces the state by what `decide` returns for the newest one, again after each concurrent change. Nothing is written if it
   * returns the same object. Throws a `StoreError` (`contention`) after 50 attempts.
   */
  update(decide: (value: T | null) => T | Promise<T>): Promise<T>
}

/** Old versions are deleted at every so many commits. */
const TIDY_EVERY = 8
/** Age in ms at which a version is deleted. Until then a writer that has read it, or one before, finds its next version taken. */
const KEPT_MS = 3_600_000
const TRIES = 50
const DIGITS = 8

/** Returns the key of a version below a prefix that ends in `/`. */
function versionKey(prefix: string, number: number): string {
  return `${prefix}${String(number).padStart(DIGITS, '0')}`
}

/** Returns the number of a version's key; null for the key of another object. */
export function versionOf(key: string): number | null {
  const name = key.slice(key.lastIndexOf('/') + 1)
  return /^\d{8}$/.test(name) ? Number(name) : null
}

async function removeOld(store: ObjectStore, prefix: string): Promise<void> {
  const all: ObjectInfo[] = []
  for await (const info of store.list(prefix)) if (versionOf(info.key) !== null) all.push(info)
  const newest = all.at(-1)
  for (const { key, modified_at } of all.slice(0, -1)) if (newest && modified_at < newest.modified_at - KEPT_MS) await store.delete(key)
}

/** Opens a state below a prefix that ends in `/`. `unversioned` returns the state before the first version, by default null. */
export function versioned<T extends object>(
  store: ObjectStore,
  prefix: string,
  { unversioned = async () => null }: { readonly unversioned?: () => Promise<T | null> } = {},
): Versioned<T> {
  const chain: Versioned<T> = {
    read: async () => {
      for (;;) {
        let number = 0
        for await (const { key } of store.list(prefix)) number = versionOf(key) ?? number
        if (number === 0) return { number, value: await unversioned() }
        const value = await chain.at(number)
        // A version that disappeared between the list and the read was no longer the newest.
        if (value !== null) return { number, value }
      }
    },

    at: async (number) => {
      const bytes = await store.get(versionKey(prefix, number))
      if (!bytes) return null
      const { commit: _commit, ...value } = JSON.parse(bytes.toString()) as T & { readonly commit: string }
      return value as unknown as T
    },

    commit: async (number, value) => {
      const body = Buffer.from(JSON.stringify({ commit: randomUUID(), ...value }))
      if (!(await store.putIfAbsent(versionKey(prefix, number + 1), body))) return false
      // The change is made: what is left of old versions goes with the next ones.
      if (number > 0 && number % TIDY_EVERY === 0) await removeOld(store, prefix).catch(() => {})
      return true
    },

    update: async (decide) => {
      for (let tries = 0; tries < TRIES; tries++) {
        const { number, value } = await chain.read()
        const next = await decide(value)
        if (next === value || (await chain.commit(number, next))) return next
      }
      throw new StoreError(`too many changes of ${prefix} came at once; this one was not made`, { code: 'contention' })
    },
  }
  return chain
}
