import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { skipWithout } from './missing.ts'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Folder of the recorded captures and of the specification: `SHARED_DIR`, else `shared` beside the project root. Null if it does
 * not exist, after one line on standard error: tests that need it then skip with `test.skipIf(!shared)`.
 */
export function sharedFolder(): string | null {
  const path = process.env['SHARED_DIR'] ? resolve(process.env['SHARED_DIR']) : resolve(PROJECT, '..', 'shared')
  if (existsSync(path)) return path
  skipWithout('shared', `no folder ${path} (set SHARED_DIR), so tests over recorded captures do not run`)
  return null
}
