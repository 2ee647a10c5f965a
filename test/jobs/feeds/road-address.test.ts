import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { roadPlace } from '../../../jobs/feeds/fuel/road-address.ts'
import { fuelStationsFeed } from '../../../jobs/feeds/fuel/stations.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../helpers/shared.ts'

const shared = sharedFolder()

async function stationsOf(bytes: Buffer): Promise<readonly AnyRow[]> {
  const { rows } = await parsePublication(fuelStationsFeed, [{ name: 'national', bytes }], Date.UTC(2026, 0, 1))
  return rows.get('fuel_stations') as readonly AnyRow[]
}

describe('an address on a road', () => {
  // As published; the first of each kind of many alike.
  test.each([
    ['CARRETERA N-110 KM. 382,400', 'N-110', 382.4],
    ['CR A-2 KM. 586,5', 'A-2', 586.5],
    ['AUTOPISTA AP-7 KM 123', 'AP-7', 123],
    ['AUTOVIA A5 KM. 341', 'A-5', 341],
    ['CARRETERA N 634 KM. 41', 'N-634', 41],
    ['CARRETERA N- 611 KM. 80,6', 'N-611', 80.6],
    ['AUTOVIA A - 6 MADRID-LA CORUÑA KM. 154,100', 'A-6', 154.1],
    ['CARRETERA N.340 KM. 12', 'N-340', 12],
    ['Ctra. A-494 km 24,500', 'A-494', 24.5],
    ['CTRA.C-550 (MARGEN IZQUIERDO) km 4', 'C-550', 4],
    ['CARRETERA CARRETERA A 129 KM. 66,5', 'A-129', 66.5],
    ['CARRETERA CR CA-141 KM. 7,8', 'CA-141', 7.8],
    ['CARRETERA CR-506 KM. 3,300', 'CR-506', 3.3],
    ['CARRETERA E-5/A-4 KM. 535,8', 'A-4', 535.8],
    ['AUTOPISTA AP-7 (MRG.DCHO.) KM. 613,2', 'AP-7', 613.2],
    ['CARRETERA CV-859, DOLORES-SAN FULGENCIO KM. 4,5', 'CV-859', 4.5],
    ['CARRETERA SA-CV-70 KM. 1,650', 'SA-CV-70', 1.65],
    ['CARRETERA N-340A KM. 673', 'N-340A', 673],
    ['CARRETERA N-332-A KM. 4,5', 'N-332A', 4.5],
    ['AUTOVIA A-92N KM. 4,5', 'A-92N', 4.5],
  ])('%s', (address, road, km) => expect(roadPlace(address)).toEqual({ road, km }))

  test.each([
    ['CARRETERA NACIONAL 340 KM. 436', 'N-340', 436],
    ['CARRETERA NACIONAL VI KM. 567', 'N-6', 567],
    ['CARRETERA NACIONAL N-1 (IRUN-MADRID) KM. 417', 'N-1', 417],
    ['CARRETERA CRTA. NAC 340A KM. 533', 'N-340A', 533],
    ['CARRETERA CN-340 KM. 665,00', 'N-340', 665],
    ['CARRETERA N-II KM. 760', 'N-2', 760],
    ['AUTOVIA N IV KM. 55,2', 'N-4', 55.2],
    ['CARRETERA N-IVA KM. 3,5', 'N-4A', 3.5],
  ])('%s: a national road as the traffic authority writes it', (address, road, km) => expect(roadPlace(address)).toEqual({ road, km }))

  test.each([
    ['C-59 km 32', 'C-59', 32],
    ['N-340 km 1216,35', 'N-340', 1216.35],
    ['CTRA N-110 PK 144,600', 'N-110', 144.6],
    ['CTRA. N-IV, P.K. 210', 'N-4', 210],
    ['CARRETERA AUTOVIA A-4 KM 9+250', 'A-4', 9.25],
    ['AUTOPISTA AP 7 KM 117 KM. 117', 'AP-7', 117],
    ['CR PO-552, 46,4', 'PO-552', 46.4],
    ['CR CM-332 61,7', 'CM-332', 61.7],
    ['CR BV-2001, 2.1 (BV-2001 km 2,1)', 'BV-2001', 2.1],
  ])('%s: the post in other words', (address, road, km) => expect(roadPlace(address)).toEqual({ road, km }))
})

