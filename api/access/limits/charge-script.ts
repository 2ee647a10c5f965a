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

/**
 * Decides charges in order, as `chargeWindows` does. KEYS: one window per charge and policy. ARGV: time in s (-1: Redis'); per
 * charge the number of policies, and for each limit, window_s, bucket_s, units. Reply: per charge 1 or 0, and per policy total,
 * bucket and seconds until more (negative if violated).
 */
const CHARGE = defineScript(`
-- A window is a string of numbers of four bytes: units in all, then number and units of each bucket, oldest first.
local call, pack, unpack, floor = redis.call, struct.pack, struct.unpack, math.floor
local now = tonumber(ARGV[1])
if now < 0 then now = tonumber(call('TIME')[1]) end

local function load(quota)
  local state = call('GET', quota.key)
  local current, count = floor(now / quota.size), quota.window / quota.size
  local last = state and unpack('<I4', state, #state - 7)
  if not state or last > current + count then
    quota.total, quota.body, quota.bucket = 0, '', current
    return
  end
  local total, from = unpack('<I4', state), 5
  while from <= #state do
    local bucket, units = unpack('<I4I4', state, from)
    if bucket >= current - count then break end
    total = total - units
    from = from + 8
  end
  quota.total, quota.body, quota.bucket = total, string.sub(state, from), math.max(current, last)
end

local function add(quota)
  local body, units = quota.body, quota.units
  if body ~= '' then
    local last, before = unpack('<I4I4', body, #body - 7)
    if last == quota.bucket then
      body, units = string.sub(body, 1, #body - 8), units + before
    end
  end
  quota.total = quota.total + quota.units
  quota.body = body .. pack('<I4I4', quota.bucket, units)
  call('SET', quota.key, pack('<I4', quota.total) .. quota.body, 'EX', quota.window + 2 * quota.size)
end

local function until_freed(quota, wanted)
  local freed = 0
  for from = 1, #quota.body, 8 do
    local bucket, units = unpack('<I4I4', quota.body, from)
    freed = freed + units
    if freed > 0 and (freed >= wanted or freed == quota.total) then return (bucket + 1) * quota.size + quota.window - now end
  end
  return quota.window
end

local out, o, key, arg = {}, 0, 0, 2
while arg <= #ARGV do
  local quotas, admitted = {}, 1
  for n = 1, tonumber(ARGV[arg]) do
    local at = arg + 4 * n - 3
    key = key + 1
    local quota = {
      key = KEYS[key],
      limit = tonumber(ARGV[at]),
      window = tonumber(ARGV[at + 1]),
      size = tonumber(ARGV[at + 2]),
      units = tonumber(ARGV[at + 3]),
    }
    load(quota)
    quota.over = quota.total + quota.units - quota.limit
    quota.violated = quota.units > 0 and quota.over > 0
    if quota.violated then admitted = 0 end
    quotas[n] = quota
  end
  o = o + 1
  out[o] = admitted
  for n = 1, #quotas do
    local quota = quotas[n]
    if admitted == 1 and quota.units > 0 then add(quota) end
    out[o + 1] = quota.total
    out[o + 2] = quota.bucket
    out[o + 3] = quota.violated and -until_freed(quota, quota.over) or until_freed(quota, 1)
    o = o + 3
  end
  arg = arg + 1 + 4 * #quotas
end
return out
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

/** Decides charges in order, in one round trip. Rejects if Redis fails. */
export async function runCharges({ redis, prefix, clock }: Counters, calls: readonly ChargeCall[]): Promise<Charge[]> {
  const keys: string[] = []
  const args: number[] = [clock === null ? -1 : clock()]
  for (const { slot, policies, units } of calls) {
    args.push(policies.length)
    for (let n = 0; n < policies.length; n++) {
      const policy = policies[n] as Policy
      keys.push(keyOf(prefix, slot, policy))
      args.push(policy.limit, policy.window_s, policy.bucket_s, units[n] as number)
    }
  }
  const reply = (await runScript(redis, CHARGE, { keys, args })) as number[]
  let at = 0
  return calls.map(({ slot, policies, units }) => {
    const admitted = reply[at++] === 1
    const charged: Charged[] = []
    const quotas = policies.map((policy, n): QuotaStatus => {
      const [total, bucket, reset_s] = [reply[at] as number, reply[at + 1] as number, reply[at + 2] as number]
      at += 3
      if (admitted) charged.push({ slot, policy, units: units[n] as number, bucket })
      return { policy, remaining: Math.max(0, policy.limit - total), reset_s: Math.abs(reset_s), violated: reset_s < 0 }
    })
    return { admitted, quotas, retry_after_s: retryAfter(quotas), by: 'redis', charged }
  })
}

/** Takes back what was charged, in one round trip. Rejects if Redis fails. */
export async function takeBack({ redis, prefix }: Counters, charged: readonly Charged[]): Promise<void> {
  const keys = charged.map(({ slot, policy }) => keyOf(prefix, slot, policy))
  await runScript(redis, TAKE_BACK, { keys, args: charged.flatMap(({ bucket, units }) => [bucket, units]) })
}
