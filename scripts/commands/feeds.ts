import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { feedById, feeds } from '../../jobs/feeds/catalog.ts'
import type { Feed } from '../../jobs/feeds/define.ts'
import { type Trial, tryFeed } from '../../jobs/ingest/try.ts'
import { feedHealth } from '../../lake/live/freshness.ts'
import { rejectedIds } from '../../lake/raw/archive.ts'
import type { Json } from '../../lake/schema/columns.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import { jsonProperties } from '../../lake/schema/json.ts'
import { cliConfig } from '../service/store.ts'
import { runCommand, runSubcommand, say, table, type Values } from './output.ts'
import { isRefused, type Service, withService } from './service.ts'

const USAGE = `scripts/feeds <command> [--data <dir>]

  list                                the feeds, how fresh each is, and which rejected fetch waits
  run <feed>                          fetch a feed now and land it
  accept <fetch_id>                   accept a fetch that the guard rejected
  withdraw <fetch_id>                 take an accepted fetch back, out of tables and live state; it can be accepted again
  try <feed> <file>... [--at <instant>] [--rows <dataset>] [--json]
                                      guard, parse and check given bytes; needs neither Redis nor lake, lands nothing`

const OPTIONS = { at: { type: 'string' }, rows: { type: 'string' }, json: { type: 'boolean' }, data: { type: 'string' } } as const

function main(args: readonly string[], values: Values<typeof OPTIONS>): Promise<void> {
  const inService = (work: (service: Service) => Promise<void>) => withService(cliConfig(values.data), work)
  return runSubcommand(
    USAGE,
    args,
    new Map([
      ['list', [0, 0, () => inService(list)]],
      ['run', [1, 1, (id: string) => inService((service) => run(service, id))]],
      ['accept', [1, 1, (id: string) => inService((service) => accept(service, id))]],
      ['withdraw', [1, 1, (id: string) => inService((service) => withdraw(service, id))]],
      ['try', [0, Number.POSITIVE_INFINITY, (...given: string[]) => attempt(given, values)]],
    ]),
  )
}

async function attempt([id, ...paths]: readonly string[], options: Values<typeof OPTIONS>): Promise<void> {
  if (id === undefined || paths.length === 0) throw new Error(`try needs a feed and at least one file\n${USAGE}`)
  const feed = feedById(id)
  const at = options.at === undefined ? Date.now() : Date.parse(options.at)
  if (Number.isNaN(at)) throw new Error(`--at ${options.at}: an instant such as 2026-01-02T12:23:28Z`)
  const dataset = options.rows === undefined ? null : feed.into.find((known) => known.id === options.rows)
  if (dataset === undefined) throw new Error(`--rows ${options.rows}: one of ${feed.into.map((known) => known.id).join(', ')}`)
  const files = paths.map((path) => ({ name: basename(path).replace(/\..*$/, ''), bytes: readFileSync(path) }))
  const { trial, rows } = await tryFeed(feed, { files, at, rowsOf: dataset })
  if (dataset) for (const row of rows) say(rowText(dataset, row))
  else if (options.json) say(JSON.stringify(trial))
  else show(trial)
  if (trial.accepted) return
  if (dataset) process.stderr.write(`${trial.feed}: rejected: ${trial.reason}\n`)
  process.exitCode = 2
}

/** Returns a row as the API would show it, without the values that the engine fills. */
function rowText(dataset: Dataset, row: AnyRow): string {
  const members: Record<string, Json> = {}
  for (const [name, column] of Object.entries(dataset.columns))
    if (row[name] !== undefined) for (const property of jsonProperties(name, column)) members[property.name] = property.json(row[name])
  return JSON.stringify(members)
}

function show(trial: Trial): void {
  say(`${trial.feed}: ${trial.accepted ? 'accepted' : `rejected: ${trial.reason}`}`)
  for (const [id, counts] of Object.entries(trial.datasets)) {
    say(`  ${id}: ${counts.rows} rows`)
    for (const [reason, count] of Object.entries(counts.quarantined)) say(`    quarantined ${count}: ${reason}`)
    for (const [codes, found] of Object.entries(counts.unknown_codes))
      for (const [code, count] of Object.entries(found)) say(`    unknown ${codes} ${code}: ${count}`)
  }
  for (const line of trial.warnings) say(`  warning: ${line}`)
}

async function list(service: Service): Promise<void> {
  const states = await service.freshness()
  const lines: Json[][] = []
  for (const feed of feeds) {
    const state = states.get(feed.id) ?? null
    const waiting = await rejectedIds(service.store, feed.id)
    lines.push([
      feed.id,
      feedHealth(state, feed.every_s, Date.now()),
      `${feed.every_s} s`,
      iso(state?.last_success_at),
      iso(state?.data_time),
      Object.entries(state?.rows ?? {})
        .map(([id, rows]) => `${id} ${rows}`)
        .join(', '),
      waiting.at(-1) ?? '',
      [state?.last_error, state?.lost_fetches ? `${state.lost_fetches} accepted fetches cannot be read` : null].filter(Boolean).join('; '),
    ])
  }
  say(table(['feed', 'health', 'every', 'last success', 'data time', 'rows', 'rejected, waits', 'last error'], lines))
}

async function run(service: Service, id: string): Promise<void> {
  const done = await service.runFeed(feedById(id))
  say(JSON.stringify(done, null, 2))
  if (isRefused(done)) process.exitCode = 2
}

const feedOfFetch = (fetchId: string): Feed => feedById(fetchId.slice(0, fetchId.indexOf('.')))

async function accept(service: Service, fetchId: string): Promise<void> {
  const feed = feedOfFetch(fetchId)
  const accepted = await service.acceptFetch(feed, fetchId)
  say(`accepted ${accepted.fetch_id} as number ${accepted.seq} of ${feed.id}: ${JSON.stringify(accepted.rows)}`)
}

async function withdraw(service: Service, fetchId: string): Promise<void> {
  const isNew = await service.withdrawFetch(feedOfFetch(fetchId), fetchId)
  say(`${fetchId} ${isNew ? 'is' : 'was already'} withdrawn; scripts/feeds accept ${fetchId} takes it back in`)
}

const iso = (instant: number | null | undefined): string => (instant ? new Date(instant).toISOString() : '')

await runCommand({ usage: USAGE, options: OPTIONS, takes: [1, Number.POSITIVE_INFINITY] }, main)
