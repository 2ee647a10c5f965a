import { describe, expect, test } from 'vitest'
import { locate } from '../../../lake/places/locate.ts'
import { type ResolvedPlace, resolvePlace, type StatedPlace } from '../../../lake/places/resolve.ts'

function resolve(stated: StatedPlace): ResolvedPlace & { problems: string[] } {
  const problems: string[] = []
  return { ...resolvePlace(stated, (problem) => problems.push(problem)), problems }
}

describe('locate', () => {
  test.each([
    ['Madrid', 40.4169, -3.7035],
    ['Finisterre', 42.88, -9.27],
    ['Cap de Creus', 42.32, 3.32],
    ['Tarifa', 36.01, -5.61],
    ['El Hierro', 27.72, -18.15],
    ['Ceuta', 35.8883, -5.3162],
    ['Melilla', 35.2923, -2.9381],
  ])('%s stays', (_name, lat, lon) => {
    expect(locate({ lat, lon })).toEqual({ position: { lat, lon }, problem: null })
  })

  test.each([
    ['Madrid', 40.4169, -3.7035],
    ['El Hierro', 27.72, -18.15],
    ['Ceuta', 35.8883, -5.3162],
    ['Maó', 39.8885, 4.2614],
  ])('%s swapped is put right', (_name, lat, lon) => {
    expect(locate({ lat: lon, lon: lat })).toEqual({ position: { lat, lon }, problem: 'latitude and longitude were swapped' })
  })

  test('no place of Spain can be read both ways', () => {
    for (let lat = -90; lat <= 90; lat += 0.25)
      for (let lon = -90; lon <= 90; lon += 0.25)
        if (locate({ lat, lon }).problem === null) expect(locate({ lat: lon, lon: lat }).position).toEqual({ lat, lon })
  })

  test.each([
    [0, 0, 'position is 0, 0'],
    [48.85, 2.35, 'position lies outside Spain'],
    [33.5, -7.6, 'position lies outside Spain'],
    [40.4, 3_700, 'position lies outside Spain'],
    [Number.NaN, -3.7, 'position is no position'],
    [40.4, Number.POSITIVE_INFINITY, 'position is no position'],
  ])('%d, %d is dropped', (lat, lon, problem) => {
    expect(locate({ lat, lon })).toEqual({ position: null, problem })
  })
})

describe('resolvePlace', () => {
  const lorca = { lat: 37.6712, lon: -1.7017 }

  test('names and position that agree say nothing', () => {
    const expected = { province_code: '30', municipality_code: '30024', position: lorca, problems: [] }
    expect(resolve({ province: 'Murcia', municipality: 'Lorca', position: lorca })).toEqual(expected)
    expect(resolve({ provinceCode: '30', municipality: 'LORCA', position: lorca })).toEqual(expected)
    expect(resolve({ position: lorca })).toEqual(expected)
    expect(resolve({ province: 'Murcia', position: lorca })).toEqual(expected)
  })

  test('names alone are enough', () => {
    expect(resolve({ province: 'Murcia', municipality: 'Lorca' })).toEqual({
      province_code: '30',
      municipality_code: '30024',
      position: null,
      problems: [],
    })
  })

  test('nothing gives nothing', () => {
    expect(resolve({})).toEqual({ province_code: null, municipality_code: null, position: null, problems: [] })
    expect(resolve({ province: null, municipality: null, position: null }).problems).toEqual([])
  })

  test('a name that is not known is counted, and the position stands in for it', () => {
    expect(resolve({ province: 'Murcia', municipality: 'Villa Arriba', position: lorca })).toEqual({
      province_code: '30',
      municipality_code: '30024',
      position: lorca,
      problems: ['municipality is not known by that name in its province'],
    })
    expect(resolve({ province: 'Desconocida', municipality: 'Lorca', position: lorca })).toEqual({
      province_code: '30',
      municipality_code: '30024',
      position: lorca,
      problems: ['province is not known by that name'],
    })
    expect(resolve({ province: 'Desconocida' })).toMatchObject({ province_code: null, problems: ['province is not known by that name'] })
  })

  test('a code goes before a name', () => {
    expect(resolve({ provinceCode: '30', province: 'Desconocida', municipality: 'Lorca' })).toMatchObject({
      province_code: '30',
      problems: [],
    })
  })

  test('a disagreement is counted each time, the name stands and so does the position', () => {
    for (let round = 0; round < 2; round++) {
      expect(resolve({ province: 'Lugo', municipality: 'Lugo', position: lorca })).toEqual({
        province_code: '27',
        municipality_code: '27028',
        position: lorca,
        problems: ['position lies outside the province that is named'],
      })
      expect(resolve({ province: 'Murcia', municipality: 'Yecla', position: lorca })).toMatchObject({
        municipality_code: '30043',
        problems: ['position lies outside the municipality that is named'],
      })
    }
  })

  test('a municipality of the position is not taken into a province that is named otherwise', () => {
    expect(resolve({ province: 'Lugo', position: lorca })).toMatchObject({ province_code: '27', municipality_code: null })
  })

  test('within a kilometre of the border names and position agree', () => {
    // Pozuelo de Alarcón, 700 m and 1,430 m from Madrid's line.
    expect(resolve({ province: 'Madrid', municipality: 'Madrid', position: { lat: 40.4432, lon: -3.8 } })).toMatchObject({
      municipality_code: '28079',
      problems: [],
    })
    expect(resolve({ province: 'Madrid', municipality: 'Madrid', position: { lat: 40.4432, lon: -3.81 } }).problems).toEqual([
      'position lies outside the municipality that is named',
    ])
  })

  test('swapped positions are put right before they are compared; impossible ones dropped', () => {
    expect(resolve({ province: 'Murcia', municipality: 'Lorca', position: { lat: lorca.lon, lon: lorca.lat } })).toEqual({
      province_code: '30',
      municipality_code: '30024',
      position: lorca,
      problems: ['latitude and longitude were swapped'],
    })
    expect(resolve({ province: 'Murcia', municipality: 'Lorca', position: { lat: 0, lon: 0 } })).toMatchObject({
      municipality_code: '30024',
      position: null,
      problems: ['position is 0, 0'],
    })
  })

  test('a position in no municipality is kept and counted', () => {
    expect(resolve({ province: 'Murcia', municipality: 'Lorca', position: { lat: 37, lon: -0.5 } }).problems).toContain(
      'position lies in no municipality',
    )
    expect(resolve({ position: { lat: 37, lon: -0.5 } })).toMatchObject({
      province_code: null,
      position: { lat: 37, lon: -0.5 },
      problems: ['position lies in no municipality'],
    })
  })
})
