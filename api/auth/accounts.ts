import { randomUUID } from 'node:crypto'
import type { ObjectStore } from '../../lake/store/store.ts'
import type { Language } from '../kernel/language.ts'
import { problem } from '../kernel/problems.ts'
import { hintOf, type KeyHint, makeKey } from './keys/key-format.ts'
import type { KeyIndex } from './keys/key-index.ts'
import { type KeyRecord, readRecord, recordById, recordOf, writeRecord } from './keys/key-records.ts'
import { type Peppers, sealed, unsealed } from './keys/pepper.ts'
import {
  accountKey,
  accountNames,
  commitSlot,
  FREE_KEYS,
  isWorking,
  type KeyStatus,
  keyId,
  type Plan,
  readSlots,
  removeEmpty,
  removeOldVersions,
  SLOTS,
  type Slot,
  type SlotKey,
  slotName,
  statusAt,
} from './keys/slots.ts'
import { lifeOf, RECORD, removeEpochs, removeOldEpochs } from './sessions/token-epochs.ts'

/** A key as its owner sees it. Times are ms since the epoch. */
export interface ListedKey {
  readonly id: string
  readonly hint: KeyHint
  readonly label: string | null
  /** The slot that counts its requests, shared with earlier and later keys in its place. */
  readonly slot: string
  readonly plan: Plan
  readonly status: KeyStatus
  readonly created_at: number
  readonly ends_at: number | null
  readonly isLakeWriter: boolean
}

/** A new key. Its text is stored nowhere else. */
export interface NewKey extends ListedKey {
  readonly key: string
  readonly account: string
}

/** The owner of an account. */
export interface Contact {
  readonly email: string
  readonly language: Language
  /** True after the owner of the address has opened a mailed link. */
  readonly isConfirmed: boolean
}

/** What accounts need. */
export interface AccountsOptions {
  readonly store: ObjectStore
  readonly index: KeyIndex
  readonly peppers: Peppers
  readonly clock: () => number
  /** How long keys of an unconfirmed address work, in ms; null: for ever. */
  readonly unconfirmed_ms: number | null
}

/** One key of an account. */
export interface OneKey {
  readonly account: string
  readonly id: string
}

/** Accounts and their keys in the object store. The hash of its e-mail address names an account. Refusals are `Problem`s. */
export interface Accounts {
  /**
   * Makes a key for a normalized e-mail address (`normalEmail`). Throws `key-limit-reached` if it already has three free ones.
   */
  create(options: {
    readonly email: string
    readonly label: string | null
    readonly language: Language
    readonly plan?: Plan
    /** True for a key that writes tables of the lake. */
    readonly isLakeWriter?: boolean
  }): Promise<NewKey>
  /** Returns the name of an address's account, even if it has no key. */
  nameOf(email: string): Promise<string>
  /** Returns the owner of an account; null if it does not exist. */
  contact(account: string): Promise<Contact | null>
  /** Returns the working keys of an account and the last ended ones, in the order of its slots. */
  list(account: string): Promise<ListedKey[]>
  /** True if a key of the account works and has the plan. */
  hasPlan(account: string, plan: Plan): Promise<boolean>
  /** Replaces a key, which works for `overlap_ms` longer. Throws `not-found`, or `conflict` during another rotation. */
  rotate(options: OneKey & { readonly overlap_ms: number }): Promise<{ readonly made: NewKey; readonly former: ListedKey }>
  /** Ends a key for good, and also the former key that it replaced. */
  revoke(one: OneKey): Promise<ListedKey>
  /** Ends all keys of an account and returns how many worked. */
  revokeAll(account: string): Promise<number>
  /** Sets the plan of a working key. */
  grant(options: OneKey & { readonly plan: Plan }): Promise<ListedKey>
  /** Returns whether the account wants usage mails; null if never set. */
  usageMails(account: string): Promise<boolean | null>
  /** Sets whether the account wants usage mails. */
  setUsageMails(account: string, isWanted: boolean): Promise<void>
  /** Records that the owner has opened a mailed link: the keys no longer expire. */
  confirm(account: string): Promise<void>
  /** Ends all keys, and deletes the account, its address and its tokens' epochs. */
  remove(account: string): Promise<void>
  /** Returns the account of a working key, by the key's public name; null if there is none. */
  ownerOf(id: string): Promise<string | null>
  /** Iterates over all accounts. */
  names(): AsyncIterable<string>
  /** Updates what is derived from the slots: records of keys, including expired ones, and the index. */
  tidy(signal?: AbortSignal): Promise<void>
}

