import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, TestRunner } from 'vitest'

const ofTheFile: string[] = []

/** Removes the folders that were created outside a test; `setup.ts` calls it after the last hook of each test file. */
export function removeFileFolders(): void {
  for (const path of ofTheFile.splice(0)) remove(path)
}

/**
 * Creates an empty folder and returns its absolute path. It is removed at the end of the test that created it, or of the file if
 * it was created in a hook or at file level. Resources that were opened later are closed first.
 */
export function tempFolder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'traffic-test-')))
  if (TestRunner.getCurrentTest()) onTestFinished(() => remove(path))
  else ofTheFile.push(path)
  return path
}

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 3 })
}
