import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
let found: Promise<string | null> | undefined

/** The commit of git that the code of this process was checked out from, 40 hex digits; null where it was put there otherwise, or git is missing. Asked once. */
export function codeCommit(): Promise<string | null> {
  found ??= run('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname }).then(
    ({ stdout }) => stdout.trim(),
    () => null,
  )
  return found
}
