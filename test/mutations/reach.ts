import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'

/** The folders whose files import each other. */
const FOLDERS = ['api', 'jobs', 'lake', 'models', 'scripts', 'test'] as const
/** Files that run as separate processes: `new URL('./x.ts', import.meta.url)`, `startProcess('x.ts')`, `script: 'x.ts'`. */
const SPAWNED = /(?:new URL\(|startProcess(?:<\w+>)?\(|\bscript: )['"]([\w./-]+\.ts)['"]/g
/** Commands such as `scripts/start` that are run by name, and the files that they run. */
const COMMAND = /['"`](?:[^'"`\n]*\/)?(scripts\/[\w-]+)['"`]/g
const RUN_BY_COMMAND = /\b(?:scripts|test)\/[\w./-]+\.ts\b/g
const HELD_BACK = '.deep.test.ts'

/** Which files of a checkout lead to which, by importing or running them. Type imports do not count. */
export class Reach {
  /** For each file, the files that lead to it directly. */
  readonly #from = new Map<string, Set<string>>()

  constructor(root: string) {
    const files = FOLDERS.flatMap((folder) => filesOf(root, folder))
    const known = new Set(files)
    for (const file of files) {
      const text = readFileSync(join(root, file), 'utf8')
      for (const target of targetsOf(file, text)) if (known.has(target)) this.#add(target, file)
    }
  }

  #add(target: string, from: string): void {
    const before = this.#from.get(target)
    if (before) before.add(from)
    else this.#from.set(target, new Set([from]))
  }

  /** The files that lead to a file, including itself, by number of steps. */
  stepsTo(file: string): ReadonlyMap<string, number> {
    const steps = new Map([[file, 0]])
    for (const [at, step] of steps) for (const from of this.#from.get(at) ?? []) if (!steps.has(from)) steps.set(from, step + 1)
    return steps
  }

  /**
   * The test files that lead to a file: those with the fewest steps first, a word of its path in their names counting as a step
   * less, then the quickest (`seconds`).
   */
  testsOf(file: string, { tier, seconds }: { readonly tier: 'default' | 'deep'; readonly seconds: (test: string) => number }): string[] {
    const words = new Set(wordsOf(file))
    const common = (test: string): number => wordsOf(test).filter((word) => words.has(word)).length
    return [...this.stepsTo(file)]
      .filter(([path]) => path.endsWith('.test.ts') && (tier === 'deep' || !path.endsWith(HELD_BACK)))
      .map(([path, steps]) => ({ path, distance: steps - common(path) }))
      .toSorted(
        (one, other) => one.distance - other.distance || seconds(one.path) - seconds(other.path) || one.path.localeCompare(other.path),
      )
      .map(({ path }) => path)
  }
}

/** True for a test file that only the deep tier runs. */
export function isDeepOnly(test: string): boolean {
  return test.endsWith(HELD_BACK)
}

/**
 * The words of a path: `test/api/endpoints/mobility/mobility-od.test.ts` and `api/endpoints/mobility/od.ts` have three in common.
 */
function wordsOf(path: string): string[] {
  return [...new Set(path.replace(/^test\/|(?:\.deep)?(?:\.test)?\.ts$/g, '').split(/[/-]/))]
}

function filesOf(root: string, folder: string): string[] {
  try {
    return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && (entry.name.endsWith('.ts') || (folder === 'scripts' && !entry.name.includes('.'))))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function targetsOf(file: string, text: string): string[] {
  if (!file.endsWith('.ts')) return [...text.matchAll(RUN_BY_COMMAND)].map(([name]) => name)
  const named: string[] = [...text.matchAll(SPAWNED)].map(([, name]) => name as string)
  new Visitor({
    ImportDeclaration({ source, importKind }) {
      if (importKind !== 'type') named.push(source.value)
    },
    ExportAllDeclaration({ source, exportKind }) {
      if (exportKind !== 'type') named.push(source.value)
    },
    ExportNamedDeclaration({ source, exportKind }) {
      if (source && exportKind !== 'type') named.push(source.value)
    },
    ImportExpression({ source }) {
      if (source.type === 'Literal' && typeof source.value === 'string') named.push(source.value)
    },
  }).visit(parseSync(file, text).program)
  return [
    ...named.filter((name) => name.endsWith('.ts')).map((name) => join(dirname(file), name)),
    ...[...text.matchAll(COMMAND)].map(([, name]) => name as string),
  ]
}
