import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Modules that browsers load, by the names of their files in URLs. */
type Modules = ReadonlyMap<string, string>

/**
 * Returns the modules of a version: those in the file `path`, if it has this version whole, else those that `make` prints as JSON
 * ([name, code] each). These are kept in the file if the sources are those of the version before and after, by `isCurrent`.
 */
export async function keptBundle(
  path: string,
  how: {
    readonly version: string
    readonly isCurrent: () => boolean
    readonly entries: readonly string[]
    readonly make: () => Promise<string>
  },
): Promise<Modules> {
  const { version, isCurrent, entries, make } = how
  const kept = read(await readFile(path, 'utf8').catch(() => ''))
  if (kept?.version === version && entries.every((name) => kept.modules.has(name))) return kept.modules
  const wasCurrent = isCurrent()
  const modules = JSON.parse(await make()) as [string, string][]
  if (wasCurrent && isCurrent()) await keep(path, JSON.stringify({ version, modules }))
  return new Map(modules)
}

/** The version and the modules in a file's text; null if it is damaged. */
function read(text: string): { readonly version: string; readonly modules: Modules } | null {
  try {
    const { version, modules } = JSON.parse(text) as { readonly version: string; readonly modules: [string, string][] }
    return { version, modules: new Map(modules) }
  } catch {
    return null
  }
}

/** Writes the file in one step. An installation that cannot be written works without it. */
async function keep(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}`
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(draft, text)
    await rename(draft, path)
  } catch {
    await rm(draft, { force: true }).catch(() => undefined)
  }
}
