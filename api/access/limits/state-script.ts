import type { Redis } from 'ioredis'
import type { Policy } from './policy.ts'

/** Where counters are kept. */
export interface Counters {
  readonly redis: Redis
  /** What the names of all keys begin with. */
  readonly prefix: string
  /** The time in s; null for that of Redis. */
  readonly clock: (() => number) | null
}

/** Name of a slot's state under a policy. */
export function stateKey(prefix: string, slot: string, policy: Policy): string {
  return `${prefix}${policy.name}:${slot}`
}

/** Marks tell when a state was made within so many seconds, more than what is recorded counts for, and among so many of one second. */
const MARKED_S = 2 ** 17
const MARKS = 2 ** 15

/** A number that tells states apart that are made anew in one second. */
export function newMark(): number {
  return Math.floor(Math.random() * MARKS)
}

/**
 * What scripts begin with that work on states. The state of a slot under a policy is one string, numbers of four bytes: a mark, what its
 * time is ahead of the clock, the latest second seen, units in all, units in the bucket of that second, and then bucket and units of each
 * earlier one, oldest first. What happens to it is told in `window.ts`.
 *
 * KEYS[1]: since when all counts are here. ARGV[1] and [2]: the time in s, or -1 to take that of Redis; a number from `newMark`.
 */
export const STATE_LUA = `
local HEAD, PAIR = 20, 8
local pack, read, floor, call = struct.pack, struct.unpack, math.floor, redis.call
local now = tonumber(ARGV[1])
if now < 0 then now = tonumber(call('TIME')[1]) end
local mark = now % ${MARKED_S} * ${MARKS} + tonumber(ARGV[2])

local function made_at(state)
  return now - (now - floor(state.mark / ${MARKS})) % ${MARKED_S}
end

-- Whether all that counted at a moment was charged here.
local function complete(at, window, size)
  local since = tonumber(call('GET', KEYS[1]))
  if not since then
    since = now
    call('SET', KEYS[1], now)
  end
  return at - since >= window + size
end

local function make(state, recorded, window, size)
  state.mark, state.ahead, state.now, state.at, state.total, state.current = mark, 0, now, now, 0, 0
  state.body, state.changed = '', true
  if recorded == '-' or recorded == '?' then return true end
  local bucket, kept = floor(now / size), {}
  for from = 1, #recorded, PAIR do
    local at, units = read('<I4I4', recorded, from)
    if at == bucket then
      state.current = state.current + units
      state.total = state.total + units
    elseif at < bucket and at >= bucket - window / size then
      kept[#kept + 1] = string.sub(recorded, from, from + PAIR - 1)
      state.total = state.total + units
    end
  end
  state.body = table.concat(kept)
  return true
end

-- Fills in a state: its head with the first pair, or its whole body where that changes. False where Redis may have lost it.
local function load(state, key, window, size, recorded)
  local head = call('GETRANGE', key, 0, HEAD + PAIR - 1)
  if head == '' then
    if recorded == '?' and not complete(now, window, size) then return false end
    return make(state, recorded, window, size)
  end
  local mark_, ahead, last, total, current = read('<I4I4I4I4I4', head)
  local turned = last - (now + ahead) > window + size
  if turned then ahead = last - now end
  local at = math.max(now + ahead, last)
  state.mark, state.ahead, state.now, state.at, state.total, state.current = mark_, ahead, now + ahead, at, total, current
  state.head, state.body, state.changed = head, false, turned or at > last
  local before, bucket = floor(last / size), floor(at / size)
  if bucket == before then return true end
  local body = call('GETRANGE', key, HEAD, -1)
  if current > 0 then body = body .. pack('<I4I4', before, current) end
  state.current = 0
  local oldest, from = bucket - window / size, 1
  while from <= #body do
    local counted, units = read('<I4I4', body, from)
    if counted >= oldest then break end
    state.total = state.total - units
    from = from + PAIR
  end
  state.body = string.sub(body, from)
  return true
end

local function save(key, state, window, size)
  local head = pack('<I4I4I4I4I4', state.mark, state.ahead, state.at, state.total, state.current)
  if state.body then
    call('SET', key, head .. state.body, 'EX', window + 2 * size)
  else
    call('SETRANGE', key, 0, head)
  end
end
`
