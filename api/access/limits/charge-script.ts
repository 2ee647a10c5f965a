import { defineScript, runScript } from '../../../lake/live/script.ts'
import { type Charged, type MinuteCounts, type Policy, RECORDED_BUCKET_S, type Standing, standing, UNITS_MAX } from './policy.ts'
import { type Counters, newMark, STATE_LUA, stateKey } from './state-script.ts'

/** A charge as the script takes it. */
export interface ChargeCall {
  readonly slot: string
  readonly policies: readonly Policy[]
  /** Units by policy, in their order. */
  readonly units: readonly number[]
  /** What the record of usage holds of the slot: to be told, null where it was not asked, none where there is no record. */
  readonly recorded: MinuteCounts | null | 'none'
}

/** What the script says: decided, or that Redis may have lost what the slot has used, with nothing charged. */
export type ChargeReply =
  | { readonly decided: true; readonly admitted: boolean; readonly standings: readonly Standing[]; readonly charged: readonly Charged[] }
  | { readonly decided: false }

/**
 * Decides charges, one after the other, as `window.ts` does. Charges of a slot that are alike and follow each other are told once, with how
 * many there are: a busy key costs a script, and who talks to it, little more than a single request.
 *
 * KEYS: since when all counts are here; then for each charge a state for each of its policies.
 * ARGV: the time and a mark; how many sets of policies there are, and for each its length and limit, window and bucket in s, and whether it
 * is recorded, of each of its policies; then for each charge the number of its set, how often it is asked for, its weight for each policy,
 * and `-` where nothing is recorded of its slot, `?` where that can be asked for, or what is recorded: bucket and units as in a state.
 * Reply: for each charge how many of them are admitted, the first ones, or -1 to be asked again with what is recorded; for each of its
 * policies units in all, the second charged in, the mark of the state, and seconds until more for who is admitted and for who is refused:
 * 0 where nobody is, below 0 where this policy refuses.
 */
const CHARGE = defineScript(`${STATE_LUA}
-- Seconds until so many of the units in pairs have left, or all there are; nil where the pairs hold fewer.
local function leaving(list, first, state, window, size, wanted)
  if wanted > state.total then wanted = state.total end
  local freed = 0
  for from = first, #list, PAIR do
    local bucket, units = read('<I4I4', list, from)
    freed = freed + units
    if freed >= wanted then return (bucket + 1) * size + window - state.now end
  end
end

local function until_freed(key, state, window, size, wanted)
  if state.total == 0 then return window end
  local found
  if state.body then
    found = leaving(state.body, 1, state, window, size, wanted)
  elseif state.total > state.current then
    found = leaving(state.head, HEAD + 1, state, window, size, wanted)
      or leaving(call('GETRANGE', key, HEAD, -1), 1, state, window, size, wanted)
  end
  return found or (floor(state.at / size) + 1) * size + window - state.now
end

local sets, a = {}, 4
for set = 1, tonumber(ARGV[3]) do
  local policies = {}
  for n = 1, tonumber(ARGV[a]) do
    policies[n] = {
      limit = tonumber(ARGV[a + 1]),
      window = tonumber(ARGV[a + 2]),
      size = tonumber(ARGV[a + 3]),
      recorded = ARGV[a + 4] == '1',
    }
    a = a + 4
  end
  sets[set] = policies
  a = a + 1
end

-- Filled in anew by each charge: making tables would take longer than the rest.
local states = {}
for _, policies in ipairs(sets) do
  for n = 1, #policies do states[n] = states[n] or {} end
end
local out, o, k = {}, 0, 1
while a <= #ARGV do
  local policies = sets[tonumber(ARGV[a])]
  local count = #policies
  local times = tonumber(ARGV[a + 1])
  local recorded = ARGV[a + count + 2]
  local admitted = times
  for n = 1, count do
    local policy, state = policies[n], states[n]
    if not load(state, KEYS[k + n], policy.window, policy.size, policy.recorded and recorded or '-') then
      admitted = -1
      break
    end
    state.weight = tonumber(ARGV[a + 1 + n])
    if state.weight > 0 then
      local fit = policy.limit - state.total
      if fit < admitted * state.weight then admitted = fit > 0 and floor(fit / state.weight) or 0 end
    end
  end
  o = o + 1
  out[o] = admitted
  if admitted ~= -1 then
    for n = 1, count do
      local state, policy, key = states[n], policies[n], KEYS[k + n]
      if admitted > 0 and state.weight > 0 then
        state.total = state.total + admitted * state.weight
        state.current = state.current + admitted * state.weight
        state.changed = true
      end
      if state.changed then save(key, state, policy.window, policy.size) end
      local over = admitted < times and state.weight > 0 and state.total + state.weight > policy.limit
      out[o + 1] = state.total
      out[o + 2] = state.at
      out[o + 3] = state.mark
      out[o + 4] = admitted > 0 and until_freed(key, state, policy.window, policy.size, 1) or 0
      if admitted == times then
        out[o + 5] = 0
      elseif over then
        out[o + 5] = -until_freed(key, state, policy.window, policy.size, state.total + state.weight - policy.limit)
      else
        out[o + 5] = until_freed(key, state, policy.window, policy.size, 1)
      end
      o = o + 5
    end
  end
  k = k + count
  a = a + count + 3
end
return out
`)

/**
 * Takes units back from the buckets they were added to, where the state still is the one they were added to.
 *
 * KEYS: states. ARGV: for each its mark, the length of a bucket in s, the second charged in, and the units.
 */
