import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

/** The project's folder. */
export const PROJECT = resolve(import.meta.dirname, '../..')

/** The rooms that hold code. */
export const ROOMS = ['jobs', 'lake', 'api', 'models', 'scripts', 'test'] as const
export type Room = (typeof ROOMS)[number]

/** A TypeScript file of the project: path from the project's folder, text, and the project files it imports. */
export interface SourceFile {
  readonly path: string
  readonly room: Room
  readonly text: string
  readonly imports: readonly string[]
}

/** Every TypeScript file of the rooms, by path. */
export function sourceFiles(): ReadonlyMap<string, SourceFile> {
  const files = new Map<string, SourceFile>()
  for (const room of ROOMS)
    for (const path of walk(join(PROJECT, room)).filter((name) => name.endsWith('.ts'))) {
      const text = readFileSync(path, 'utf8')
      const name = relative(PROJECT, path)
      files.set(name, { path: name, room, text, imports: importsOf(path, text) })
    }
  return files
}

/** All files below a folder, as absolute paths; none without the folder. */
export function walk(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? walk(path) : [path]
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

const IMPORT = /(?:^|[\s;])(?:import|export)\s[^'"`;]*?from\s*'([^']+)'|(?:^|[^\w.])import\s*\(?\s*'([^']+)'/g

function importsOf(path: string, text: string): string[] {
  const found = [...text.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? '')
  return [...new Set(found.filter((name) => name.startsWith('.')).map((name) => relative(PROJECT, resolve(dirname(path), name))))]
}
