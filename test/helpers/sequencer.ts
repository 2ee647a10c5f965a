import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const PROJECT = new URL('../..', import.meta.url).pathname

/** Seconds of each slow test file, by its path in the project; written by `scripts/test --record`. */
export const DURATIONS = 'test/durations.json'

/** Orders files by project, so that its workers are reused, then the slowest first, so that no core is idle at the end. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = JSON.parse(readFileSync(new URL(DURATIONS, `file://${PROJECT}`), 'utf8')) as Record<string, number>
    const of = (file: TestSpecification): number => seconds[relative(PROJECT, file.moduleId)] ?? 0
    return files.toSorted((a, b) => a.project.name.localeCompare(b.project.name) || of(b) - of(a) || a.moduleId.localeCompare(b.moduleId))
  }
}
