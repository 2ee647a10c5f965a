import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { LIVE_KEYS, logKey, partField, rowsKey, snapshotKey, stagingKeys } from './keys.ts'
import { inOneStep, partOf, readPart } from './parts.ts'
import { defineScript, runScript } from './script.ts'
import { encodeSnapshot, type RowTexts, rowTexts, type SnapshotDifference, snapshotDifference } from './snapshot.ts'
import type { LivePart, LiveUpdate } from './types.ts'

/** Limits of a dataset's change log in Redis. */
export interface LogLimits {
  readonly maxAge_ms: number
  readonly maxEntries: number
}

const LOG_LIMITS: LogLimits = { maxAge_ms: 7 * 86_400_000, maxEntries: 50_000 }
const ATTEMPTS = 8
/** Rows written by one command. */
const ROWS_AT_ONCE = 1000
/**
 * Above this many changed rows, the whole hash is written next to the old one and swapped in, so that Redis is never busy for
 * long.
 */
const MOST_SETS = 5000
/** Lifetime of staged data before its publication, ms. */
const STAGED_MS = 120_000

// One publication, atomically. The caller has computed the difference from the part that it read; if another publication came
// between (the part's version differs) nothing is done and the caller reads again.
const PUBLISH = defineScript(`
local versions, parts, starts, snapshot, rows, log = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local stagedSnapshot, stagedRows = KEYS[7], KEYS[8]
local dataset, field, header, seq, rebuild = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5] == '1'
local expected, count, whole, fresh = ARGV[6], tonumber(ARGV[7]), ARGV[8] == '1', ARGV[9] == '1'
local maxAge, maxEntries, channel = tonumber(ARGV[10]), tonumber(ARGV[11]), ARGV[12]
local sets, dels, entries = tonumber(ARGV[13]), tonumber(ARGV[14]), tonumber(ARGV[15])
local feed, dataTime = ARGV[16], ARGV[17]
local at = 18

local held = redis.call('HGET', parts, field)
local heldVersion, heldSeq = '', nil
if held then
  local v, s = string.match(held, '^(%d+) (%d+) ')
  heldVersion, heldSeq = v, tonumber(s)
end
if heldSeq and (heldSeq > seq or (heldSeq == seq and not rebuild)) then return 'older' end
if heldVersion ~= expected then return 'moved' end
-- Staged data is gone if Redis was emptied or restarted in between.
if redis.call('EXISTS', stagedSnapshot) == 0 or (whole and redis.call('HLEN', stagedRows) ~= count) then return 'moved' end

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local version = math.max(now, (tonumber(redis.call('HGET', versions, dataset)) or 0) + 1)
local versionText = string.format('%.0f', version)

if whole then
  redis.call('DEL', rows)
  if count > 0 then
    redis.call('RENAME', stagedRows, rows)
    redis.call('PERSIST', rows)
  end
end
local last = at + 2 * sets - 1
while at <= last do
  local to = math.min(at + 999, last)
  redis.call('HSET', rows, unpack(ARGV, at, to))
  at = to + 1
end
last = at + dels - 1
while at <= last do
  local to = math.min(at + 999, last)
  redis.call('HDEL', rows, unpack(ARGV, at, to))
  at = to + 1
end

-- The log start is both an entry id and a data time: the log is complete from each of them on.
local start = redis.call('HGET', starts, dataset)
if fresh or not start then
  redis.call('DEL', log)
  -- Changes of the dataset's other feeds, whose publications may be newer, are gone as well.
  local newest, others = dataTime, redis.call('HGETALL', parts)
  for n = 1, #others, 2 do
    if string.sub(others[n], 1, #dataset + 1) == dataset .. '/' then
      local other = cjson.decode(string.match(others[n + 1], '{.*')).data_time
      if other > tonumber(newest) then newest = string.format('%.0f', other) end
    end
  end
  start = versionText .. '-0 ' .. newest
end
local function dataTimeOf(entry, later)
  for n = 1, #entry[2], 2 do
    if entry[2][n] == 'data_time' then return string.format(' %.0f', math.ceil(tonumber(entry[2][n + 1])) + later) end
  end
  return ''
end
for n = 1, entries do
  local kind, key, changed, text = ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]
  if text == '' then text = redis.call('HGET', rows, key) end
  redis.call('XADD', log, versionText .. '-' .. n,
    'kind', kind, 'key', key, 'row', text, 'changed', changed, 'feed', feed, 'data_time', dataTime)
  at = at + 4
end
local first = redis.call('XRANGE', log, '-', '+', 'COUNT', 1)[1]
if first and tonumber(string.match(first[1], '^%d+')) < now - maxAge then
  local oldest = string.format('%.0f', now - maxAge) .. '-0'
  local dropped = redis.call('XREVRANGE', log, '(' .. oldest, '-', 'COUNT', 1)[1]
  start = dropped[1] .. dataTimeOf(dropped, 1)
  redis.call('XTRIM', log, 'MINID', oldest)
end
if redis.call('XTRIM', log, 'MAXLEN', maxEntries) > 0 then
  local kept = redis.call('XRANGE', log, '-', '+', 'COUNT', 1)[1]
  local ms, n = string.match(kept[1], '^(%d+)-(%d+)$')
  start = ms .. '-' .. string.format('%.0f', tonumber(n) - 1) .. dataTimeOf(kept, n == '1' and 0 or 1)
end

redis.call('RENAME', stagedSnapshot, snapshot)
redis.call('PERSIST', snapshot)
redis.call('HSET', starts, dataset, start)
redis.call('HSET', parts, field, versionText .. ' ' .. ARGV[4] .. ' ' .. header)
redis.call('HSET', versions, dataset, versionText)
redis.call('PUBLISH', channel, dataset .. ' ' .. versionText)
return versionText
`)

