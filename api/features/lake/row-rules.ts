import { LRUCache } from 'lru-cache'
import { UpdateRefused } from '../../../lake/iceberg/errors.ts'
import type { ManifestedFile } from '../../../lake/iceberg/manifest.ts'
import type { SnapshotChange } from '../../../lake/iceberg/rest/adopt.ts'
import type { TableField } from '../../../lake/iceberg/types.ts'
import { feedsIn, PART } from '../../../lake/landed.ts'
import { CLOCK_TOLERANCE_MS } from '../../../lake/live/freshness.ts'
import type { Lake } from '../../../lake/open.ts'
import { IS_OURS, scanFiles } from '../../../lake/query/scan.ts'
import { column, fieldName, join, sql } from '../../../lake/query/sql.ts'
import { storedFields } from '../../../lake/query/stored-fields.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { isoInstant } from '../../../lake/schema/time.ts'

/** Longest comparison of the rows of a commit, in ms. */
const TIMEOUT_MS = 120_000
const REMEMBERED = 100

/**
 * The rows of some files: all of them, and those of our fetches, as number and sum of hashes, and the latest time of the others
 * in ms, null without any.
 */
interface Sums {
  readonly all: string
  readonly ours: string
  readonly rows: number
  readonly oursRows: number
  readonly latest: number | null
}

/** Files to sum, the fields of their table, and the feeds that fill it. */
interface Summed {
  readonly files: readonly ManifestedFile[]
  readonly fields: readonly TableField[]
  readonly feeds: readonly string[]
}

const NO_ROWS: Sums = Object.freeze({ all: '0:0', ours: '0:0', rows: 0, oursRows: 0, latest: null })

/**
 * Returns what checks the rows that another writer changes in a table of a dataset: rows of our fetches stay as they are, and a
 * `replace` changes none at all; those of others are not observed in the future. Verdicts are remembered, as clients send a
 * commit again after another one. `clock` returns ms.
 */
export function openRowRules(
  lake: Lake,
  clock: () => number,
): (
  dataset: Dataset,
  change: SnapshotChange,
  table: { properties: Readonly<Record<string, string>>; fields: readonly TableField[] },
) => Promise<void> {
  const known = new LRUCache<string, Promise<{ readonly added: Sums; readonly removed: Sums }>>({ max: REMEMBERED })
  const compare = async (dataset: Dataset, { added, removed }: SnapshotChange, of: Pick<Summed, 'fields' | 'feeds'>) => ({
    added: await sumsOf(lake, dataset, { files: added, ...of }),
    removed: await sumsOf(lake, dataset, { files: removed, ...of }),
  })
  return async (dataset, change, { properties, fields }) => {
    const { operation, added, removed } = change
    if (added.length === 0 && removed.length === 0) return
    const feeds = feedsIn(properties)
    const isFed = feeds.length > 0 && !Object.keys(properties).some((name) => name.startsWith(PART))
    const name = JSON.stringify([feeds, ...[added, removed].map((files) => files.map(({ key }) => key))])
    const sums = known.get(name) ?? compare(dataset, change, { fields, feeds })
    known.set(name, sums)
    const { added: come, removed: gone } = await sums.catch((error: unknown) => {
      known.delete(name)
      throw error
    })
    if (come.rows !== rowsOf(added)) throw refuse(`its files have ${come.rows} rows, and its manifests state ${rowsOf(added)}`)
    if (come.all === gone.all) return
    if (operation === 'replace') throw refuse('a replace keeps the rows: those of its files differ from those removed')
    if (!isFed)
      throw refuse(`the rows of ${dataset.id} are computed by the service, which replaces them: others can only compact its files`)
    if (come.ours === gone.ours) {
      const { latest } = come
      if (!dataset.isObservation || latest === null || latest <= clock() + CLOCK_TOLERANCE_MS) return
      throw refuse(`${dataset.time} is when something was observed: ${isoInstant(latest)} is in the future`)
    }
    throw refuse(
      come.oursRows > gone.oursRows
        ? 'rows of other writers need a fetch_id of their own: this one is, or begins as, one of the service'
        : 'rows that the service has landed cannot be changed or deleted: they are derived from what was fetched',
    )
  }
}

const refuse = (why: string): UpdateRefused => new UpdateRefused('add-snapshot', why)

const rowsOf = (files: readonly ManifestedFile[]): number => files.reduce((sum, { rows }) => sum + rows, 0)

/** The rows in files: equal sums of 64-bit hashes mean equal rows, but for a chance of 2^-64. */
async function sumsOf(lake: Lake, dataset: Dataset, { files, fields, feeds }: Summed): Promise<Sums> {
  if (files.length === 0) return NO_ROWS
  const { fields: stored } = storedFields(dataset, { fields })
  // The rows of a feed are found by its id and a dot.
  const ofFeed = `^(${feeds.join('|')})[.]`
  const rows = sql`(
    SELECT hash(${join(stored.map(fieldName))}) AS row_hash, epoch_ms(${column(dataset, dataset.time)}) AS time_ms, ${IS_OURS} OR coalesce(regexp_matches(fetch_id, ${ofFeed}), false) AS is_ours
    FROM ${scanFiles(dataset, files, stored)}
  )`
  const [[all, sum, ours, oursSum, latest] = []] = await lake.use({ timeout_ms: TIMEOUT_MS }, (session) =>
    session.values(sql`
      SELECT count(*), sum(row_hash), count(*) FILTER (WHERE is_ours), sum(row_hash) FILTER (WHERE is_ours), max(time_ms) FILTER (WHERE NOT is_ours) FROM ${rows}`),
  )
  return {
    all: `${all}:${sum ?? 0}`,
    ours: `${ours}:${oursSum ?? 0}`,
    rows: Number(all),
    oursRows: Number(ours),
    latest: typeof latest === 'bigint' || typeof latest === 'number' ? Number(latest) : null,
  }
}
