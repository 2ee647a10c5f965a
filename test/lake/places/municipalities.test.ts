import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { decodeText } from '../../../jobs/formats/text.ts'
import { contains, distanceTo, indexAreas } from '../../../lake/places/areas.ts'
import { type Area, loadAtlas } from '../../../lake/places/atlas.ts'
import { allMunicipalities, metresTo, municipalityByCode, municipalityByName, placeAt } from '../../../lake/places/municipalities.ts'
import { MUNICIPALITY_ALIASES } from '../../../lake/places/municipality-aliases.ts'
import { provinceByCode, provinceByName } from '../../../lake/places/provinces.ts'
import { bestOf } from '../../helpers/best.ts'
import { sharedFolder } from '../../helpers/shared.ts'

const shared = sharedFolder()

function lines(path: string): string[][] {
  const bytes = readFileSync(`${shared}/feeds/${path}`)
  return decodeText(path.endsWith('.gz') ? gunzipSync(bytes) : bytes)
    .split(/\r?\n/)
    .filter((line) => line !== '')
    .map((line) => line.split(';').map((cell) => cell.replace(/^"|"$/g, '')))
}

describe('by name', () => {
  test('all 8,132 are found by their own name, in their province only', () => {
    const all = allMunicipalities()
    expect(all).toHaveLength(8_132)
    for (const { code, name } of all) {
      expect(municipalityByName(name, code.slice(0, 2))?.code, name).toBe(code)
      expect(municipalityByCode(code)?.name).toBe(name)
      expect(provinceByCode(code.slice(0, 2))).toBeDefined()
    }
  })

  test('shared lands and Gibraltar are no municipalities', () => {
    expect(allMunicipalities().filter(({ code }) => code > '53')).toEqual([])
    expect(municipalityByCode('54006')).toBeUndefined()
  })

  test('every alias is of a municipality there is, and finds it', () => {
    for (const [code, names] of Object.entries(MUNICIPALITY_ALIASES))
      for (const name of names) expect(municipalityByName(name, code.slice(0, 2))?.code, name).toBe(code)
  })

  test.each([
    ['Coruña, A', '15', '15030'],
    ['CORUÑA (A)', '15', '15030'],
    ['LA CORUÑA', '15', '15030'],
    ['Alacant', '03', '03014'],
    ['ALICANTE', '03', '03014'],
    ['Elche', '03', '03065'],
    ['Palma de Mallorca', '07', '07040'],
    ['Hospitalet de Llobregat, L’', '08', '08101'],
    ['hospitalet de llobregat', '08', '08101'],
    ['San Sebastián', '20', '20069'],
    ['Vitoria', '01', '01059'],
    ['Usansolo', '48', '48916'],
    ['Ceuta', '51', '51001'],
  ])('%s in %s is %s', (name, province, code) => {
    expect(municipalityByName(name, province)?.code).toBe(code)
  })

  test.each([
    ['Madrid', '08'],
    ['Nowhere', '28'],
    ['Madrid', '99'],
    ['', '28'],
    ['constructor', '28'],
  ])('%j in %s is unknown', (name, province) => {
    expect(municipalityByName(name, province)).toBeUndefined()
  })
})

describe('by point', () => {
  test.each([
    ['Puerta del Sol', 40.4169, -3.7035, '28', '28079'],
    ['Plaça de Catalunya', 41.387, 2.17, '08', '08019'],
    ['Lorca', 37.6712, -1.7017, '30', '30024'],
    ['Las Palmas', 28.1235, -15.4363, '35', '35016'],
    ['Teide', 28.2724, -16.6424, '38', '38026'],
    ['Maó', 39.8885, 4.2614, '07', '07032'],
    ['Ceuta', 35.8883, -5.3162, '51', '51001'],
    ['Melilla', 35.2923, -2.9381, '52', '52001'],
    ['Llívia, within France', 42.4645, 1.9812, '17', '17094'],
    ['Treviño, of Burgos within Álava', 42.735, -2.748, '09', '09109'],
  ])('%s', (_name, lat, lon, province_code, municipality_code) => {
    expect(placeAt({ lat, lon })).toEqual({ province_code, municipality_code })
  })

  test('land that municipalities share has a province and no municipality', () => {
    expect(placeAt({ lat: 42.19, lon: -1.48 })).toEqual({ province_code: '31', municipality_code: null })
  })

  test.each([
    ['the sea', 38.5, 1],
    ['Lisbon', 38.72, -9.14],
    ['Toulouse', 43.6, 1.44],
    ['Gibraltar', 36.135, -5.348],
    ['0, 0', 0, 0],
    ['the pole', 90, 180],
  ])('%s is nowhere', (_name, lat, lon) => {
    expect(placeAt({ lat, lon })).toEqual({ province_code: null, municipality_code: null })
  })

  test('a pier belongs to its town, the open sea to none', () => {
    const barcelona = { lat: 41.34, lon: 2.175 }
    expect(placeAt(barcelona).municipality_code).toBe('08019')
    expect(metresTo('08019', { lat: 41.2, lon: 2.3 })).toBeGreaterThan(10_000)
    expect(placeAt({ lat: 41.2, lon: 2.3 }).municipality_code).toBeNull()
  })

  test('the index finds the same as a search of all areas', () => {
    const { provinces, municipalities } = loadAtlas()
    const index = indexAreas(municipalities)
    let seed = 42
    const random = (): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return seed / 2_147_483_648
    }
    let inside = 0
    for (let round = 0; round < 600; round++) {
      const area = provinces[Math.floor(random() * provinces.length)] as Area
      const point = { lat: area.south + random() * (area.north - area.south), lon: area.west + random() * (area.east - area.west) }
      const found = index.at(point)
      expect(found?.code).toBe(municipalities.find((one) => contains(one, point))?.code)
      if (found) inside++
    }
    expect(inside).toBeGreaterThan(200)
  })

  test('holes and parts are distinguished, and distance is in metres', () => {
    const square = (west: number, south: number, size: number): Float64Array =>
      Float64Array.of(west, south, west + size, south, west + size, south + size, west, south + size, west, south)
    const area: Area = {
      code: '1',
      name: 'ring and island',
      rings: [square(0, 40, 1), square(0.25, 40.25, 0.5), square(2, 40, 0.1)],
      west: 0,
      south: 40,
      east: 2.1,
      north: 41,
    }
    expect(contains(area, { lat: 40.1, lon: 0.1 })).toBe(true)
    expect(contains(area, { lat: 40.5, lon: 0.5 })).toBe(false)
    expect(contains(area, { lat: 40.05, lon: 2.05 })).toBe(true)
    expect(distanceTo(area, { lat: 40.1, lon: 0.1 })).toBe(0)
    expect(distanceTo(area, { lat: 39, lon: 0.5 })).toBeCloseTo(111_195, -2)
    expect(distanceTo(area, { lat: 40.5, lon: 0.3 })).toBeCloseTo(0.05 * 111_195 * Math.cos((40.5 * Math.PI) / 180), 0)
  })

  test('takes less than 0.1 ms', async () => {
    placeAt({ lat: 40, lon: -3 })
    const best = await bestOf(10, () => {
      for (let at = 0; at < 10_000; at += 10) placeAt({ lat: 36 + (at % 97) * 0.077, lon: -9 + Math.floor(at / 100) * 0.12 })
    })
    expect(best / 1000).toBeLessThan(0.1)
  })
})

