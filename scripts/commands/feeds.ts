import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { feedById, feeds } from '../../jobs/feeds/catalog.ts'
import { type Trial, tryFeed } from '../../jobs/ingest/try.ts'
import { feedHealth } from '../../lake/live/freshness.ts'
import { rejectedIds } from '../../lake/raw/archive.ts'
import type { Json } from '../../lake/schema/columns.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import { jsonProperties } from '../../lake/schema/json.ts'
import { cliConfig } from '../service/store.ts'
import { runCommand, say } from './output.ts'
import { openService } from './service.ts'
import { table } from './table.ts'

const USAGE = `scripts/feeds <command> [--data <dir>]

  list                                the feeds, how fresh each is, and which rejected fetch waits
  run <feed>                          fetch a feed now and land it
  accept <fetch_id>                   accept a fetch that the guard rejected
  withdraw <fetch_id>                 take an accepted fetch back, out of tables and live state; it can be accepted again
  try <feed> <file>... [--at <instant>] [--rows <dataset>] [--json]
                                      guard, parse and check given bytes; needs neither Redis nor lake, lands nothing`

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      at: { type: 'string' },
      rows: { type: 'string' },
      json: { type: 'boolean' },
      data: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  const [command, ...rest] = positionals
  if (values.help || command === undefined) return say(USAGE)
  if (command === 'try') return attempt(rest, values)
  const config = cliConfig(values.data)
  if (command === 'list') return list(config)
  if (command === 'run' && rest.length === 1) return run(config, rest[0] as string)
  if (command === 'accept' && rest.length === 1) return accept(config, rest[0] as string)
  if (command === 'withdraw' && rest.length === 1) return withdraw(config, rest[0] as string)
  throw new Error(`${positionals.join(' ')}: no such command\n${USAGE}`)
}

async function attempt(
  args: readonly string[],
  options: { at?: string | undefined; rows?: string | undefined; json?: boolean | undefined },
): Promise<void> {
  const [id, ...paths] = args
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

async function list(config: ReturnType<typeof cliConfig>): Promise<void> {
  const service = await openService(config)
  try {
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
        [state?.last_error, state?.lost_fetches ? `${state.lost_fetches} accepted fetches cannot be read` : null]
          .filter(Boolean)
          .join('; '),
      ])
    }
    say(table(['feed', 'health', 'every', 'last success', 'data time', 'rows', 'rejected, waits', 'last error'], lines))
  } finally {
    await service.close()
  }
}

async function run(config: ReturnType<typeof cliConfig>, id: string): Promise<void> {
  const feed = feedById(id)
  const service = await openService(config)
  try {
    const done = await service.runFeed(feed)
    say(JSON.stringify(done, null, 2))
    if (done.outcome === 'failed' || done.outcome === 'rejected') process.exitCode = 2
  } finally {
    await service.close()
  }
}

async function accept(config: ReturnType<typeof cliConfig>, fetchId: string): Promise<void> {
  const feed = feedById(fetchId.slice(0, fetchId.indexOf('.')))
  const service = await openService(config)
  try {
    const accepted = await service.acceptFetch(feed, fetchId)
    say(`accepted ${accepted.fetch_id} as number ${accepted.seq} of ${feed.id}: ${JSON.stringify(accepted.rows)}`)
  } finally {
    await service.close()
  }
}

async function withdraw(config: ReturnType<typeof cliConfig>, fetchId: string): Promise<void> {
  const feed = feedById(fetchId.slice(0, fetchId.indexOf('.')))
  const service = await openService(config)
  try {
    const isNew = await service.withdrawFetch(feed, fetchId)
    say(`${fetchId} ${isNew ? 'is' : 'was already'} withdrawn; scripts/feeds accept ${fetchId} takes it back in`)
  } finally {
    await service.close()
  }
}

const iso = (instant: number | null | undefined): string => (instant ? new Date(instant).toISOString() : '')

await runCommand(main)
