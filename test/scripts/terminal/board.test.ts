import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { ApiFigures } from '../../../scripts/service/api-figures.ts'
import { type BoardFacts, boardLines, durationText } from '../../../scripts/service/board.ts'
import { readWarning } from '../../../scripts/service/log-lines.ts'

const NOW = Date.UTC(2026, 10, 29, 12)
const running = (name: string, memory_mb: number) => ({ name, state: 'running' as const, pid: 1, restarts: 0, memory_mb })
const STEADY: BoardFacts = {
  mode: 'simulated',
  began_at: NOW - 200_000,
  ready_at: NOW - 185_000,
  url: 'http://127.0.0.1:8080',
  steps: [],
  processes: [running('redis', 48), running('publishers', 230), running('worker', 512), running('api', 389), running('deliver', 98)],
  feeds: { done: 58, total: 96, next: 'waiting for dgt_cameras, dgt_zones, mitma_od …' },
  figures: { lastMinute: { requests: 250, failed: 1, refused: 50 }, requests: 900, late: [] },
  warnings: [
    { text: 'aemet_observations: fetch failed, HTTP 500', at: NOW - 130_000, count: 3 },
    { text: 'valencia_traffic: a section without a line', at: NOW - 5000, count: 1 },
  ],
  logFile: '/srv/data/logs/service.log',
}
const draw = (facts: Partial<BoardFacts> = {}, { columns = 100, rows = 30, isColoured = false } = {}): string[] =>
  boardLines({ ...STEADY, ...facts }, { columns, rows, isColoured }, NOW)

test('a running service is one compact board', () => {
  expect(draw()).toEqual([
    '',
    ` Traffic Intelligence  ready http://127.0.0.1:8080${' '.repeat(37)}up 3 min 5 s`,
    '',
    ' Data       simulated publishers: generated, not the real world',
    ' Map        http://127.0.0.1:8080/map',
    ' Docs       http://127.0.0.1:8080/docs',
    ' Keys       http://127.0.0.1:8080/#key',
    " Try        curl 'http://127.0.0.1:8080/api/incidents?province=Madrid'",
    '',
    ' Processes  ● redis  48 MB    ● publishers  230 MB    ● worker  512 MB    ● api  389 MB',
    '            ● deliver  98 MB',
    ' Feeds      ███████████████░░░░░░░░░  58 of 96  waiting for dgt_cameras, dgt_zones, mitma_od …',
    ' Requests   250 in the last minute  0.4 % failed (5xx)  20 % refused (4xx)',
    '',
    ' Warnings   2 min ago   3×  aemet_observations: fetch failed, HTTP 500',
    '            now         valencia_traffic: a section without a line',
    '',
    ' Log        /srv/data/logs/service.log',
    ' Ctrl+C stops; the next start continues with the same data',
  ])
})

describe.each([60, 80, 100, 140])('at %d columns', (columns) => {
  test.each([12, 20, 24, 40])('and %d rows no line wraps and nothing scrolls, with colours and without', (rows) => {
    const plain = draw({}, { columns, rows })
    expect(plain.length).toBeLessThan(rows)
    for (const line of plain) expect(line.length).toBeLessThan(columns)
    const coloured = draw({}, { columns, rows, isColoured: true })
    expect(coloured.map(stripVTControlCharacters)).toEqual(plain)
    expect(coloured.join('')).toContain('\x1b[32mready')
    expect(plain.join('')).toContain('ready http://127.0.0.1:8080')
    if (columns === 60) expect(plain.filter((line) => line.endsWith('…')).length).toBeGreaterThan(0)
  })
})

test('a start lists its steps with their times, and then the first data', () => {
  const steps = [
    { text: 'data store', began_at: NOW - 9000, ended_at: NOW - 8000, isFailed: false },
    { text: 'worker of the feeds', began_at: NOW - 8000, ended_at: NOW - 5000, isFailed: true },
    { text: 'API', began_at: NOW - 75_000, ended_at: null, isFailed: false },
  ]
  const lines = draw({ ready_at: null, url: null, steps, warnings: [] })
  expect(lines[1]).toMatch(/^ Traffic Intelligence {2}starting +3 min 20 s$/)
  expect(lines.slice(3, 8)).toEqual([
    ' ✔ data store              1 s',
    ' ✖ worker of the feeds     3 s',
    expect.stringMatching(/^ [⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] API {21}1 min 15 s$/),
    '',
    expect.stringContaining('58 of 96'),
  ])
})

test('a process that died, late feeds and a worker alone are seen', () => {
  const died = { name: 'api', state: 'down' as const, pid: null, restarts: 2, memory_mb: null }
  const late = ['a', 'b', 'c', 'd']
  const lines = draw({
    processes: [running('worker', 512), died],
    feeds: { done: 96, total: 96, next: null },
    figures: { lastMinute: { requests: 0, failed: 0, refused: 0 }, requests: 0, late },
  }).join('\n')
  expect(lines).toContain('● worker  512 MB    ● api  down  2 restarts')
  expect(lines).toContain('█░  92 of 96  late: a, b, c …')
  expect(lines).toContain('0 in the last minute\n')
  const replayed = draw({
    mode: 'replay',
    feeds: { done: 96, total: 96, next: null },
    figures: { ...(STEADY.figures as ApiFigures), late },
  })
  expect(replayed.join('\n')).toContain('█  96 of 96  all have arrived')
  const alone = draw({ url: null, feeds: null, figures: null }).join('\n')
  expect(alone).toContain('ready worker')
  expect(alone).not.toMatch(/Map|Feeds|Requests/)
})

test('a warning of the log is one line that names its subject first; other lines are none', () => {
  const line = { level: 40, name: 'worker', feed: 'aemet', code: 'x\ny', msg: 'fetch failed', err: { message: 'HTTP 500' }, repeated: 4 }
  const read = readWarning(JSON.stringify(line))
  expect(read).toMatchObject({ text: 'aemet: fetch failed, code x y, HTTP 500', count: 5 })
  expect(readWarning(JSON.stringify({ ...line, err: { message: 'HTTP 502' } }))?.kind).toBe(read?.kind)
  expect(readWarning(JSON.stringify({ ...line, feed: 'other' }))?.kind).not.toBe(read?.kind)
  expect(readWarning('TypeError: x is not a function')?.text).toBe('TypeError: x is not a function')
  for (const other of ['{"level":30,"msg":"feed landed"}', '    at file:///x.ts:1:2', '', '{half']) expect(readWarning(other)).toBeNull()
})

test('durations are in words', () => {
  const all = [0, 59_400, 60_000, 200_000, 605_000, 7_500_000, 273_600_000]
  expect(all.map(durationText)).toEqual(['0 s', '59 s', '1 min', '3 min 20 s', '10 min', '2 h 5 min', '3 d 4 h'])
})
