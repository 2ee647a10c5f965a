import type { Scan } from '../../lake/query/scan.ts'
import type { Sql } from '../../lake/query/sql.ts'
import type { Columns } from '../../lake/schema/columns.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import type { Source } from '../../lake/schema/sources.ts'
import type { ModelFiles } from '../../models/run/files.ts'

/** One version of a derived dataset, and the versions of the inputs that it is made from. */
export interface DerivedPart {
  readonly version: string
  readonly from: readonly string[]
  /** The inputs that it is made from, where a model's parts are of different ones; all unless told. */
  readonly of?: readonly Dataset[]
}

/** What every derivation declares: a dataset made by SQL from others. */
interface DerivedCommon {
  /** The dataset it fills, which no feed does; it lands as whole versions, each of which is a part. */
  readonly into: Dataset
  readonly from: readonly Dataset[]
  /** Sources of what is read, where rows of an input that are of others are left out; all sources of all inputs by default. */
  readonly sources?: readonly Source[]
  /** Raised with every change of the declaration that changes what is made: all parts are then made anew. */
  readonly revision: number
}

/** A derivation from datasets that land as whole versions: a part of each version, or of several. */
export interface VersionsSpec extends DerivedCommon {
  readonly by: 'versions'
  /** The parts that there are to make, of the versions that every input has; pure, and the same for the same versions in any order. */
  readonly parts: (versions: readonly string[]) => readonly DerivedPart[]
  /** Those of the inputs of which only the newest version is read, by every part, whatever the parts are made of; without it there is no part. */
  readonly newest?: readonly Dataset[]
  /**
   * A SELECT of a part's rows from the inputs, by the dataset's column names. It reads no other versions than the part names, and of `newest`
   * those that it is given, in their order.
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
   * Where only days of Madrid that are over are made: what is derived changes once a day and not with every landing, for what costs much to
   * make. Unless set a month holds all that there is.
   */
  readonly settles?: 'day'
  /** Set with `settles` if each row is of one source: one that stops publishing delays the days of the others by a day only. */
  readonly isBySource?: true
  /**
   * Set with `settles` if little data is useful, too. An input without a whole day counts up to the current hour; without a whole
   * hour all its rows count. Never set if rows are totals of days.
   */
  readonly countsFirstDay?: true
  /**
   * Inputs that tell of times that the others leave open, an archive: a month is made where they have rows, too, and how far the table is covered is
   * told by the others, as long as these have anything.
   */
  readonly besides?: readonly Dataset[]
  /** Of what settles: how many days after its day a row may come; a day is made so many days after it is over. None unless told. */
  readonly late_days?: number
  /** Set where the time of an input's row is the end of what it stands for: a row of the very instant that a month ends in is of that month. */
  readonly timesAreEnds?: true
  /** The times (ms, half-open) of the inputs' rows that a month is made from; the month itself, and `late_days` more, unless told. */
  readonly reads?: (month: MonthSpan) => { readonly from: number; readonly to: number }
  /**
   * A SELECT of a month's rows, by the dataset's column names, from the inputs as `scans` gives them in the order of `from`: the rows of the
   * times that are read. The month ends where what has settled ends.
   */
  readonly rows: (month: MonthSpan, scans: readonly Scan[]) => Sql
}

/** What a model's derivation is given for a part. */
export interface ModelGiven {
  /** The rows of `reads`. */
  readonly given: readonly AnyRow[]
  /** The rows that the table of `into` has of the part. */
  readonly before: readonly AnyRow[]
  /** More of the inputs, at the same state as `given`; at most a million rows. `columns` are those of the query. */
  readonly read: (query: Sql, columns: Columns) => Promise<AnyRow[]>
  /** The hours of `recent` that are read, half-open, ms: all of them are over. Null of a part that reads none of it. */
  readonly recent: { readonly from: number; readonly to: number } | null
  /** Where its versions are kept: see `runModel`. */
  readonly files: ModelFiles
  readonly signal: AbortSignal
}

/** What a run of a model gives where it fills more than one dataset: rows of `into`, and of those `beside`. One that is not named keeps what it has of the part. */
export interface ModelRows {
  readonly rows: readonly AnyRow[]
  readonly beside: ReadonlyMap<Dataset, readonly AnyRow[]>
}

/**
 * A derivation by a model from datasets that land as whole versions: its rows are computed, not selected. A run that states its errors too lands
 * them in the same turn: `beside` names the datasets, several models fill each, and every model its own part. Its versions are then models' ids.
 */
export interface ModelSpec extends DerivedCommon {
  readonly by: 'model'
  /** The parts that there are to make, of the versions that any input has; as of `VersionsSpec`. `held` gives those of one of them. */
  readonly parts: (versions: readonly string[], held: (dataset: Dataset) => readonly string[]) => readonly DerivedPart[]
  /** Datasets that a run fills besides; they land before `into` does, each partitioned by its version, which is the part's. */
  readonly beside?: readonly Dataset[]
  /**
   * Inputs beside that do not land as versions: parts that rest on them (`of`) read the hours of theirs that are over, of this day and the one before, and
   * are made anew when another hour is. There are none while nothing says how far these are covered.
   */
  readonly recent?: readonly Dataset[]
  /** Set where a part that is there is made anew at night only, for what takes long; one that there is none, or no row, of yet is made as soon as it can be, as all are until they are there. */
  readonly isNightly?: boolean
  /** Set where without any part nothing is known yet, rather than nothing there: until the first one its tables say nothing of how far they are covered. */
  readonly waitsForParts?: true
  /** A SELECT of what the model is given of the inputs, in an order that does not depend on files. */
  readonly reads: (part: DerivedPart) => Sql
  /** Columns of `reads` where they are not those of the first input. */
  readonly gives?: Columns
  /** The rows of a part. The same for the same, and it lets the process do something else now and then: what is heavy runs in a thread (`inThread`). */
  readonly rows: (part: DerivedPart, of: ModelGiven) => Promise<readonly AnyRow[] | ModelRows>
}

/** What a derivation declares. */
export type DerivedSpec = VersionsSpec | MonthsSpec | ModelSpec
export type Derived = Readonly<DerivedSpec>

/** The datasets that a derivation fills. */
export function filledBy(derived: Derived): readonly Dataset[] {
  return derived.by === 'model' ? [derived.into, ...(derived.beside ?? [])] : [derived.into]
}

/** The datasets that a derivation reads. */
export function inputsOf(derived: Derived): readonly Dataset[] {
  return derived.by === 'model' ? [...derived.from, ...(derived.recent ?? [])] : derived.from
}

/**
 * Declares a derivation. Throws where a dataset that has to land as versions, each a partition of its own, does not: what is made, and the
 * inputs of a derivation by versions.
 */
export function defineDerived(spec: VersionsSpec): Readonly<VersionsSpec>
export function defineDerived(spec: MonthsSpec): Readonly<MonthsSpec>
export function defineDerived(spec: ModelSpec): Readonly<ModelSpec>
export function defineDerived(spec: DerivedSpec): Derived {
  const versioned = spec.by === 'months' ? [spec.into] : [...filledBy(spec), ...spec.from]
  for (const { id, land, version, partition } of versioned) {
    const [first] = partition
    if (land !== 'replace' || partition.length !== 1 || first?.transform !== 'identity' || first.column !== version)
      throw new Error(`${spec.into.id}: ${id} is not partitioned by its version, as derivations need`)
  }
  return Object.freeze(spec)
}
