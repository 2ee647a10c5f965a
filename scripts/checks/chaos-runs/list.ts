import { apiKills } from './api-kills.ts'
import { diskFull } from './disk-full.ts'
import { derivationKills, kills, monthKills, versionKills } from './kills.ts'
import { redisLost } from './redis-lost.ts'
import type { Scenario } from './scenario.ts'
import { stops } from './stops.ts'
import { backfillKills, modelKills } from './undisturbed.ts'
import { workersLost } from './workers-lost.ts'
import { writers } from './writers.ts'

/** Every scenario, in the order in which they run. */
export const SCENARIOS: readonly Scenario[] = Object.freeze([
  kills,
  versionKills,
  derivationKills,
  backfillKills,
  monthKills,
  modelKills,
  stops,
  diskFull,
  redisLost,
  workersLost,
  writers,
  apiKills,
])
