import { LRUCache } from 'lru-cache'
import { metadataBytes, type TableMetadata } from '../../../lake/iceberg/metadata.ts'
import { openTable, type Table, versionKey } from '../../../lake/iceberg/table.ts'
import { writeHint } from '../../../lake/iceberg/update.ts'
import type { ObjectInfo, ObjectStore } from '../../../lake/store/store.ts'
import { versioned } from '../../../lake/store/versioned.ts'
import { problem } from '../../kernel/problems.ts'
import { noTable } from './errors.ts'

/** The namespace of the tables that lake writers make. */
export const OWN = 'own'
const ROOT = `lake/${OWN}/`
/** Names of tables: without a hyphen, which separates the name from the id in the name of a folder. */
export const NAME = /^[a-z_][a-z0-9_]{0,99}$/
const MAX_TABLES = 1000
/** How long files of a dropped table stay, in ms, unless they are purged: Spark's own PURGE deletes nothing here. */
const DROPPED_MS = 7 * 24 * 3_600_000
/** Age of files of no listed table, in ms, from which they go: a table may be made of files that were put before. */
const STRAY_MS = 3 * 24 * 3_600_000
const CACHED = 200

/** The tables of lake writers. Each has a folder of its own, which no later table of the same name gets. */
export interface OwnTables {
  /** Returns the names of all tables, in order. */
  names(): Promise<string[]>
  /** Returns a table. Throws the problem of an unknown one. */
  find(name: string): Promise<Table>
  /** Returns the table in a folder, if its key is one of such a folder; null for any other key. */
  byKey(key: string): Table | null
  /** Returns the table that `uuid` would get. Throws the problem of a name that is not allowed. */
  planned(name: string, uuid: string): Table
  /** Makes a planned table with its first metadata. Throws the problem of a name that is taken. */
  create(name: string, table: Table, metadata: TableMetadata): Promise<void>
  /** Removes a table; its files may go at once if `isPurged`, else a week later. Throws the problem of an unknown one. */
  drop(name: string, isPurged: boolean): Promise<void>
  /** Removes the files of dropped tables that are due, and old ones that no listed table has. */
  tidy(): Promise<void>
}

/** The folders of tables by name, and the times (ms) from which files of dropped ones may go, by folder. */
interface Listed {
  readonly tables: Readonly<Record<string, string>>
  readonly dropped: Readonly<Record<string, number>>
}

const EMPTY: Listed = Object.freeze({ tables: {}, dropped: {} })

/** Opens the list of tables, which is one chain of versions: of two changes at once, none is lost. */
export function openOwnTables({ store, clock }: { readonly store: ObjectStore; readonly clock: () => number }): OwnTables {
  const list = versioned<Listed>(store, 'system/own-tables/')
  const opened = new LRUCache<string, Table>({ max: CACHED })
  const open = (key: string): Table => {
    const table = opened.get(key) ?? openTable({ store, key, clock })
    opened.set(key, table)
    return table
  }
  const listed = async (): Promise<Listed> => (await list.read()).value ?? EMPTY
  const tables = async (): Promise<Listed['tables']> => (await listed()).tables
  const purge = async (): Promise<void> => {
    const { dropped } = await listed()
    const due = Object.keys(dropped).filter((folder) => (dropped[folder] as number) <= clock())
    for (const folder of due) {
      const keys: string[] = []
      for await (const { key } of store.list(`${ROOT}${folder}/`)) keys.push(key)
      await store.deleteMany(keys)
    }
    if (due.length === 0) return
    await list.update((current) => {
      const { tables: kept, dropped: left } = current ?? EMPTY
      return { tables: kept, dropped: Object.fromEntries(Object.entries(left).filter(([folder]) => !due.includes(folder))) }
    })
  }
  const removeStrays = async (): Promise<void> => {
    const isStray = async (): Promise<(object: ObjectInfo) => boolean> => {
      const { tables: made, dropped } = await listed()
      const known = new Set([...Object.values(made), ...Object.keys(dropped)])
      const before = clock() - STRAY_MS
      return ({ key, modified_at }) => modified_at < before && !known.has(key.slice(ROOT.length, key.indexOf('/', ROOT.length)))
    }
    const strays: ObjectInfo[] = []
    const wasStray = await isStray()
    for await (const object of store.list(ROOT)) if (wasStray(object)) strays.push(object)
    // Asked again: a table that was made meanwhile is listed by now.
    await store.deleteMany(strays.filter(await isStray()).map(({ key }) => key))
  }
  return {
    names: async () => Object.keys(await tables()).sort(),
    async find(name) {
      const all = await tables()
      const folder = Object.hasOwn(all, name) ? all[name] : undefined
      if (folder === undefined) throw noTable(OWN, name)
      return open(`${ROOT}${folder}`)
    },
    byKey: (key) => (key.startsWith(ROOT) ? open(key) : null),
    planned(name, uuid) {
      if (!NAME.test(name))
        throw problem('invalid-parameter', `${name.slice(0, 120)} is no name of a table: expected a-z, 0-9 and _, at most 100 of them.`)
      if (!/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(uuid)) throw problem('invalid-parameter', `${uuid.slice(0, 60)} is no uuid of a table.`)
      return open(`${ROOT}${name}-${uuid.replaceAll('-', '').slice(0, 16)}`)
    },
    async create(name, table, metadata) {
      const taken = (): Error =>
        problem('conflict', `There is a table ${OWN}.${name} already.`, { extensions: { type: 'AlreadyExistsException' } })
      if (Object.hasOwn(await tables(), name)) throw taken()
      if (!(await store.putIfAbsent(versionKey(table.key, 1), metadataBytes(metadata)))) throw taken()
      await writeHint(table, { version: 1, committed_at: clock() })
      await list.update((listed) => {
        const { tables: before, dropped } = listed ?? EMPTY
        if (Object.hasOwn(before, name)) throw taken()
        if (Object.keys(before).length >= MAX_TABLES) throw problem('conflict', `There are ${MAX_TABLES} tables already, the most allowed.`)
        return { tables: { ...before, [name]: table.key.slice(ROOT.length) }, dropped }
      })
    },
    async drop(name, isPurged) {
      const { key } = await this.find(name)
      await list.update((listed) => {
        const { tables: before, dropped } = listed ?? EMPTY
        const { [name]: folder, ...rest } = before
        if (folder === undefined || `${ROOT}${folder}` !== key) throw noTable(OWN, name)
        return { tables: rest, dropped: { ...dropped, [folder]: isPurged ? 0 : clock() + DROPPED_MS } }
      })
      opened.delete(key)
      // The table is gone in any case; what is left goes later.
      if (isPurged) await purge().catch(() => {})
    },
    tidy: async () => {
      await purge()
      await removeStrays()
    },
  }
}
