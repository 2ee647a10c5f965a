import type { Redis } from 'ioredis'
import { defineScript, runScript } from '../../../lake/live/script.ts'
import { type Charge, type Charged, type Policy, type QuotaStatus, retryAfter } from './policy.ts'

/** Where counters are stored. */
export interface Counters {
  readonly redis: Redis
  /** Prefix of all keys. */
  readonly prefix: string
  /** The time in s; null for the clock of Redis. */
  readonly clock: (() => number) | null
}

/** A charge of a slot, with its units by policy, in order. */
export interface ChargeCall {
  readonly slot: string
  readonly policies: readonly Policy[]
  readonly units: readonly number[]
}

/** Numbers are sent as characters from this one on. */
const ZERO = 33
/** Most charges in one run, whose slots are then numbered by one character; at some 15 µs each they block Redis for 1.4 ms. */
export const MAX_CALLS = 90

/**
 * Decides charges in order, as `chargeWindows` does. KEYS: the windows of each slot, by policy. ARGV: time in s (-1: Redis'); two
 * characters per charge, its kind and its slot; per kind the number of policies, and for each limit, window_s, bucket_s, units.
 * Reply: bytes, per charge and policy four numbers: 1 or 0 if admitted, total, bucket, seconds until more (negative if violated).
 */
const CHARGE = defineScript(`
-- A window is a string of numbers of four bytes: units in all, then number and units of each bucket, oldest first.
local call, pack, unpack, floor = redis.call, struct.pack, struct.unpack, math.floor
local now = tonumber(ARGV[1])
if now < 0 then now = tonumber(call('TIME')[1]) end

local function load(key, window, size)
  local state = call('GET', key)
  local current, count = floor(now / size), window / size
  local last = state and unpack('<I4', state, #state - 7)
  if not state or last > current + count then return { key = key, total = 0, body = '', bucket = current } end
  local total, from = unpack('<I4', state), 5
  while from <= #state do
    local bucket, units = unpack('<I4I4', state, from)
    if bucket >= current - count then break end
    total = total - units
    from = from + 8
  end
  return { key = key, total = total, body = string.sub(state, from), bucket = math.max(current, last) }
end

local function add(quota, units)
  local body, total = quota.body, units
  if body ~= '' then
    local last, before = unpack('<I4I4', body, #body - 7)
    if last == quota.bucket then
      body, total = string.sub(body, 1, #body - 8), units + before
    end
  end
  quota.total = quota.total + units
  quota.body = body .. pack('<I4I4', quota.bucket, total)
end

local function until_freed(quota, window, size, wanted)
  local freed = 0
  for from = 1, #quota.body, 8 do
    local bucket, units = unpack('<I4I4', quota.body, from)
    freed = freed + units
    if freed > 0 and (freed >= wanted or freed == quota.total) then return (bucket + 1) * size + window - now end
  end
  return window
end

local kinds, arg = {}, 3
while arg <= #ARGV do
  local kind = {}
  for n = 1, tonumber(ARGV[arg]) do
    local at = arg + 4 * n - 3
    kind[n] = { tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3]) }
  end
  arg = arg + 1 + 4 * #kind
  kinds[#kinds + 1] = kind
end

local out, held, changed = {}, {}, {}
for index = 1, #ARGV[2], 2 do
  local number, first = string.byte(ARGV[2], index, index + 1)
  local kind, admitted = kinds[number - ${ZERO - 1}], 1
  first = (first - ${ZERO}) * #kind
  for n = 1, #kind do
    local policy, key = kind[n], KEYS[first + n]
    local quota = held[key]
    if not quota then
      quota = load(key, policy[2], policy[3])
      held[key] = quota
    end
    if policy[4] > 0 and quota.total + policy[4] > policy[1] then admitted = 0 end
  end
  for n = 1, #kind do
    local policy, key = kind[n], KEYS[first + n]
    local quota, limit, window, size, units = held[key], policy[1], policy[2], policy[3], policy[4]
    local over, wait = quota.total + units - limit
    if units > 0 and over > 0 then
      wait = -until_freed(quota, window, size, over)
    else
      if admitted == 1 and units > 0 then
        add(quota, units)
        changed[key] = window + 2 * size
      end
      wait = until_freed(quota, window, size, 1)
    end
    out[#out + 1] = pack('<i4I4I4i4', admitted, quota.total, quota.bucket, wait)
  end
end
for key, lasts in pairs(changed) do call('SET', key, pack('<I4', held[key].total) .. held[key].body, 'EX', lasts) end
return table.concat(out)
`)

