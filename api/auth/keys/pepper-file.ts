import { randomUUID } from 'node:crypto'
import { link, open, readFile, rm, stat } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { newPepperText, type Peppers, parsePeppers } from './pepper.ts'

/** Where the store records the secrets that its records were made with: fingerprints by version. */
const MARKS = 'system/key-pepper/'
const FILE = 'key-pepper'

/** The origin of the secret. */
export interface PepperPlace {
  readonly store: ObjectStore
  /** The configured secrets; null if the file contains them. */
  readonly configured: string | null
  /** Folder of the file `key-pepper`, outside the store. The file is created at the first start, readable only by its owner. */
  readonly folder: string
}

/**
 * Returns the secrets of the service, from configuration or from the file. Throws if they do not match the records in the store:
 * with other secrets every key would be unknown and every account lost.
 */
export async function openPeppers({ store, configured, folder }: PepperPlace): Promise<Peppers> {
  const marks = await readMarks(store)
  const peppers = parsePeppers(configured ?? (await fileText({ store, folder, mayMake: marks.size === 0 })))
  for (const [version, fingerprint] of marks) {
    const found = peppers.all.find((one) => one.version === version)
    if (!found)
      throw new Error(
        `keys in ${store.url} were made with the key pepper of version ${version}, which is not configured: add it to KEY_PEPPER`,
      )
    if (found.fingerprint !== fingerprint)
      throw new Error(
        `keys in ${store.url} were made with another key pepper of version ${version} than this one: restore it, or no key works`,
      )
  }
  const { version, fingerprint } = peppers.current
  if (marks.has(version)) return peppers
  await store.putIfAbsent(`${MARKS}${version}`, Buffer.from(fingerprint))
  // If two processes start first with different secrets, one of them wins.
  if ((await readMarks(store)).get(version) !== fingerprint)
    throw new Error(`another process began to make keys in ${store.url} with its own key pepper of version ${version}: use that one`)
  return peppers
}

async function readMarks(store: ObjectStore): Promise<ReadonlyMap<number, string>> {
  const marks = new Map<number, string>()
  for await (const { key } of store.list(MARKS)) {
    const bytes = await store.get(key)
    if (bytes) marks.set(Number(key.slice(MARKS.length)), bytes.toString())
  }
  return marks
}

async function fileText({
  store,
  folder,
  mayMake,
}: {
  readonly store: ObjectStore
  readonly folder: string
  readonly mayMake: boolean
}): Promise<string> {
  const path = resolve(folder, FILE)
  if (store.url.startsWith('file:') && path.startsWith(`${resolve(store.location('x'), '..')}${sep}`))
    throw new Error(`${path} is in the store ${store.url}: the key pepper must be outside it, so set KEY_PEPPER or another DATA_DIR`)
  const there = await textOf(path)
  if (there !== null) return there
  if (!mayMake) throw new Error(`keys in ${store.url} were made with a key pepper, but ${path} is missing: restore it, or set KEY_PEPPER`)
  // Written under another name and linked, so that concurrent starts all read the winner's complete file.
  const mine = `${path}.${randomUUID()}`
  const handle = await open(mine, 'wx', 0o600)
  try {
    await handle.writeFile(`${newPepperText()}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  try {
    await link(mine, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(mine, { force: true })
  }
  return (await textOf(path)) as string
}

async function textOf(path: string): Promise<string | null> {
  try {
    const { mode } = await stat(path)
    if ((mode & 0o077) !== 0) throw new Error(`${path} can be read by others than its owner: chmod 600 ${path}`)
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
