/** A change that was given up safely: the table is unchanged, and its other objects may be deleted. */
export class CommitConflict extends Error {
  override readonly name = 'CommitConflict'
}

/**
 * A commit with an unknown outcome: it may be in the table, so none of its objects may be deleted. Load the table to find out.
 */
export class CommitOutcomeUnknown extends Error {
  override readonly name = 'CommitOutcomeUnknown'
}

/** A table that cannot be used as it is: other tables and live state do not depend on it. `reason` does not name the table. */
export class TableRefused extends Error {
  override readonly name: string = 'TableRefused'
  readonly reason: string

  constructor(table: string, reason: string) {
    super(`table ${table} cannot be used: ${reason}`)
    this.reason = reason
  }
}

/** What `decode` makes of a table's bytes. It reads no store, so any error of it is damage: throws `TableRefused`. */
export function decoded<T>(table: string, object: string, decode: () => T): T {
  try {
    return decode()
  } catch (error) {
    if (error instanceof TableRefused) throw error
    throw new TableRefused(table, `${object} is damaged (${error instanceof Error ? error.message : String(error)})`)
  }
}

/** A declaration that a table cannot follow; the reason names each column. */
export class MigrationError extends TableRefused {
  override readonly name = 'MigrationRefused'
}

/** An update, or another part of a commit, that a table must not take from another writer. Nothing was changed. */
export class UpdateRefused extends Error {
  override readonly name = 'UpdateRefused'

  constructor(update: string, why: string) {
    super(`${update}: ${why}`)
  }
}
