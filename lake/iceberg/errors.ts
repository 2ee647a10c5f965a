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

/** A declaration that a table cannot follow; the message gives the reason for each column. */
export class MigrationError extends Error {
  override readonly name = 'MigrationRefused'
}
