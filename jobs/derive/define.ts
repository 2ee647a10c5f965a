import type { Dialect } from '../../lake/query/dialect.ts'
import type { Sql, SqlPart } from '../../lake/query/sql.ts'
import type { Columns } from '../../lake/schema/columns.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import type { Source } from '../../lake/schema/sources.ts'
import type { ModelFiles } from '../../models/run/files.ts'

/** One version of a derived dataset, and the input versions it is made from. */
export interface DerivedPart {
  readonly version: string
  readonly from: readonly string[]
  /** The inputs of this part, if a model's parts have different ones; all by default. */
  readonly of?: readonly Dataset[]
}

/** Common fields of every derivation: a dataset made from others. */
interface DerivedCommon {
  /** The dataset that it fills, which no feed fills; it lands as whole versions, one per part. */
  readonly into: Dataset
  readonly from: readonly Dataset[]
  /** Sources that are read, if an input's rows of other sources are left out; all sources of all inputs by default. */
  readonly sources?: readonly Source[]
  /** Increased with every change of the declaration that changes the rows: all parts are then rebuilt. */
  readonly revision: number
}

/** A derivation from datasets that land as whole versions: one part per version, or per several. */
export interface VersionsSpec extends DerivedCommon {
  readonly by: 'versions'
  /** The parts to make, from the versions that every input has; pure, and independent of their order. */
  readonly parts: (versions: readonly string[]) => readonly DerivedPart[]
  /** Inputs of which every part reads only the newest version, whatever else it reads; without one there is no part. */
  readonly newest?: readonly Dataset[]
  /**
   * A SELECT of a part's rows from the inputs, by the dataset's column names. It reads only the versions that the part names,
   * and those of `newest` that it gets, in their order.
   */
  readonly rows: (part: DerivedPart, newest: readonly string[]) => Sql
}

/** A month of Madrid's calendar, half-open, in ms since the epoch. */
export interface MonthSpan {
  /** YYYY-MM. */
  readonly month: string
  readonly from: number
  readonly to: number
}

/** A derivation month by month of Madrid's calendar: the roll-ups. */
export interface MonthsSpec extends DerivedCommon {
  readonly by: 'months'
  /**
   * Set if only ended days of Madrid are built: the result then changes once a day instead of with every landing, for
   * expensive derivations. By default a month has all available rows.
   */
  readonly watermark?: 'day'
  /**
   * Set with `settles` if each row has one source: a source that stops publishing then delays the others' days by one day
   * only.
   */
  readonly isBySource?: true
  /**
   * Set with `settles` if little data is useful, too. An input without a whole day counts up to the current hour; without a whole
   * hour all its rows count. Never set if rows are totals of days.
   */
  readonly countsFirstDay?: true
  /**
   * Inputs for times that the others lack, such as an archive: months with their rows are built too. Only the other inputs
   * determine the coverage, as long as they have rows.
   */
  readonly fallbackInputs?: readonly Dataset[]
  /**
   * How a large month is built piece by piece, to save memory: each row is made only from input rows with the same values of the
   * columns `by`, required texts of every input and of `into`. A piece is a range of the last one with about `rows` input rows.
   */
  readonly pieces?: { readonly by: readonly string[]; readonly rows: number }
  /** With `settles`: days that a row may be late. A day is built this many days after its end. None by default. */
  readonly allowedLateness_days?: number
  /** The time range (ms, half-open) of the input rows for a month; by default the month and `allowedLateness_days` more. */
  readonly reads?: (month: MonthSpan) => { readonly from: number; readonly to: number }
  /**
   * A SELECT of a month's rows, by the dataset's column names, from the inputs in the order of `from`: their rows whose intervals
   * begin in the read range, with that begin as their time. The month ends where the settled days end.
   */
  readonly rows: (month: MonthSpan, inputs: readonly SqlPart[], dialect: Dialect) => Sql
  /** Set if Spark can run `rows`, too: a law compares both. `DERIVE_ENGINE=spark` leaves it to `scripts/spark`. */
  readonly isShared?: true
}

