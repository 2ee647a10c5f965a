import { expect } from 'vitest'
import type { Fit } from '../../models/run/run.ts'

/** Expects each check of a fit to be among its scores, which replies with forecasts refer to. */
export function expectScored({ checks, scores }: Pick<Fit<unknown>, 'checks' | 'scores'>): void {
  const values = scores.map(({ series, horizon, value, baseline }) => JSON.stringify([series, horizon, value, baseline]))
  expect(checks.length).toBeGreaterThan(0)
  for (const { series, horizon, error, baseline } of checks) expect(values).toContain(JSON.stringify([series, horizon, error, baseline]))
}