const TAKE_BACK = defineScript(`
local HEAD, PAIR = 20, 8
for n, key in ipairs(KEYS) do
  local from = n * 4 - 3
  local size, at, weight = tonumber(ARGV[from + 1]), tonumber(ARGV[from + 2]), tonumber(ARGV[from + 3])
  local state = redis.call('GET', key)
  if state and struct.unpack('<I4', state) == tonumber(ARGV[from]) then
    local _, _, last, total, current = struct.unpack('<I4I4I4I4I4', state)
    local bucket, units = math.floor(at / size), 0
    if bucket == math.floor(last / size) then
      units = math.min(weight, current)
      current = current - units
    else
      for place = #state - PAIR, HEAD, -PAIR do
        local found, held = struct.unpack('<I4I4', state, place + 1)
        if found <= bucket then
          if found == bucket then
            units = math.min(weight, held)
            redis.call('SETRANGE', key, place + 4, struct.pack('<I4', held - units))
          end
          break
        end
      end
    end
    redis.call('SETRANGE', key, 12, struct.pack('<I4I4', total - units, current))
  end
end
`)

/** Bytes of a bucket and its units. */
const PAIR = 8

/** Charges of a slot that are alike and follow each other. */
interface Run {
  readonly call: ChargeCall
  times: number
  /** How many of them were told what became of them. */
  told: number
  /** Where what the script says of them begins. */
  at: number
}

/** Decides charges, those of a slot in their order, in one round trip. Rejects where Redis fails. */
export async function runCharges({ redis, prefix, clock }: Counters, calls: readonly ChargeCall[]): Promise<ChargeReply[]> {
  const sets = new Map<readonly Policy[], number>()
  for (const { policies } of calls) if (!sets.has(policies)) sets.set(policies, sets.size + 1)
  const keys = [`${prefix}since`]
  const args: (string | number | Buffer)[] = [clock === null ? -1 : clock(), newMark(), sets.size]
  for (const policies of sets.keys()) {
    args.push(policies.length)
    for (const { limit, window_s, bucket_s, recorded } of policies) args.push(limit, window_s, bucket_s, recorded ? 1 : 0)
  }
  const { runs, runOf } = runsOf(calls)
  for (const { call, times } of runs) {
    const { slot, policies, units, recorded } = call
    args.push(sets.get(policies) as number, times)
    for (let n = 0; n < policies.length; n++) {
      keys.push(stateKey(prefix, slot, policies[n] as Policy))
      args.push(units[n] as number)
    }
    args.push(recorded === 'none' ? '-' : recorded === null ? '?' : packed(recorded))
  }
  const reply = (await runScript(redis, CHARGE, { keys, args })) as number[]
  let next = 0
  for (const run of runs) {
    run.at = next
    next += reply[next] === -1 ? 1 : 1 + FIGURES * run.call.policies.length
  }
  return runOf.map((run) => nextReply(run, reply))
}

/** Figures that the script tells of each policy. */
const FIGURES = 5

/** What a call is charged as, for each call, and all of that in order. */
function runsOf(calls: readonly ChargeCall[]): { readonly runs: readonly Run[]; readonly runOf: readonly Run[] } {
  const runs: Run[] = []
  const last = new Map<string, Run>()
  const runOf = calls.map((call) => {
    const before = last.get(call.slot)
    const run = before && isAlike(before.call, call) ? before : { call, times: 0, told: 0, at: 0 }
    if (run.times++ === 0) runs.push(run)
    last.set(call.slot, run)
    return run
  })
  return { runs, runOf }
}

function isAlike(one: ChargeCall, other: ChargeCall): boolean {
  return one.policies === other.policies && one.recorded === other.recorded && one.units.every((units, n) => units === other.units[n])
}

/** The reply to the next call of a run, from what the script says. */
function nextReply(run: Run, reply: readonly number[]): ChargeReply {
  const { slot, policies, units } = run.call
  const admitted = reply[run.at] as number
  if (admitted === -1) return { decided: false }
  const one = run.told++
  const isAdmitted = one < admitted
  const standings: Standing[] = []
  const charged: Charged[] = []
  for (let n = 0; n < policies.length; n++) {
    const policy = policies[n] as Policy
    const from = run.at + 1 + FIGURES * n
    const [all, at_s, mark] = [reply[from] as number, reply[from + 1] as number, reply[from + 2] as number]
    const weight = units[n] as number
    // Those of the run that are admitted after this one have not been charged yet.
    const total = isAdmitted ? all - (admitted - 1 - one) * weight : all
    const reset_s = reply[from + (isAdmitted ? 3 : 4)] as number
    standings.push(standing(policy, { total, reset_s: Math.abs(reset_s), violated: reset_s < 0 }))
    if (isAdmitted) charged.push({ slot, policy, units: weight, at_s, mark })
  }
  return { decided: true, admitted: isAdmitted, standings, charged }
}

/** Takes back what was charged, in one round trip. Rejects where Redis fails. */
export async function takeBack({ redis, prefix }: Counters, charged: readonly Charged[]): Promise<void> {
  const keys = charged.map(({ slot, policy }) => stateKey(prefix, slot, policy))
  const args = charged.flatMap(({ mark, policy, at_s, units }) => [mark, policy.bucket_s, at_s, units])
  await runScript(redis, TAKE_BACK, { keys, args })
}

function packed(recorded: MinuteCounts): Buffer {
  const units = new Map<number, number>()
  for (const { minute_s, count } of recorded) {
    const bucket = Math.floor(minute_s / RECORDED_BUCKET_S)
    units.set(bucket, Math.min(UNITS_MAX, (units.get(bucket) ?? 0) + count))
  }
  const pairs = [...units].filter(([, count]) => count > 0).sort(([a], [b]) => a - b)
  const bytes = Buffer.alloc(pairs.length * PAIR)
  for (const [n, [bucket, count]] of pairs.entries()) bytes.writeUInt32LE(count, bytes.writeUInt32LE(bucket, n * PAIR))
  return bytes
}
