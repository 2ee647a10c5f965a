import { test } from 'vitest'

/**
 * The tests to run: `default` leaves out `*.deep.test.ts`; `deep` runs everything, over all cases; unset, the named files as in
 * the default tier.
 */
export const TIER = process.env['TEST_TIER'] as 'default' | 'deep' | undefined

/** True if laws run over all declarations and properties run often, instead of over representatives and a few times. */
export const IS_DEEP = TIER === 'deep'

/** A value for the tier: runs of a property, rounds, cases. */
export const byTier = <T>(usual: T, deep: T): T => (IS_DEEP ? deep : usual)

/** A slow test in a file of quick ones: skipped by default, run by `scripts/test --deep` and if its file is named. */
export const deepTest = TIER === 'default' ? test.skip : test
