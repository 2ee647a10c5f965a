import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { airportList } from '../../../jobs/feeds/aviation/airports.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'
import { SPANISH_AIRPORTS } from '../../../lake/places/airports.ts'
import { provinceByCode } from '../../../lake/places/provinces.ts'
import { sharedFolder } from '../../helpers/shared.ts'

const shared = sharedFolder()
const capture = (path: string): Buffer => readFileSync(join(shared as string, 'feeds', path))

test.skipIf(!shared)('the capture of OpenFlights: 55 Spanish airports with an IATA code, each in its province', async () => {
  const bytes = gunzipSync(capture('openflights/airports.dat.gz'))
  const { rows, report } = await parsePublication(airportList, [{ name: 'openflights', bytes }], Date.UTC(2026, 0))
  const found = rows.get('airports') ?? []
  expect(report.quarantined).toEqual({})
  expect(found).toHaveLength(55)
  const of = (iata: string): unknown => found.find((row) => row['iata'] === iata)
  expect(of('RMU')).toMatchObject({ icao: 'LEMI', province_code: '30', time_zone: 'Europe/Madrid', source: 'openflights' })
  expect(of('MJV')).toMatchObject({ icao: 'LELC' })
  expect(of('TFN')).toMatchObject({ province_code: '38', elevation_m: 633, time_zone: 'Atlantic/Canary' })
  expect(found.filter((row) => !provinceByCode(row['province_code'] as string))).toEqual([])
  // Renamed since: Castellón and Logroño have other codes today, Ceuta's heliport is not in the list.
  const other = found.filter((row) => (SPANISH_AIRPORTS[row['iata'] as string] ?? row['icao']) !== row['icao'])
  expect(other.map((row) => row['iata']).sort()).toEqual(['CDT', 'RJL'])
  expect(Object.keys(SPANISH_AIRPORTS).filter((iata) => of(iata) === undefined)).toEqual(['JCU'])
})
