import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { ignMunicipalities } from '../../../jobs/feeds/road/ign-municipalities.ts'
import { warningLines } from '../../../jobs/ingest/diagnostics.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'
import type { municipalityRegister } from '../../../lake/datasets/road/municipality-register.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { inhabitantsOf } from '../../../scripts/stand-in/world/inhabitants.ts'
import { readGazetteer } from '../../../scripts/stand-in/world/municipalities.ts'
import { sharedFolder } from '../../helpers/shared.ts'

const shared = sharedFolder()

test.skipIf(!shared)("IGN's register has 8,132 municipalities and 48,027,027 inhabitants", async () => {
  const bytes = gunzipSync(readFileSync(`${shared}/feeds/catalogos/ign-ngmep/MUNICIPIOS.csv.gz`))
  const { rows, report } = await parsePublication(ignMunicipalities, [{ name: '2023', bytes }], Date.UTC(2026, 6, 3), { keeps: () => true })
  const found = rows.get('municipality_register') as unknown as FeedRow<typeof municipalityRegister>[]
  expect([found.length, found.reduce((sum, { population }) => sum + (population ?? 0), 0)]).toEqual([8132, 48_027_027])
  expect(found.find(({ municipality_code }) => municipality_code === '01001')).toMatchObject({
    ...{ name: 'Alegría-Dulantzi', population: 2975, area_km2: 19.9459, altitude_m: 568, position: { lat: 42.83981158, lon: -2.51243731 } },
  })
  expect(warningLines(report)).toEqual([])
})

test('the simulated register has as many inhabitants as the country, and the largest towns as many as they have', () => {
  const all = readGazetteer().municipalities.map(({ code }) => [code, inhabitantsOf(code, 1)] as const)
  expect(Math.abs(all.reduce((sum, [, inhabitants]) => sum + inhabitants, 0) / 48_027_027 - 1)).toBeLessThan(0.05)
  const largest = all.toSorted(([, one], [, other]) => other - one).slice(0, 6)
  // Madrid, Barcelona, València, Sevilla, Zaragoza, Málaga.
  expect(largest.map(([code]) => code)).toEqual(['28079', '08019', '46250', '41091', '50297', '29067'])
  expect(largest[0]?.[1]).toBe(3_332_000)
})
