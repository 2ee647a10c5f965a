import { defineScript, runScript } from '../../../lake/live/script.ts'
import type { Policy } from './policy.ts'
import { type Counters, newMark, STATE_LUA, stateKey } from './state-script.ts'

/** Units that a process admitted alone under a policy, as the script takes them. */
export interface CarryCall {
  readonly slot: string
  readonly policy: Policy
  /** How long ago the first of them was charged, in s. */
  readonly first_ago_s: number
  /** How long ago they were charged, in s, and how many, oldest first. */
  readonly units: readonly { readonly ago_s: number; readonly units: number }[]
}

/** The state that units were added to, and the second of its time that was the present then. */
export interface Carried {
  readonly mark: number
  readonly now_s: number
}

/** Calls that are carried together. */
export interface CarryPart {
  /** Names the process. */
  readonly process: string
  /** Larger than that of the part before. */
  readonly number: number
  /** Whether there is a record of usage that lost states of recorded policies are made anew from. */
  readonly isRecorded: boolean
  readonly calls: readonly CarryCall[]
}

/**
 * Adds units that were admitted without Redis to the buckets they were charged in, whatever the limit. Left alone is a state that Redis has
 * lost, or that was made anew from the record after the first of them was charged: the record has them.
 *
 * A part that was carried already is not carried again, so one without an answer can be sent once more.
 *
 * KEYS: since when all counts are here; the number of the last part of this process; states.
 * ARGV: the time and a mark; the number of the part, and how long it is kept in s; then for each state window and bucket in s, whether it is
 * recorded, how long ago the first unit was charged, how many pairs follow, and each: how long ago, and units.
 * Reply: nothing where the part was carried before; else for each state its mark and second, or twice -1 where it was left alone.
 */
const CARRY = defineScript(`${STATE_LUA}
local number = tonumber(ARGV[3])
if tonumber(call('GET', KEYS[2]) or 0) >= number then return {} end
call('SET', KEYS[2], number, 'EX', ARGV[4])

local function is_of_record(state, age, window, size)
  local made = made_at(state)
  -- What was recorded longer ago than the window counts no more.
  return made > now - math.min(age, window + size) and not complete(made, window, size)
end

-- Adds pairs of how long ago and units; all but those of the present bucket change the body.
local function add(state, key, a, count, window, size)
  local current = floor(state.at / size)
  local units, buckets = {}, {}
  for n = 1, count do
    local bucket, more = floor((state.at - tonumber(ARGV[a])) / size), tonumber(ARGV[a + 1])
    a = a + 2
    if bucket == current then
      state.current = state.current + more
      state.total = state.total + more
    elseif bucket >= current - window / size then
      if not units[bucket] then buckets[#buckets + 1] = bucket end
      units[bucket] = (units[bucket] or 0) + more
      state.total = state.total + more
    end
  end
  if #buckets == 0 then return end
  table.sort(buckets)
  local body = state.body or call('GETRANGE', key, HEAD, -1)
  local from = #body + 1
  while from > 1 and read('<I4', body, from - PAIR) >= buckets[1] do from = from - PAIR end
  local kept = { string.sub(body, 1, from - 1) }
  for _, bucket in ipairs(buckets) do
    local held = 0
    while held == 0 and from <= #body do
      local found, counted = read('<I4I4', body, from)
      if found > bucket then break end
      if found < bucket then
        kept[#kept + 1] = string.sub(body, from, from + PAIR - 1)
      else
        held = counted
      end
      from = from + PAIR
    end
    kept[#kept + 1] = pack('<I4I4', bucket, held + units[bucket])
  end
  kept[#kept + 1] = string.sub(body, from)
  state.body = table.concat(kept)
end

local out, a = {}, 5
for k = 3, #KEYS do
  local window, size, is_recorded = tonumber(ARGV[a]), tonumber(ARGV[a + 1]), ARGV[a + 2] == '1'
  local age, count = tonumber(ARGV[a + 3]), tonumber(ARGV[a + 4])
  local state = {}
  local taken = load(state, KEYS[k], window, size, is_recorded and '?' or '-')
  if taken and is_recorded and is_of_record(state, age, window, size) then taken = false end
  if taken then
    add(state, KEYS[k], a + 5, count, window, size)
    save(KEYS[k], state, window, size)
  end
  out[#out + 1] = taken and state.mark or -1
  out[#out + 1] = taken and state.at or -1
  a = a + 5 + 2 * count
end
return out
`)

/** Carries units over to Redis; gives what each was added to, null where it was left alone or the part was carried before. */
export async function runCarry(
  { redis, prefix, clock }: Counters,
  { process, number, isRecorded, calls }: CarryPart,
): Promise<(Carried | null)[]> {
  const keys = [`${prefix}since`, `${prefix}carried:${process}`, ...calls.map(({ slot, policy }) => stateKey(prefix, slot, policy))]
  // By then what it carried counts no more.
  const kept_s = Math.max(...calls.map(({ policy }) => policy.window_s + 2 * policy.bucket_s))
  const args: (string | number)[] = [clock === null ? -1 : clock(), newMark(), number, kept_s]
  for (const { policy, first_ago_s, units } of calls) {
    args.push(policy.window_s, policy.bucket_s, isRecorded && policy.recorded ? 1 : 0, first_ago_s, units.length)
    for (const one of units) args.push(one.ago_s, one.units)
  }
  const reply = (await runScript(redis, CARRY, { keys, args })) as number[]
  return calls.map((_, n) => {
    const [mark, now_s] = [reply[2 * n] ?? -1, reply[2 * n + 1] ?? -1]
    return mark < 0 ? null : { mark, now_s }
  })
}
