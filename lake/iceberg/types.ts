import type { IcebergType } from '../schema/physical.ts'

/**
 * A value in bounds and partitions: int, date and month/day ordinals are numbers; long, µs instants and unscaled decimals are
 * bigints.
 */
export type Bound = string | number | bigint | boolean | Buffer

/** Metrics of one field of a data file. Bounds are lower/upper limits of all values, null if unknown. */
export interface FieldMetrics {
  readonly values: number
  readonly nulls: number
  readonly nans: number | null
  readonly lower: Bound | null
  readonly upper: Bound | null
  readonly bytes: number | null
}

/** A data file of a table, as a manifest lists it. */
export interface DataFile {
  /** Key in the object store, not the absolute location in the manifest. */
  readonly key: string
  readonly rows: number
  readonly bytes: number
  /** Partition values in the order of the partition spec, null allowed. */
  readonly partition: readonly (Bound | null)[]
  readonly specId: number
  readonly sortOrderId: number
  /** By field id. */
  readonly metrics: ReadonlyMap<number, FieldMetrics>
}

/** A data file in a manifest, with the snapshot and sequence number that added it. */
export interface LiveFile extends DataFile {
  readonly snapshotId: bigint
  /** When its rows last changed: they were added, or some were deleted. */
  readonly sequenceNumber: number
  /** The files that may delete some of its rows by position, and the location by which they name it; unset without any. */
  readonly deletes?: PositionDeletes
}

/** Files of position deletes, and the location in the table's metadata of the data file that they are for. */
export interface PositionDeletes {
  readonly location: string
  readonly files: readonly { readonly key: string; readonly bytes: number }[]
}

/** A field of the table's schema, as in its metadata. */
export interface TableField {
  readonly id: number
  readonly name: string
  readonly required: boolean
  readonly type: IcebergType
  readonly doc?: string
}

/** Conditions on a column of the table, joined by AND. Values as in rows (instants in ms). */
export interface ColumnFilter {
  readonly eq?: unknown
  readonly in?: readonly unknown[]
  readonly gte?: unknown
  readonly gt?: unknown
  readonly lte?: unknown
  readonly lt?: unknown
}

/** Conditions by physical column name (a point's are `<name>_lat`, `<name>_lon`), joined by AND. */
export type Filter = Readonly<Record<string, ColumnFilter>>