test.each([
  ['CARRETERA N-525 KM.', 'N-525'],
  ['CARRETERA N-340 XATIVA-LLOSA DE RANES KM. S/N', 'N-340'],
  // Zero is the form's value for a missing kilometre: km 0 of the N-433 is in Seville, 150 km away.
  ['CARRETERA N 433 KM. 0', 'N-433'],
  // The road's number once more, metres, beyond the longest road.
  ['CARRETERA EX-107 KM. 107', 'EX-107'],
  ['CARRETERA PO-550 KM. 35550', 'PO-550'],
  ['CARRETERA M-407 KM. 1800', 'M-407'],
  // Two posts; 17.5 or number 5 at km 17; a house number.
  ['CARRETERA LR204 KM.12 KM. 11,8', 'LR-204'],
  ['CR N-435 KM 17, 5', 'N-435'],
  ['CR N-301, 97', 'N-301'],
])('%s gives the road and no kilometre', (address, road) => expect(roadPlace(address)).toEqual({ road, km: null }))

test.each([
  'CALLE TREBALL, 1',
  'CARRETERA DE PINOSO KM. 0,800',
  'CARRETERA 230 KM. 50',
  'AUTOVIA 62 KM. 64,300',
  'CARRETERA 112,6 KM. N-332',
  'CARRETERA C-12 ENCREUAMENT C-233 KM. 1',
  'CARRETERA N-II (A-2) KM. 588',
  'CARRETERA CO 5+68 KM. 1,4',
  'CTRA. A-5.301 km 7.1',
  'CARRETERA NN 120 KM. 308',
  'CARRETERA EXT104 KM. 20,2',
  'CARRETERA LEON 125 KM. 22,500',
  'CARRETERA E-9 KM. 14,7',
  'CARRETERA AVD. GUIPUZCOA N-240 KM. 4',
  'CARRETERA N 5º KM 3',
  'P-4, PARCELA 3',
  'CL 12 DE OCTUBRE, 4',
  'POLIGONO M-40, NAVE 3 KM. 5',
  'C 17 KM. 5',
  '',
])('%j is on no road beyond doubt', (address) => expect(roadPlace(address)).toEqual({ road: null, km: null }))

test('a station is on the road that its address names', async () => {
  const fixture = fileURLToPath(new URL('../../fixtures/fuel_stations/stations.json', import.meta.url))
  const [station] = JSON.parse(readFileSync(fixture, 'utf8')).ListaEESSPrecio
  const list = ['AUTOVIA A-2 KM. 586,5', 'CARRETERA N-II S/N, ', ''].map((Dirección, at) => ({ ...station, IDEESS: String(at), Dirección }))
  const answer = { Fecha: '27/09/2025 18:05:47', ListaEESSPrecio: list, ResultadoConsulta: 'OK' }
  expect(await stationsOf(Buffer.from(JSON.stringify(answer)))).toMatchObject([
    { address: 'AUTOVIA A-2 KM. 586,5', road: 'A-2', km: 586.5 },
    { address: 'CARRETERA N-II S/N', road: 'N-2', km: null },
    { address: null, road: null, km: null },
  ])
})

describe.skipIf(!shared)('captures of the ministry', () => {
  test.each([
    ['EstacionesTerrestres_FiltroProvincia_08_20250927T180547.json', { road: 186, km: 179 }],
    ['EstacionesTerrestres_FiltroCCAA_06_20240819T143651.json', { road: 50, km: 44 }],
  ])('%s: so many give their road', async (file, expected) => {
    const stations = await stationsOf(readFileSync(join(shared as string, 'feeds/miteco-eess', file)))
    const countOf = (column: string): number => stations.filter((row) => row[column] !== null).length
    expect({ road: countOf('road'), km: countOf('km') }).toEqual(expected)
    for (const { road, km } of stations) {
      if (road !== null) expect(road).toMatch(/^[A-Z]{1,3}(-(P|V|CV|BU))?-\d{1,4}[A-Z]?$/)
      if (road === null) expect(km).toBeNull()
    }
  })
})
