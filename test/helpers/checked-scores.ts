import { expect } from 'vitest'
import type { Fit } from '../../models/run/run.ts'

/** Expects each check of a fit to be among its scores, where what is told beside a forecast is looked for. */
export function expectScored({ checks, scores }: Pick<Fit<unknown>, 'checks' | 'scores'>): void {
  const told = scores.map(({ series, horizon, value, baseline }) => JSON.stringify([series, horizon, value, baseline]))
  expect(checks.length).toBeGreaterThan(0)
  for (const { series, horizon, error, baseline } of checks) expect(told).toContain(JSON.stringify([series, horizon, error, baseline]))
}
