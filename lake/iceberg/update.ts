import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { CommitConflict, CommitOutcomeUnknown } from './errors.ts'
import { metadataBytes, parseMetadata, type TableMetadata } from './metadata.ts'
import { BASE_MAX_AGE_MS, hintKey, pathsOf, type Table, type TableState, versionKey } from './table.ts'

/** The moments of a commit that a caller may want to see (or a test to die at). */
export type CommitStep = 'manifests-written' | 'metadata-written' | 'hint-written'

/** What one attempt makes of the state it is tried on. */
export type Attempt =
  | { readonly kind: 'change'; readonly metadata: TableMetadata }
  | { readonly kind: 'stop'; readonly reason: string }
  | { readonly kind: 'nothing' }

/** How a change to a table ended; `state` is the table's newest state then. */
export type Updated =
  | { readonly committed: true; readonly state: TableState }
  | { readonly committed: false; readonly reason: string; readonly state: TableState }

interface UpdateOptions {
  readonly table: Table
  /** Makes the next metadata of a state; keys of objects it writes go into `written`, before they are written. */
  readonly attempt: (base: TableState, written: string[]) => Promise<Attempt>
  readonly onStep?: (step: CommitStep) => Promise<void> | void
  /** Times to try while others come first; 40 unless told. */
  readonly attempts?: number
  readonly signal?: AbortSignal
}

/** The property that tells whose a version is. */
const COMMIT_ID = 'commit-id'

const MAX_ATTEMPTS = 40
const MAX_PUTS = 6
const FIRST_WAIT_MS = 20
const LONGEST_WAIT_MS = 1_000
const LONGEST_HINT_DELAY_MS = 60_000
/** Earlier versions that the metadata names, as Iceberg's `write.metadata.previous-versions-max`. */
const MAX_METADATA_LOG = 10

/**
 * Changes a table: tries the change on its newest state, writes the next version only where there is none, and begins again on the state
 * that came in between. Throws `CommitConflict` when others kept coming first and `CommitOutcomeUnknown` when the store did not say what
 * became of the write; what the attempt itself throws is passed on. Objects of an attempt that is known to have failed are deleted.
 */
export function updateTable(options: UpdateOptions): Promise<Updated> {
  return options.table.exclusively(() => update(options))
}

async function update(options: UpdateOptions): Promise<Updated> {
  const { table, onStep, attempts = MAX_ATTEMPTS, signal } = options
  const commitId = randomBytes(12).toString('base64url')
  for (let tries = 1; ; tries++) {
    signal?.throwIfAborted()
    const loaded_at = table.clock()
    const base = await table.load({ isFresh: true })
    if (!base) throw new Error(`table ${table.key} is not created`)
    const written: string[] = []
    const made = await prepare(options, base, written)
    if (made.kind === 'nothing') return { committed: true, state: base }
    if (made.kind === 'stop') {
      await discard(table, written)
      return { committed: false, reason: made.reason, state: base }
    }
    const version = base.version + 1
    const metadata = stamped(made.metadata, base, commitId)
    if ((await putVersion({ table, version, metadata, commitId, loaded_at })) === 'committed') {
      const committed_at = table.clock()
      const state = table.adopt(version, metadata)
      await onStep?.('metadata-written')
      await writeHint(table, { version, committed_at })
      await onStep?.('hint-written')
      return { committed: true, state }
    }
    await discard(table, written)
    if (tries >= attempts) throw new CommitConflict(`table ${table.key}: ${tries} attempts to commit met another's version each time`)
    await sleep(wait(tries), undefined, { signal })
  }
}

async function prepare({ table, attempt, onStep }: UpdateOptions, base: TableState, written: string[]): Promise<Attempt> {
  try {
    const made = await attempt(base, written)
    if (made.kind === 'change') await onStep?.('manifests-written')
    return made
  } catch (error) {
    await discard(table, written)
    throw error
  }
}

/** Writes the hint for readers that look for the newest version; readers that probe do without, so a failure is no error. */
export async function writeHint(table: Table, options: { version: number; committed_at: number }): Promise<void> {
  // A process that was stopped meanwhile would set the hint back to a version that may be gone.
  if (table.clock() - options.committed_at > LONGEST_HINT_DELAY_MS) return
  await table.store.put(hintKey(table.key), Buffer.from(String(options.version))).catch(() => {})
}

/** Deletes objects that nothing names; those that stay are found by the clean-up later. */
async function discard(table: Table, keys: readonly string[]): Promise<void> {
  for (const key of keys) await table.store.delete(key).catch(() => {})
}

type PutOutcome = 'committed' | 'conflict'

interface Put {
  readonly table: Table
  readonly version: number
  readonly metadata: TableMetadata
  readonly commitId: string
  readonly loaded_at: number
}

/** Writes a version where there is none, as often as it takes to know the outcome. */
async function putVersion({ table, version, metadata, commitId, loaded_at }: Put): Promise<PutOutcome> {
  const key = versionKey(table.key, version)
  const body = metadataBytes(metadata)
  let cause: unknown
  for (let puts = 0; puts < MAX_PUTS; puts++) {
    if (puts > 0) await sleep(wait(puts + 1))
    // An old base may be followed by versions that came and were cleaned away: their numbers must not be taken again.
    if (table.clock() - loaded_at > BASE_MAX_AGE_MS) {
      if (puts === 0) return 'conflict'
      break
    }
    try {
      if (await table.store.putIfAbsent(key, body)) return 'committed'
      cause = undefined
    } catch (error) {
      cause = error
    }
    // The version is there, or the reply was lost: what is there tells. While nothing is there, the same write is tried again.
    try {
      const found = await table.store.get(key)
      if (found) return parseMetadata(found, key).properties[COMMIT_ID] === commitId ? 'committed' : 'conflict'
    } catch (error) {
      cause ??= error
    }
  }
  throw new CommitOutcomeUnknown(`table ${table.key}: it is not known whether version ${version} was committed`, { cause })
}

/** The next version's metadata: whose it is, when it was made, and the version before it in the log. */
function stamped(metadata: TableMetadata, base: TableState, commitId: string): TableMetadata {
  const previous = {
    'timestamp-ms': base.metadata['last-updated-ms'],
    'metadata-file': pathsOf({ table: base.table, metadata }).toLocation(versionKey(base.table.key, base.version)),
  }
  return {
    ...metadata,
    // Clocks of writers differ; the history must not run backwards (Iceberg refuses tables whose log does).
    'last-updated-ms': Math.max(base.table.clock(), base.metadata['last-updated-ms'], metadata['last-updated-ms']),
    properties: { ...metadata.properties, [COMMIT_ID]: commitId },
    'metadata-log': [...metadata['metadata-log'], previous].slice(-MAX_METADATA_LOG),
  }
}

/** Pause before another try, in ms: random, so that writers part, and longer each time. */
function wait(tries: number): number {
  return Math.random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(tries, 7))
}
