import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { CommitConflict, CommitOutcomeUnknown, TableRefused } from './errors.ts'
import { metadataBytes, parseMetadata, type TableMetadata } from './metadata.ts'
import { BASE_MAX_AGE_MS, hintKey, pathsOf, type Table, type TableState, versionKey } from './table.ts'

/** The steps of a commit, for callers that observe them (or tests that stop there). */
export type CommitStep = 'manifests-written' | 'metadata-written' | 'hint-written'

/** The result of one attempt on a base state. */
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
  /** Computes the next metadata of a state. Keys of its objects go into `written` before they are written. */
  readonly attempt: (base: TableState, written: string[]) => Promise<Attempt>
  readonly onStep?: (step: CommitStep) => Promise<void> | void
  /** Maximum attempts when other writers win; 40 by default. */
  readonly attempts?: number
  readonly signal?: AbortSignal
}

/** The property that identifies the commit of a version. */
const COMMIT_ID = 'commit-id'

const MAX_ATTEMPTS = 40
const MAX_PUTS = 6
const FIRST_WAIT_MS = 20
const LONGEST_WAIT_MS = 1_000
const LONGEST_HINT_DELAY_MS = 60_000
/** Earlier versions in the metadata log, as Iceberg's `write.metadata.previous-versions-max`. */
const MAX_METADATA_LOG = 10

/**
 * Changes a table: computes the next version and writes it if it does not exist, else retries on the newer state. Throws
 * `CommitConflict` after too many tries, `CommitOutcomeUnknown` for an unknown write outcome, and errors of the attempt. Objects
 * of failed attempts are deleted.
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

/** Writes the version hint for other readers. Readers that probe do not need it, so a failure is ignored. */
export async function writeHint(table: Table, options: { version: number; committed_at: number }): Promise<void> {
  // A process that was suspended would set the hint back to a version that may be gone.
  if (table.clock() - options.committed_at > LONGEST_HINT_DELAY_MS) return
  await table.store.put(hintKey(table.key), Buffer.from(String(options.version))).catch(() => {})
}

/** Deletes objects that nothing references; the clean-up finds any that remain. */
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

/** Writes a version if it does not exist, retrying until the outcome is known. */
async function putVersion({ table, version, metadata, commitId, loaded_at }: Put): Promise<PutOutcome> {
  const key = versionKey(table.key, version)
  const body = metadataBytes(metadata)
  let cause: unknown
  for (let puts = 0; puts < MAX_PUTS; puts++) {
    if (puts > 0) await sleep(wait(puts + 1))
    // Versions after an old base may have been written and removed: their numbers must not be reused.
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
    // Either the version exists or the reply was lost: the stored object decides. If it does not exist, the same write is
    // retried.
    try {
      const found = await table.store.get(key)
      if (found) return parseMetadata(found, key).properties[COMMIT_ID] === commitId ? 'committed' : 'conflict'
    } catch (error) {
      // Not ours: ours can be read.
      if (error instanceof TableRefused) return 'conflict'
      cause ??= error
    }
  }
  throw new CommitOutcomeUnknown(`table ${table.key}: it is not known whether version ${version} was committed`, { cause })
}

/** The next version's metadata: its commit, its time, and the previous version in the log. */
function stamped(metadata: TableMetadata, base: TableState, commitId: string): TableMetadata {
  const previous = {
    'timestamp-ms': base.metadata['last-updated-ms'],
    'metadata-file': pathsOf({ table: base.table, metadata }).toLocation(versionKey(base.table.key, base.version)),
  }
  return {
    ...metadata,
    // Clocks of writers differ, but the log must not go backwards: Iceberg rejects such tables.
    'last-updated-ms': Math.max(base.table.clock(), base.metadata['last-updated-ms'], metadata['last-updated-ms']),
    properties: { ...metadata.properties, [COMMIT_ID]: commitId },
    'metadata-log': [...metadata['metadata-log'], previous].slice(-MAX_METADATA_LOG),
  }
}

/** Pause before another attempt, in ms: random, so that writers diverge, and longer each time. */
function wait(tries: number): number {
  return Math.random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(tries, 7))
}
