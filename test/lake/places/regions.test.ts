import { describe, expect, test } from 'vitest'
import { communities } from '../../../lake/places/communities.ts'
import { allIslands, islandAt } from '../../../lake/places/islands.ts'
import { allMunicipalities } from '../../../lake/places/municipalities.ts'
import { provinces } from '../../../lake/places/provinces.ts'
import { boxOfRegion, codeOfRegion, isOfRegion, isWithinRegion, nameOfRegion, regionOf } from '../../../lake/places/regions.ts'

describe('a region', () => {
  test.each([
    ['Canarias', ['35', '38']],
    ['ES-CN', ['35', '38']],
    ['cataluña', ['08', '17', '25', '43']],
    ['Catalunya', ['08', '17', '25', '43']],
    ['Euskadi', ['01', '20', '48']],
    ['PAIS VASCO', ['01', '20', '48']],
    ['Comunidad Valenciana', ['03', '12', '46']],
    ['Galicia', ['15', '27', '32', '36']],
    // Both a province and a community: the same set.
    ['Murcia', ['30']],
    ['Región de Murcia', ['30']],
    ['ES-MC', ['30']],
    ['Comunidad de Madrid', ['28']],
    ['Navarra', ['31']],
    ['Nafarroa', ['31']],
    ['Illes Balears', ['07']],
    ['28', ['28']],
    // A province whose name begins like an island's.
    ['Las Palmas', ['35']],
    ['Palmas, Las', ['35']],
    ['Santa Cruz de Tenerife', ['38']],
    ['Formentera', ['07024']],
    ['El Hierro', ['38013', '38048', '38901']],
  ])('%s', (text, codes) => {
    expect(regionOf(text)).toEqual(codes)
  })

  test('is found again by its code and by every name of it', () => {
    const named = [
      ...provinces.map(({ code, name, names }) => [code, name, ...Object.values(names)]),
      ...communities.map(({ iso_code, names }) => [iso_code, ...names]),
      ...allIslands().map(({ code, name, names }) => [code, name, ...names]),
    ]
    for (const [code = '', ...names] of named) {
      const region = regionOf(code) ?? []
      expect(codeOfRegion(region)).toBe(code)
      expect(names).toContain(nameOfRegion(region))
      for (const name of names) expect(regionOf(name.toUpperCase()), name).toEqual(region)
    }
  })

  test.each(['', 'Palma', 'ES-XX', '00', '53', '385', 'Francia', 'Cat'])('is not %j', (text) => {
    expect(regionOf(text)).toBeUndefined()
  })
})

describe('islands', () => {
  test('have every municipality of their provinces, each once; Mallorca has 53', () => {
    const own = allIslands().flatMap(({ municipality_codes }) => municipality_codes)
    const expected = allMunicipalities().flatMap(({ code }) => (['07', '35', '38'].includes(code.slice(0, 2)) ? [code] : []))
    expect([...own].sort()).toEqual(expected)
    expect(regionOf('Mallorca')).toHaveLength(53)
    expect(regionOf('Tenerife')).toHaveLength(31)
  })

  test('select by municipality, and by position where a record has no municipality', () => {
    const palma = { province_code: '38', municipality_code: '38037', position: { lat: 28.684, lon: -17.765 } }
    const laguna = { province_code: '38', municipality_code: '38023', position: { lat: 28.487, lon: -16.315 } }
    const unknown = { province_code: '38', municipality_code: null, position: null }
    const at = (name: string) => regionOf(name) ?? []
    expect([palma, laguna, unknown].map(isOfRegion(at('La Palma')))).toEqual([true, false, false])
    expect([palma, laguna, unknown].map(isWithinRegion(at('La Palma')))).toEqual([true, false, false])
    expect([palma, laguna, unknown].map(isOfRegion(at('Canarias')))).toEqual([true, true, true])
    expect([palma, laguna, unknown].map(isWithinRegion(at('Canarias')))).toEqual([true, true, true])
    expect([palma, laguna, unknown].map(({ province_code, position }) => islandAt(province_code, position))).toEqual(['383', '384', null])
    expect(boxOfRegion(at('Canarias'))).toBeNull()
  })
})
