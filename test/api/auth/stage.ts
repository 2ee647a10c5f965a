import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Accounts, openAccounts } from '../../../api/auth/accounts.ts'
import { type KeyIndex, type KeyIndexOptions, openKeyIndex } from '../../../api/auth/keys/key-index.ts'
import { newPepperText, type Peppers, parsePeppers } from '../../../api/auth/keys/pepper.ts'
import { fileStore } from '../../../lake/store/file.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { tempFolder } from '../../helpers/temp.ts'

export const DAY_MS = 86_400_000

/** One process of the service, with its key code alone. */
export interface Stage {
  readonly store: ObjectStore
  readonly peppers: Peppers
  readonly index: KeyIndex
  readonly accounts: Accounts
}

export type StageOptions = Partial<KeyIndexOptions> & { readonly unconfirmed_ms?: number | null }

/** Opens accounts and an index, by default over a store of files and without Redis. Closes them when the test ends. */
export async function stage(options: StageOptions = {}): Promise<Stage> {
  const store = options.store ?? (await fileStore(join(tempFolder(), 'store')))
  const {
    peppers = parsePeppers(newPepperText()),
    clock = Date.now,
    redisUrl = '/nowhere/redis.sock',
    unconfirmed_ms = null,
    ...times
  } = options
  const index = openKeyIndex({ ...times, store, redisUrl, peppers, clock })
  onTestFinished(() => index.close())
  return { store, peppers, index, accounts: openAccounts({ store, index, peppers, clock, unconfirmed_ms }) }
}

/** Everything in a store, as text: names and bodies. */
export async function textOf(store: ObjectStore): Promise<string> {
  const parts: string[] = []
  for await (const { key } of store.list('')) parts.push(key, (await store.get(key))?.toString() ?? '')
  return parts.join('\n')
}
