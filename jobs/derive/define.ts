import type { Sql } from '../../lake/query/sql.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'

/** One version of a derived dataset, and the versions of the inputs that it is made from. */
export interface DerivedPart {
  readonly version: string
  readonly from: readonly string[]
}

/** What a derivation declares: a dataset made by SQL from others that land as whole versions. */
export interface DerivedSpec {
  /** The dataset it fills, which no feed does; it lands as whole versions too. */
  readonly into: Dataset
  readonly from: readonly Dataset[]
  /** Raised with every change of `parts` or `rows` that changes what is made: all parts are then made anew. */
  readonly revision: number
  /** The parts that there are to make, of the versions that every input has; pure, and the same for the same versions in any order. */
  readonly parts: (versions: readonly string[]) => readonly DerivedPart[]
  /** A SELECT of a part's rows from the inputs, by the dataset's column names. It reads no other versions than the part names. */
  readonly rows: (part: DerivedPart) => Sql
}

export type Derived = Readonly<DerivedSpec>

/** Declares a derivation. Throws where a dataset does not land as versions, each a partition of its own. */
export function defineDerived(spec: DerivedSpec): Derived {
  for (const { id, land, version, partition } of [spec.into, ...spec.from]) {
    const [first] = partition
    if (land !== 'replace' || partition.length !== 1 || first?.transform !== 'identity' || first.column !== version)
      throw new Error(`${spec.into.id}: ${id} is not partitioned by its version, as derivations need`)
  }
  return Object.freeze(spec)
}