describe.skipIf(!shared)('against the catalogues', () => {
  test('IGN has the same municipalities, and its names find them', () => {
    const [, ...rows] = lines('catalogos/ign-ngmep/MUNICIPIOS.csv.gz')
    expect(rows).toHaveLength(8_132)
    expect(rows.map(([code]) => code?.slice(0, 5)).sort()).toEqual(allMunicipalities().map(({ code }) => code))
    for (const [code, , , , province, name] of rows as [string, string, string, string, string, string][]) {
      expect(provinceByName(province)?.code, province).toBe(code.slice(0, 2))
      expect(municipalityByName(name, code.slice(0, 2))?.code, name).toBe(code.slice(0, 5))
    }
  })

  test('the towns of IGN are in their municipality, except 1 in 100 within 1 km of it', () => {
    const [head, ...rows] = lines('catalogos/ign-ngmep/MUNICIPIOS.csv.gz') as [string[], ...string[][]]
    const lat = head.indexOf('LATITUD_ETRS89')
    const lon = head.indexOf('LONGITUD_ETRS89')
    let elsewhere = 0
    for (const row of rows) {
      const code = (row[0] as string).slice(0, 5)
      const point = { lat: Number(row[lat]?.replace(',', '.')), lon: Number(row[lon]?.replace(',', '.')) }
      if (placeAt(point).municipality_code === code) continue
      elsewhere++
      expect(metresTo(code, point) ?? 0, code).toBeLessThan(1_000)
    }
    expect(elsewhere).toBeLessThan(82)
  })

  test('every municipality of the ministry’s list is found', () => {
    const bytes = gunzipSync(readFileSync(`${shared}/feeds/miteco-eess/Listados_Municipios.json.gz`))
    const list = JSON.parse(bytes.toString()) as { IDProvincia: string; Provincia: string; Municipio: string }[]
    expect(list).toHaveLength(8_112)
    for (const { IDProvincia, Provincia, Municipio } of list) {
      expect(provinceByName(Provincia)?.code, Provincia).toBe(IDProvincia)
      expect(municipalityByName(Municipio, IDProvincia), `${Municipio}, ${Provincia}`).toBeDefined()
    }
  })

  test('every municipality of the ministry’s stations of November 2025 is found', () => {
    const rows = lines('miteco-eess/preciosEESS_es_20251111T1700.csv.gz').slice(4)
    expect(rows.length).toBeGreaterThan(12_000)
    for (const [province, municipality] of rows as [string, string][]) {
      const code = provinceByName(province)?.code
      expect(code, province).toBeDefined()
      expect(municipalityByName(municipality, code as string), `${municipality}, ${province}`).toBeDefined()
    }
  })

  test('every province and municipality of DGT’s captures is found', () => {
    const situations = gunzipSync(readFileSync(`${shared}/feeds/dgt-datex2/situation_datex2_v36_20260102T132328+0100.xml.gz`)).toString()
    const pairs = [...situations.matchAll(/<lse:municipality>([^<]*)<\/lse:municipality>\s*<lse:province>([^<]*)</g)]
    expect(pairs).toHaveLength(1_018)
    for (const [, municipality, province] of pairs as unknown as [string, string, string][]) {
      const code = provinceByName(province)?.code
      expect(code, province).toBeDefined()
      expect(municipalityByName(municipality, code as string), `${municipality}, ${province}`).toBeDefined()
    }
    const cameras = gunzipSync(readFileSync(`${shared}/feeds/dgt-camaras/camaras_datex2_v36_20260222T010001+0100.xml.gz`)).toString()
    const provincesSeen = new Set([...cameras.matchAll(/<lse:province>([^<]*)</g)].map(([, name]) => name as string))
    expect(provincesSeen.size).toBe(43)
    for (const name of provincesSeen) expect(provinceByName(name), name).toBeDefined()
  })
})
