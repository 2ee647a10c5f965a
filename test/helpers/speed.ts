import { createHash } from 'node:crypto'

/** What the work below takes on a quiet core of the machine that the budgets were set on, ms. */
export const REFERENCE_MS = 5

const block = Buffer.alloc(1_000_000, 7)

/** Time of a fixed piece of work, ms: how fast this machine is at the moment. */
export function fixedWork_ms(): number {
  const began = performance.now()
  createHash('sha256').update(block).digest()
  let sum = 0
  for (let at = 0; at < 1_000_000; at++) sum = (sum * 31 + at) % 1_000_003
  if (sum < 0) throw new Error('the fixed work was not done')
  return performance.now() - began
}
