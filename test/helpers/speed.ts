import { createHash } from 'node:crypto'

/** Duration of the work below on a quiet core of the budgets' reference machine, ms. */
export const REFERENCE_MS = 5

const block = Buffer.alloc(1_000_000, 7)

/** Time of a fixed piece of work, ms: the current speed of this machine. */
export function fixedWork_ms(): number {
  const began = performance.now()
  createHash('sha256').update(block).digest()
  let sum = 0
  for (let at = 0; at < 1_000_000; at++) sum = (sum * 31 + at) % 1_000_003
  if (sum < 0) throw new Error('the fixed work was not done')
  return performance.now() - began
}
