import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Modules that browsers load, by the names of their files in URLs. */
type Modules = ReadonlyMap<string, string>

/**
 * Returns the modules of a version: those in the file `path`, if it has this version whole, else those that `make` prints as JSON
 * ([name, code] each), which are kept in the file. `version` is called again after that: what has changed since is not kept.
 */
export async function keptBundle(
  path: string,
  { version, entries, make }: { readonly version: () => string; readonly entries: readonly string[]; readonly make: () => Promise<string> },
): Promise<Modules> {
  const wanted = version()
  const kept = read(await readFile(path, 'utf8').catch(() => ''))
  if (kept?.version === wanted && entries.every((name) => kept.modules.has(name))) return kept.modules
  const made = await make()
  if (version() === wanted) await keep(path, JSON.stringify({ version: wanted, modules: JSON.parse(made) }))
  return new Map(JSON.parse(made) as [string, string][])
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