/** The inputs of a model's run for a part. */
export interface ModelGiven {
  /** The rows of `reads`. */
  readonly given: readonly AnyRow[]
  /** The rows that the table of `into` has of the part. */
  readonly before: readonly AnyRow[]
  /** Reads more of the inputs, at the same state as `given`; at most a million rows. `columns` are those of the query. */
  readonly read: (query: Sql, columns: Columns) => Promise<AnyRow[]>
  /** The hours of `recent` that are read, half-open, ms, all ended. Null for a part that reads none. */
  readonly recent: { readonly from: number; readonly to: number } | null
  /** Where its versions are stored: see `runModel`. */
  readonly files: ModelFiles
  readonly signal: AbortSignal
}

/**
 * The result of a model that fills several datasets: rows of `into`, and of those in `beside`. A dataset that is not named
 * keeps its rows of the part.
 */
export interface ModelRows {
  readonly rows: readonly AnyRow[]
  readonly sideOutputs: ReadonlyMap<Dataset, readonly AnyRow[]>
}

/**
 * A derivation whose rows a model computes, from datasets that land as whole versions. A run that also gives its errors lands
 * them in the same turn: `beside` names those datasets. Several models may fill each, one part per model; its versions are
 * then model ids.
 */
export interface ModelSpec extends DerivedCommon {
  readonly by: 'model'
  /**
   * The parts to make, from the versions that any input has, as in `VersionsSpec`. `held` returns the versions of one input.
   */
  readonly parts: (versions: readonly string[], held: (dataset: Dataset) => readonly string[]) => readonly DerivedPart[]
  /** Other datasets that a run fills; they land before `into`, each partitioned by its version, which is the part's. */
  readonly sideOutputs?: readonly Dataset[]
  /**
   * Additional inputs that do not land as versions. Parts that use them (`of`) read their ended hours of today and yesterday,
   * and are rebuilt after each hour. There are no such parts while the coverage is unknown.
   */
  readonly recent?: readonly Dataset[]
  /** Set if an existing part is rebuilt only at night, for slow models; a missing or empty part is made as soon as possible. */
  readonly isNightly?: boolean
  /** Set if having no part means "unknown" rather than "no rows": until the first part exists, the tables state no coverage. */
  readonly waitsForParts?: true
  /** A SELECT of the model's inputs, in an order that does not depend on files. */
  readonly reads: (part: DerivedPart) => Sql
  /** Columns of `reads`, if they differ from the first input's. */
  readonly gives?: Columns
  /** The rows of a part. Deterministic, and it yields to the event loop: heavy work runs in a thread (`inThread`). */
  readonly rows: (part: DerivedPart, of: ModelGiven) => Promise<readonly AnyRow[] | ModelRows>
}

/** A derivation's declaration. */
export type DerivedSpec = VersionsSpec | MonthsSpec | ModelSpec
export type Derived = Readonly<DerivedSpec>

/** The datasets that a derivation fills. */
export function filledBy(derived: Derived): readonly Dataset[] {
  return derived.by === 'model' ? [derived.into, ...(derived.sideOutputs ?? [])] : [derived.into]
}

/** True for a derivation that `scripts/spark` can make; with `DERIVE_ENGINE=spark` no worker does. */
export function isForSpark(derived: Derived): boolean {
  return derived.by === 'months' && derived.isShared === true
}

/** The datasets that a derivation reads. */
export function inputsOf(derived: Derived): readonly Dataset[] {
  return derived.by === 'model' ? [...derived.from, ...(derived.recent ?? [])] : derived.from
}

/**
 * Declares a derivation. Throws if the derived dataset, or an input of a derivation by versions, does not land as versions
 * with a partition each.
 */
export function defineDerived(spec: VersionsSpec): Readonly<VersionsSpec>
export function defineDerived(spec: MonthsSpec): Readonly<MonthsSpec>
export function defineDerived(spec: ModelSpec): Readonly<ModelSpec>
export function defineDerived(spec: DerivedSpec): Derived {
  const versioned = spec.by === 'months' ? [spec.into] : [...filledBy(spec), ...spec.from]
  for (const { id, writeMode: land, version, partition } of versioned) {
    const [first] = partition
    if (land !== 'replace' || partition.length !== 1 || first?.transform !== 'identity' || first.column !== version)
      throw new Error(`${spec.into.id}: ${id} is not partitioned by its version, as derivations need`)
  }
  return Object.freeze(spec)
}
