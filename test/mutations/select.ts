import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Dice, diceOf } from '../../scripts/stand-in/random.ts'
import { applied, type Change, changesOf, isProgram } from './mutators.ts'

/** The rooms of product code. */
export const ROOMS = ['api', 'jobs', 'lake', 'models'] as const

/** A change of a file of a checkout. */
export interface Mutant extends Change {
  /** Path in the checkout. */
  readonly file: string
  /** Counted from 1. */
  readonly line: number
  /** The text around the change on one line, without the change and with it. */
  readonly before: string
  readonly after: string
}

/** How mutants are chosen. */
export interface Selection {
  /** The checkout that is mutated. */
  readonly root: string
  /** Another checkout: only files that have the same text there are mutated. */
  readonly sameAs: string | null
  readonly seed: number
  readonly count: number
}

const SHOWN = 160

/**
 * Chooses mutants at random: first a line among all changeable ones, so that a file counts by its lines of code, then a change of
 * that line. No line is chosen twice, and changes that do not parse are skipped. The same texts and seed give the same mutants.
 */
export function selectMutants({ root, sameAs, seed, count }: Selection): Mutant[] {
  const lines: Mutant[][] = []
  for (const file of productFiles(root)) {
    const source = readFileSync(join(root, file), 'utf8')
    if (sameAs !== null && source !== textOf(join(sameAs, file))) continue
    lines.push(...Map.groupBy(mutantsOf(file, source), ({ line }) => line).values())
  }
  const dice = diceOf('mutations', seed)
  const chosen: Mutant[] = []
  for (const line of shuffled(lines, dice)) {
    if (chosen.length === count) break
    const mutant = line[Math.floor(dice() * line.length)] as Mutant
    if (isProgram(applied(readFileSync(join(root, mutant.file), 'utf8'), mutant))) chosen.push(mutant)
  }
  return chosen
}

/** Every mutant of a source, whether it parses or not. */
function mutantsOf(file: string, source: string): Mutant[] {
  return changesOf(source).map((change) => {
    const from = source.lastIndexOf('\n', change.start - 1) + 1
    const next = source.indexOf('\n', change.end)
    const to = next === -1 ? source.length : next
    const shown = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, SHOWN)
    return {
      ...change,
      file,
      line: source.slice(0, change.start).split('\n').length,
      before: shown(source.slice(from, to)),
      after: shown(applied(source, change).slice(from, to + change.text.length - (change.end - change.start))),
    }
  })
}

function productFiles(root: string): string[] {
  return ROOMS.flatMap((room) => {
    try {
      return readdirSync(join(root, room), { recursive: true, encoding: 'utf8' }).map((path) => join(room, path))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
    .toSorted()
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** The items in random order (Fisher and Yates). */
function shuffled<T>(items: readonly T[], dice: Dice): T[] {
  const order = [...items]
  for (let at = order.length - 1; at > 0; at--) {
    const other = Math.floor(dice() * (at + 1))
    ;[order[at], order[other]] = [order[other] as T, order[at] as T]
  }
  return order
}
