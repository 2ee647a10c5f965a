import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
let found: Promise<string | null> | undefined

/** The Git commit of this process's code, 40 hex digits; null if it is not a checkout, or Git is missing. Cached. */
export function codeCommit(): Promise<string | null> {
  found ??= run('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname }).then(
    ({ stdout }) => stdout.trim(),
    () => null,
  )
  return found
}