/** The content of `accounts/<account>/account`. */
interface AccountRecord {
  /** The encrypted address. */
  readonly email: string
  readonly language: Language
  readonly created_at: number
  /** Distinguishes this account from earlier and later ones of the same address: see `TokenEpochs`. */
  readonly nonce: string
}

/** A change of one slot of an account. */
interface Change {
  readonly slot: Slot
  readonly keys: readonly SlotKey[]
  /** True if the slot is to forget all its keys. */
  readonly isEnd?: boolean
}

const CONFIRMED = 'confirmed'
const USAGE_MAILS = 'usage-mails'
/** Ended keys that are still listed, by slot. */
const ENDED_LISTED = 5
const TRIES = 50

/** Opens the accounts of a store. */
export function openAccounts({ store, index, peppers, clock, unconfirmed_ms }: AccountsOptions): Accounts {
  const listed = ({ account, number }: Pick<Slot, 'account' | 'number'>, key: SlotKey): ListedKey => ({
    id: keyId(key.hash),
    slot: slotName(account, number),
    hint: key.hint,
    label: key.label === null ? null : unsealed(peppers, key.label, account),
    plan: key.plan,
    status: statusAt(key, clock()),
    created_at: key.created_at,
    ends_at: key.ends_at,
    isLakeWriter: key.is_lake_writer === true,
  })

  const listedIn = (slot: Slot, id: string): ListedKey => listed(slot, slot.keys.find((key) => keyId(key.hash) === id) as SlotKey)

  /** Changes a slot as `decide` returns for the newest state. A concurrent change starts it again. */
  const change = async (account: string, decide: (slots: readonly Slot[], now: number) => Change): Promise<Slot> => {
    for (let tries = 0; tries < TRIES; tries++) {
      const now = clock()
      const { slot, keys, isEnd = false } = decide(await readSlots(store, account), now)
      if (keys === slot.keys) {
        // It was so before, perhaps by a process that ended before it could report it.
        await settle(slot, keys)
        return slot
      }
      const kept = isEnd ? [] : withoutOld(keys, now)
      const next = await commitSlot(store, slot, kept)
      if (!next) continue
      const before = new Map(slot.keys.map((key) => [key.hash, JSON.stringify(key)]))
      const changed = keys.filter((key) => before.get(key.hash) !== JSON.stringify(key) || !kept.includes(key))
      await settle(next, changed)
      return next
    }
    throw problem('temporary-reduced-capacity', 'Too many changes of this account came at once; this one was not made.', {
      retry_after_s: 1,
    })
  }

  /** Writes the records of keys for a version of their slot, and repeats if a later version was written meanwhile. */
  const settle = async (slot: Slot, keys: readonly SlotKey[]): Promise<void> => {
    let records = keys.map((key) => recordOf(slot, key, clock()))
    for (let from = slot; ; ) {
      await Promise.all(records.map((record) => writeRecord(store, record)))
      const newest = (await readSlots(store, slot.account))[slot.number - 1] as Slot
      if (newest.version === from.version) break
      // Keys that the slot has dropped since then have ended.
      const gone = keys.filter(({ hash }) => !newest.keys.some((key) => key.hash === hash))
      const version = Math.max(newest.version, from.version)
      from = newest
      records = [...newest.keys, ...gone.map(revoked)].map((key) => recordOf({ ...newest, version }, key, clock()))
    }
    await index.announce(records)
  }

  const changeKey = async ({ account, id }: OneKey, edit: (key: SlotKey, slot: Slot, now: number) => readonly SlotKey[]): Promise<Slot> =>
    change(account, (slots, now) => {
      for (const slot of slots) for (const key of slot.keys) if (keyId(key.hash) === id) return { slot, keys: edit(key, slot, now) }
      throw problem('not-found', 'There is no such key.')
    })

  const ensureRecord = async (account: string, record: Omit<AccountRecord, 'nonce' | 'created_at'>): Promise<void> => {
    const body: AccountRecord = { ...record, created_at: clock(), nonce: randomUUID() }
    await store.putIfAbsent(accountKey(account, RECORD), Buffer.from(JSON.stringify(body)))
  }

  const isConfirmed = async (account: string): Promise<boolean> => (await store.head(accountKey(account, CONFIRMED))) !== null

  const usedSlots = async (account: string): Promise<readonly number[]> =>
    (await readSlots(store, account)).filter((slot) => slot.version > 0).map((slot) => slot.number)

  const changeSlot = (account: string, number: number, edit: (slot: Slot, now: number) => readonly SlotKey[]): Promise<Slot> =>
    change(account, (slots, now) => {
      const slot = slots[number - 1] as Slot
      return { slot, keys: edit(slot, now) }
    })

  const accounts: Accounts = {
    create: async ({ email, label, language, plan = 'FREE', isLakeWriter = false }) => {
      const account = await accounts.nameOf(email)
      const record = { email: sealed(peppers, email, account), language }
      await ensureRecord(account, record)
      const life_ms = unconfirmed_ms === null || (await isConfirmed(account)) ? null : unconfirmed_ms
      const key = makeKey()
      const made: SlotKey = {
        hash: peppers.current.hash(key),
        plan,
        hint: hintOf(key),
        label: label === null ? null : sealed(peppers, label, account),
        created_at: clock(),
        status: 'ACTIVE',
        ends_at: life_ms === null ? null : clock() + life_ms,
        ...(isLakeWriter ? { is_lake_writer: true } : {}),
      }
      const slot = await change(account, (slots, now) => {
        const working = slots.filter((slot) => slot.keys.some((one) => isWorking(one, now)))
        const unpaid = working.filter((slot) => slot.keys.some((one) => one.plan === 'FREE' && isWorking(one, now)))
        const free = slots.find((slot) => !working.includes(slot))
        if (!free || (plan === 'FREE' && unpaid.length >= FREE_KEYS))
          throw problem(
            'key-limit-reached',
            `This e-mail address has ${free ? `${FREE_KEYS} free` : SLOTS} keys already; one has to be revoked before another is made.`,
          )
        return { slot: free, keys: [...free.keys, made] }
      })
      // It disappears if the account is removed at the same time.
      await ensureRecord(account, record)
      return { ...listed(slot, made), key, account }
    },

    nameOf: async (email) => {
      const names = peppers.all.map((pepper) => pepper.hash(email))
      for (const name of names.slice(1)) if (await store.head(accountKey(name, RECORD))) return name
      return names[0] as string
    },

    contact: async (account) => {
      const bytes = await store.get(accountKey(account, RECORD))
      if (!bytes) return null
      const { email, language } = JSON.parse(bytes.toString()) as AccountRecord
      return { email: unsealed(peppers, email, account), language, isConfirmed: await isConfirmed(account) }
    },

    list: async (account) => (await readSlots(store, account)).flatMap((slot) => slot.keys.map((key) => listed(slot, key))),

    hasPlan: async (account, plan) =>
      (await readSlots(store, account)).some(({ keys }) => keys.some((key) => key.plan === plan && isWorking(key, clock()))),

    rotate: async ({ account, id, overlap_ms }) => {
      const key = makeKey()
      const hash = peppers.current.hash(key)
      const slot = await changeKey({ account, id }, (old, { keys }, now) => {
        if (!isWorking(old, now)) throw problem('conflict', 'This key does not work any more; it cannot be rotated.')
        if (keys.some((one) => statusAt(one, now) === 'ROTATING'))
          throw problem('conflict', 'This key is being rotated already; it can be again when the former one has ended or was revoked.')
        const ends_at = Math.min(now + overlap_ms, old.ends_at ?? Number.POSITIVE_INFINITY)
        const former: SlotKey = overlap_ms === 0 ? revoked(old) : { ...old, status: 'ROTATING', ends_at }
        const made: SlotKey = { ...old, hash, hint: hintOf(key), created_at: now }
        return [...keys.map((one) => (one === old ? former : one)), made]
      })
      return { made: { ...listedIn(slot, keyId(hash)), key, account }, former: listedIn(slot, id) }
    },

    revoke: async ({ account, id }) => {
      const slot = await changeKey({ account, id }, (old, { keys }) =>
        old.status === 'REVOKED' ? keys : keys.map((one) => (one === old || isReplaced(one, old) ? revoked(one) : one)),
      )
      return listedIn(slot, id)
    },

    revokeAll: async (account) => {
      let count = 0
      for (const number of await usedSlots(account)) {
        let worked = 0
        await changeSlot(account, number, ({ keys }, now) => {
          worked = keys.filter((key) => isWorking(key, now)).length
          return worked === 0 ? keys : keys.map((key) => (isWorking(key, now) ? revoked(key) : key))
        })
        count += worked
      }
      return count
    },

    grant: async ({ account, id, plan }) => {
      const slot = await changeKey({ account, id }, (old, { keys }, now) => {
        if (!isWorking(old, now)) throw problem('conflict', 'This key does not work any more; no plan can be granted to it.')
        // All that works in the slot: a rotation at the same time has made the key that takes over.
        const isGranted = (one: SlotKey): boolean => one.plan === plan || !isWorking(one, now)
        return keys.every(isGranted) ? keys : keys.map((one) => (isGranted(one) ? one : { ...one, plan }))
      })
      return listedIn(slot, id)
    },

    usageMails: async (account) => {
      const bytes = await store.get(accountKey(account, USAGE_MAILS))
      return bytes && (JSON.parse(bytes.toString()) as boolean)
    },

    setUsageMails: async (account, isWanted) => {
      await store.put(accountKey(account, USAGE_MAILS), Buffer.from(JSON.stringify(isWanted)))
      // The account may have been removed meanwhile.
      if (!(await store.head(accountKey(account, RECORD)))) await store.delete(accountKey(account, USAGE_MAILS))
    },

    confirm: async (account) => {
      if (!(await store.head(accountKey(account, RECORD)))) throw problem('not-found', 'There is no such account.')
      await store.putIfAbsent(accountKey(account, CONFIRMED), Buffer.from(randomUUID()))
      for (const number of await usedSlots(account))
        await changeSlot(account, number, ({ keys }, now) =>
          keys.some((key) => isUnconfirmed(key, now))
            ? keys.map((key) => (isUnconfirmed(key, now) ? { ...key, ends_at: null } : key))
            : keys,
        )
    },

    remove: async (account) => {
      for (const number of await usedSlots(account))
        await change(account, (slots) => {
          const slot = slots[number - 1] as Slot
          return { slot, keys: slot.keys.map(revoked), isEnd: true }
        })
      const life = await lifeOf(store, account)
      for (const name of [RECORD, CONFIRMED, USAGE_MAILS]) await store.delete(accountKey(account, name))
      if (life !== null) await removeEpochs(store, account, life)
      await removeOldVersions(store, account)
    },

    ownerOf: async (id) => (await recordById(store, id))?.account ?? null,

    names: () => accountNames(store),

    tidy: async (signal) => {
      for await (const account of accountNames(store)) {
        signal?.throwIfAborted()
        const slots = await readSlots(store, account)
        for (const slot of slots) {
          const there = await Promise.all(slot.keys.map((key) => readRecord(store, key.hash)))
          const wrong = slot.keys.filter((key, at) => !isSame(there[at] ?? null, recordOf(slot, key, clock())))
          if (wrong.length > 0) await settle(slot, wrong)
          await index.fill(there.filter((record) => record !== null && !wrong.some((key) => key.hash === record.hash)) as KeyRecord[])
        }
        // A key made while the address was being confirmed, or by a process that ended in between.
        if (slots.some(({ keys }) => keys.some((key) => isUnconfirmed(key, clock()))) && (await isConfirmed(account)))
          await accounts.confirm(account)
        if (slots.every((slot) => slot.keys.length === 0)) {
          await removeEmpty(store, account)
          await removeOldEpochs(store, account)
        }
      }
    },
  }
  return accounts
}

/** True for a key that works only as long as its replacement does. */
function isReplaced(key: SlotKey, { status }: SlotKey): boolean {
  return status === 'ACTIVE' && key.status === 'ROTATING'
}

function revoked(key: SlotKey): SlotKey {
  return { ...key, status: 'REVOKED', ends_at: null }
}

/** True for a key that expires unless its address is confirmed. */
function isUnconfirmed(key: SlotKey, now: number): boolean {
  return statusAt(key, now) === 'ACTIVE' && key.ends_at !== null
}

/** Returns the keys without those that ended long ago: each has its own record. */
function withoutOld(keys: readonly SlotKey[], now: number): readonly SlotKey[] {
  const ended = keys.filter((key) => !isWorking(key, now)).toSorted((one, other) => one.created_at - other.created_at)
  const old = new Set(ended.slice(0, -ENDED_LISTED))
  return keys.filter((key) => !old.has(key))
}

/** True if two records are equal apart from their versions. */
function isSame(one: KeyRecord | null, other: KeyRecord): boolean {
  return JSON.stringify({ ...one, version: 0 }) === JSON.stringify({ ...other, version: 0 })
}
