import { test } from 'vitest'

/** Which tests run: `default` leaves `*.deep.test.ts` out; `deep` runs all, over everything; unset, those that are named, as by default. */
export const TIER = process.env['TEST_TIER'] as 'default' | 'deep' | undefined

/** True where laws run over everything and properties run often, not over representatives and a few times. */
export const IS_DEEP = TIER === 'deep'

/** What the tier takes: runs of a property, rounds, cases. */
export const byTier = <T>(usual: T, deep: T): T => (IS_DEEP ? deep : usual)

/** A test that takes seconds, in a file of quick ones: skipped by default, run by `scripts/test --deep` and where its file is named. */
export const deepTest = TIER === 'default' ? test.skip : test
