import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    runFolder: string
  }
}

/** Vitest's global setup: a folder that all files of a run share, removed after the last. */
export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'traffic-run-'))
  project.provide('runFolder', folder)
  return () => rmSync(folder, { recursive: true, force: true })
}

/** The folder that all files of a run share, for files that take long to create and are then copied. */
export const runFolder = (): string => inject('runFolder')
