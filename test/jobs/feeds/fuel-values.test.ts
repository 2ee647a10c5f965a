import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fuelStationsFeed } from '../../../jobs/feeds/fuel/stations.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { PROJECT } from '../../laws/sources.ts'

const shared = sharedFolder()
const AT = Date.UTC(2026, 10, 1)
const FIXTURE = readFileSync(join(PROJECT, 'test/fixtures/fuel_stations/stations.json'), 'utf8')

const parse = (bytes: Buffer): Promise<Publication> => parsePublication(fuelStationsFeed, [{ name: 'national', bytes }], AT)

/** The first station of the fixture with other fields, and the second as it is. */
function parseStation(fields: object): Promise<Publication> {
  const answer = JSON.parse(FIXTURE)
  Object.assign(answer.ListaEESSPrecio[0], fields)
  return parse(Buffer.from(JSON.stringify(answer)))
}

function priceOf({ rows }: Publication, station_id: string, product: string): AnyRow | undefined {
  return rows.get('fuel_prices')?.find((row) => row['station_id'] === station_id && row['product'] === product)
}

test('a price or a text may be a JSON number, and one that is neither text nor number costs only itself', async () => {
  const publication = await parseStation({ 'Precio Adblue': 0.729, 'C.P.': 28001, 'Precio Gasoleo A': { euros: 1 }, Rótulo: true })
  expect(publication.rows.get('fuel_stations')?.[0]).toMatchObject({ postal_code: '28001', brand: null })
  expect(priceOf(publication, '900001', 'ADBLUE')).toMatchObject({ price: 0.729 })
  expect(priceOf(publication, '900001', 'DIESEL_A')).toBeUndefined()
  expect(priceOf(publication, '900001', 'GASOLINE_95_E5')).toMatchObject({ price: 1.509 })
  expect(Object.fromEntries(publication.report.warnings)).toMatchObject({
    'Precio Gasoleo A is neither text nor number: left out': 1,
    'Rótulo is neither text nor number: left out': 1,
  })
})

test.skipIf(!shared)('110 stations with odd values: all are kept, with the price that is a JSON number', async () => {
  const publication = await parse(readFileSync(join(shared as string, 'cases/fuel-odd-values.json')))
  expect(Object.fromEntries(publication.counts)).toEqual({ fuel_stations: 110, fuel_prices: 397 })
  expect(publication.report.quarantined).toEqual({})
  expect(priceOf(publication, '1064', 'DIESEL_A')).toMatchObject({ price: 1.799 })
})