/** KEYS: windows. ARGV: for each a bucket and the units to remove from it. */
const TAKE_BACK = defineScript(`
for n, key in ipairs(KEYS) do
  local state = redis.call('GET', key) or ''
  for from = #state - 7, 5, -8 do
    local bucket, units = struct.unpack('<I4I4', state, from)
    if bucket == tonumber(ARGV[2 * n - 1]) then
      local taken = math.min(units, tonumber(ARGV[2 * n]))
      redis.call('SETRANGE', key, from + 3, struct.pack('<I4', units - taken))
      redis.call('SETRANGE', key, 0, struct.pack('<I4', struct.unpack('<I4', state) - taken))
      break
    end
  end
end
`)

function keyOf(prefix: string, slot: string, { name }: Policy): string {
  return `${prefix}${name}:${slot}`
}

/** Decides at most `MAX_CALLS` charges in order, in one round trip. Rejects if Redis fails. */
export async function runCharges(counters: Counters, calls: readonly ChargeCall[]): Promise<Charge[]> {
  if (calls.length > MAX_CALLS) throw new RangeError(`${calls.length} charges in one run; at most ${MAX_CALLS}`)
  // The windows of a slot are found by its number, times the number of policies: it is equal in a run.
  const alike = calls.findIndex(({ policies }) => policies.length !== calls[0]?.policies.length)
  if (alike !== -1) return [...(await runCharges(counters, calls.slice(0, alike))), ...(await runCharges(counters, calls.slice(alike)))]
  const { redis, prefix, clock } = counters
  const keys: string[] = []
  const args: (string | number)[] = [clock === null ? -1 : clock(), '']
  const kinds: ChargeCall[] = []
  const slots = new Map<string, number>()
  let numbers = ''
  for (const call of calls) {
    let kind = kinds.findIndex((one) => isSameKind(one, call))
    if (kind === -1) {
      kind = kinds.push(call) - 1
      args.push(call.policies.length)
      for (const [n, { limit, window_s, bucket_s }] of call.policies.entries())
        args.push(limit, window_s, bucket_s, call.units[n] as number)
    }
    const windows = `${kinds.findIndex(({ policies }) => policies === call.policies)} ${call.slot}`
    let slot = slots.get(windows)
    if (slot === undefined) {
      slot = slots.size
      slots.set(windows, slot)
      for (const policy of call.policies) keys.push(keyOf(prefix, call.slot, policy))
    }
    numbers += String.fromCharCode(ZERO + kind, ZERO + slot)
  }
  args[1] = numbers
  const reply = (await runScript(redis, CHARGE, { keys, args, asBytes: true })) as Buffer
  let at = 0
  return calls.map(({ slot, policies, units }) => {
    let admitted = true
    const charged: Charged[] = []
    const quotas = policies.map((policy, n): QuotaStatus => {
      admitted = reply.readInt32LE(at) === 1
      const [total, bucket, reset_s] = [reply.readUInt32LE(at + 4), reply.readUInt32LE(at + 8), reply.readInt32LE(at + 12)]
      at += 16
      if (admitted) charged.push({ slot, policy, units: units[n] as number, bucket })
      return { policy, remaining: Math.max(0, policy.limit - total), reset_s: Math.abs(reset_s), violated: reset_s < 0 }
    })
    return { admitted, quotas, retry_after_s: retryAfter(quotas), by: 'redis', charged }
  })
}

function isSameKind(one: ChargeCall, other: ChargeCall): boolean {
  return one.policies === other.policies && one.units.every((units, n) => units === other.units[n])
}

/** Takes back what was charged, in one round trip. Rejects if Redis fails. */
export async function takeBack({ redis, prefix }: Counters, charged: readonly Charged[]): Promise<void> {
  const keys = charged.map(({ slot, policy }) => keyOf(prefix, slot, policy))
  await runScript(redis, TAKE_BACK, { keys, args: charged.flatMap(({ bucket, units }) => [bucket, units]) })
}
