import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, TestRunner } from 'vitest'

const ofTheFile: string[] = []

/** Removes the folders that were made outside a test; `setup.ts` calls it after the last hook of each test file. */
export function removeFileFolders(): void {
  for (const path of ofTheFile.splice(0)) remove(path)
}

/**
 * Makes an empty folder and returns its absolute path. Called in a test it is removed when that test ends, called in a
 * hook or at file level when the file's tests end; in both cases after whatever was opened later has been closed.
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
