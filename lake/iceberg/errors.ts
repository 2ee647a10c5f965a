/** A change that gave up knowingly: the table is as it was, whatever else was written may be deleted. */
export class CommitConflict extends Error {
  override readonly name = 'CommitConflict'
}

/** A commit whose outcome is not known: it may be in the table or not, so nothing of it may be deleted. Load the table to see. */
export class CommitOutcomeUnknown extends Error {
  override readonly name = 'CommitOutcomeUnknown'
}

/** A declaration that a table cannot follow; each column is named with its reason. */
export class MigrationRefused extends Error {
  override readonly name = 'MigrationRefused'
}