/**
 * Publishes a feed's state of a dataset: snapshot, rows, change log and version change atomically, and readers are notified.
 * Returns false, changing nothing, if Redis has this fetch or a newer one. Throws if Redis does not reply.
 */
export async function publishLive(redis: Redis, update: LiveUpdate, log: LogLimits = LOG_LIMITS): Promise<boolean> {
  const texts = await rowTexts(update.rows)
  const bytes = await encodeSnapshot(texts)
  const token = randomUUID()
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const held = await heldPart(redis, update, texts)
    // An earlier attempt of ours whose reply was lost did publish.
    if (attempt > 0 && held.part?.seq === update.seq && held.part.fetch_id === update.fetch_id && !update.rebuild) return true
    if (held.part && (held.part.seq > update.seq || (held.part.seq === update.seq && !update.rebuild))) return false
    const done = await publish(redis, update, { texts, bytes, held, log, token })
    if (done === 'older') return false
    if (done !== 'moved') return true
  }
  throw new Error(`live ${update.dataset} of ${update.feed}: changed under every one of ${ATTEMPTS} attempts to publish seq ${update.seq}`)
}

/** Redis' part of a feed and dataset; null if there is none. */
export async function livePart(redis: Redis, dataset: string, feed: string): Promise<LivePart | null> {
  const value = await redis.hget(LIVE_KEYS.parts, partField(dataset, feed))
  return value === null ? null : partOf(feed, value)
}

interface Held {
  readonly part: LivePart | null
  /**
   * Difference between the new rows and the part's rows; null if those cannot be read, as after a format change: all rows are
   * then written again.
   */
  readonly difference: SnapshotDifference | null
}

async function heldPart(redis: Redis, { dataset, feed }: LiveUpdate, texts: RowTexts): Promise<Held> {
  const { part, bytes } = await readPart(redis, dataset, feed)
  return { part, difference: bytes && (await snapshotDifference(bytes, texts).catch(() => null)) }
}

async function publish(
  redis: Redis,
  update: LiveUpdate,
  made: { readonly texts: RowTexts; readonly bytes: Buffer; readonly held: Held; readonly log: LogLimits; readonly token: string },
): Promise<unknown> {
  const { dataset, feed, seq, fetch_id, data_time, fetched_at, rebuild, rebuilds = 0, missing = [] } = update
  const { texts, bytes, held, log } = made
  const { sets, dels } = held.difference ?? { sets: [], dels: [] }
  const whole = held.difference === null || sets.length / 2 + dels.length > MOST_SETS
  const since = update.since_seq === undefined ? seq - 1 : update.since_seq
  const gap = !rebuild && (since ?? 0) !== (held.part?.seq ?? 0)
  const fresh =
    gap || update.changes.length > log.maxEntries || (rebuild === true && (held.difference === null || sets.length + dels.length > 0))
  const entries: string[] = []
  if (!fresh && !rebuild)
    for (const { kind, key, row, changed } of update.changes) {
      // An entry's row usually is the part's own, and is then not sent twice.
      const text = JSON.stringify(row)
      entries.push(kind, key, JSON.stringify(changed), texts.get(key) === text ? '' : text)
    }
  const header = JSON.stringify({ fetch_id, data_time, fetched_at, rows: texts.size, rebuilds, missing })
  const staged = stagingKeys(dataset, feed, made.token)
  await stage(redis, staged, { bytes, texts: whole ? texts : null })
  return await runScript(redis, PUBLISH, {
    keys: [
      ...[LIVE_KEYS.versions, LIVE_KEYS.parts, LIVE_KEYS.logStart],
      ...[snapshotKey(dataset, feed), rowsKey(dataset, feed), logKey(dataset), staged.snapshot, staged.rows],
    ],
    args: [
      ...[dataset, partField(dataset, feed), header, seq, rebuild ? '1' : '0'],
      ...[held.part ? String(held.part.version) : '', texts.size, whole ? '1' : '0', fresh ? '1' : '0'],
      ...[log.maxAge_ms, log.maxEntries, LIVE_KEYS.channel],
      ...[whole ? 0 : sets.length / 2, whole ? 0 : dels.length, entries.length / 4],
      ...[feed, data_time],
    ].concat(whole ? [] : sets, whole ? [] : dels, entries),
  })
}

/** Writes a snapshot and, if all must be written, its rows under staging keys, which expire. */
async function stage(
  redis: Redis,
  staged: ReturnType<typeof stagingKeys>,
  made: { readonly bytes: Buffer; readonly texts: RowTexts | null },
): Promise<void> {
  await redis.set(staged.snapshot, made.bytes, 'PX', STAGED_MS)
  let piece: string[] = [staged.rows]
  const write = async (): Promise<void> => {
    await inOneStep(redis.multi().call('HSET', piece).pexpire(staged.rows, STAGED_MS))
    piece = [staged.rows]
  }
  for (const [key, text] of made.texts ?? []) {
    piece.push(key, text)
    if (piece.length > 2 * ROWS_AT_ONCE) await write()
  }
  if (piece.length > 1) await write()
}
