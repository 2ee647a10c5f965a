import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../helpers/temp.ts'
import { PROJECT } from '../laws/sources.ts'

/** Replaces Python: creates environments that contain itself, installs a program, and logs its arguments. */
const PYTHON = `#!/bin/sh
printf '%s\\n' "$*" >>"$ASKED"
case "$1 $2" in
  '-m venv') mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
  '-m pip') [ ! -e "$OFFLINE" ] && cp "$0" "$(dirname "$0")/schemathesis" ;;
esac
`
/** Replaces Node: prints the path of the program that it was started with. */
const NODE = `#!/bin/sh
printf 'run %s %s\\n' "$FUZZ_SCHEMATHESIS" "$*"
`

/** The command in a separate project, with a fake Python. */
function project() {
  const folder = tempFolder()
  const [venv, asked, offline] = ['.cache/fuzz/venv', 'asked', 'offline'].map((name) => join(folder, name)) as [string, string, string]
  const write = (name: string, text: string, mode = 0o755): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
    chmodSync(join(folder, name), mode)
  }
  write('node_modules/.bin/node', NODE)
  write('bin/python3', PYTHON)
  for (const name of ['package-lock.json', 'node_modules/.installed']) write(name, '{}', 0o644)
  mkdirSync(join(folder, 'scripts'))
  for (const name of ['check-fuzz', 'setup.sh']) copyFileSync(join(PROJECT, 'scripts', name), join(folder, 'scripts', name))
  const env = { PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, REDIS_URL: 'redis://127.0.0.1:1', ASKED: asked, OFFLINE: offline }
  return {
    ...{ venv, write },
    /** Simulates a missing network. */
    goOffline: () => writeFileSync(offline, ''),
    /** Runs it; returns its output, and Python's arguments meanwhile. */
    run: () => {
      rmSync(asked, { force: true })
      const { status, stdout, stderr } = spawnSync('bash', [join(folder, 'scripts/check-fuzz'), '--seed', '1'], { encoding: 'utf8', env })
      const commands = existsSync(asked) ? readFileSync(asked, 'utf8').trimEnd().split('\n') : []
      return { status, stdout, stderr, asked: commands.map((line) => line.split(' ')[1]) }
    },
  }
}

test('its Python environment is created once', () => {
  const { run, venv } = project()
  const first = run()
  expect(first).toMatchObject({ status: 0, stderr: '', asked: ['venv', 'pip'] })
  expect(first.stdout).toMatch(new RegExp(`^run ${venv}/bin/schemathesis \\S+/scripts/checks/fuzz/main.ts --seed 1\n$`))
  expect(run()).toMatchObject({ status: 0, stdout: first.stdout, asked: [] })
})

test.each<readonly [string, (made: ReturnType<typeof project>) => void]>([
  ['has a Python and no packages', ({ write }) => write('.cache/fuzz/venv/bin/python', '#!/bin/sh\nexit 1\n')],
  ['has no Python', ({ write }) => write('.cache/fuzz/venv/pyvenv.cfg', '', 0o644)],
  ['lost its Python', ({ run, venv }) => [run(), rmSync(join(venv, 'bin/python'))]],
  ['is of another version', ({ run, write }) => [run(), write('.cache/fuzz/venv/.installed', 'schemathesis==4.0.0\n', 0o644)]],
])('an environment that %s is removed and made again', (_what, spoil) => {
  const made = project()
  spoil(made)
  made.write('.cache/fuzz/venv/left', '', 0o644)
  expect(made.run()).toMatchObject({ status: 0, stderr: '', asked: ['venv', 'pip'] })
  expect(existsSync(join(made.venv, 'left'))).toBe(false)
  expect(made.run()).toMatchObject({ status: 0, asked: [] })
})

test('without a network it is skipped with a message, and tried again the next time', () => {
  const { run, goOffline, venv } = project()
  goOffline()
  for (let time = 0; time < 2; time++) {
    expect(run()).toEqual({
      status: 0,
      stdout: '',
      stderr: 'SKIPPED: schemathesis==4.32.5 could not be installed\n',
      asked: ['venv', 'pip'],
    })
    expect(existsSync(join(venv, '.installed'))).toBe(false)
  }
})

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
