/** A row of a thing that several listings describe, such as a catalogue and a live feed. */
interface Listed {
  readonly listing: string
  readonly observed_at: number
  readonly updated_at: number
  readonly status: string
  readonly is_stale: boolean
}

/**
 * Merges the rows of one thing: the first listing by name takes precedence, and the others fill its gaps. The result is active if
 * any row is, and stale if all are.
 */
export function mergedListings<R extends Listed>(rows: readonly R[]): R & { readonly listings: readonly string[] } {
  const [first, ...others] = rows.toSorted((one, other) => (one.listing < other.listing ? -1 : 1)) as [R, ...R[]]
  const filled = { ...first }
  for (const name of Object.keys(first) as (keyof R)[]) filled[name] ??= others.find((row) => row[name] !== null)?.[name] ?? first[name]
  return {
    ...filled,
    listings: [first, ...others].map(({ listing }) => listing),
    observed_at: Math.max(...rows.map((row) => row.observed_at)),
    updated_at: Math.max(...rows.map((row) => row.updated_at)),
    status: rows.some(({ status }) => status === 'ACTIVE') ? 'ACTIVE' : first.status,
    is_stale: rows.every((row) => row.is_stale),
  }
}
