import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../helpers/temp.ts'
import { PROJECT } from '../laws/sources.ts'

/** Replaces Schemathesis: finds no failures, and reports an answer of one operation. */
const SCHEMATHESIS = `#!/usr/bin/env node
const { readFileSync, writeFileSync } = require('node:fs')
const { figures } = JSON.parse(readFileSync(process.env.FUZZ_PLAN, 'utf8'))
writeFileSync(figures, JSON.stringify({ statuses: { 200: 1 }, refusals_beyond_schema: 0, answered: ['codes'] }))
const report = process.argv[process.argv.indexOf('--report-json-path') + 1]
writeFileSync(report, JSON.stringify({ operations: { tested: 2, total: 2, errored: 0 }, test_cases: { generated: 1, unique_failures: 0 } }))
`

test('an operation that was never answered is named, and fails the run', { timeout: 300_000 }, () => {
  const program = join(tempFolder(), 'schemathesis')
  writeFileSync(program, SCHEMATHESIS, { mode: 0o755 })
  // Without named operations, every operation of the description needs an answer.
  const { status, stdout } = spawnSync(process.execPath, [join(PROJECT, 'scripts/checks/fuzz/main.ts'), '--seed', '1'], {
    encoding: 'utf8',
    env: { ...process.env, FUZZ_SCHEMATHESIS: program },
  })
  expect([status, stdout]).toEqual([1, expect.stringMatching(/^only answered with refusals: incidents, .*\bkeys_create, /m)])
  expect(stdout).not.toMatch(/^only answered with refusals.*\bcodes\b/m)
})
