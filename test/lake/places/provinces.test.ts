import { describe, expect, test } from 'vitest'
import { foldName, indexNames, nameKeys } from '../../../lake/places/names.ts'
import { provinceByCode, provinceByName, provinces } from '../../../lake/places/provinces.ts'

test('there are the 52 provinces of INE, codes without gap', () => {
  expect(provinces.map(({ code }) => code)).toEqual(Array.from({ length: 52 }, (_, at) => String(at + 1).padStart(2, '0')))
  expect(Object.isFrozen(provinces) && provinces.every(Object.isFrozen)).toBe(true)
})

test('each is found by its code and by every name it has, and by no other', () => {
  for (const province of provinces) {
    expect(provinceByCode(province.code)).toBe(province)
    for (const name of [province.name, province.ine_name, province.spanish, ...Object.values(province.names)]) {
      expect(provinceByName(name), name).toBe(province)
      expect(provinceByName(name.toUpperCase()), name).toBe(province)
      expect(provinceByName(`  ${name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()} `), name).toBe(province)
    }
  }
})

test('names are given in reading order, and for a Spanish sentence', () => {
  const names = (code: string): unknown[] => {
    const { name, ine_name, spanish } = provinceByCode(code) as (typeof provinces)[number]
    return [name, ine_name, spanish]
  }
  expect(names('15')).toEqual(['A Coruña', 'Coruña, A', 'A Coruña'])
  expect(names('03')).toEqual(['Alicante/Alacant', 'Alicante/Alacant', 'Alicante'])
  expect(names('07')).toEqual(['Illes Balears', 'Balears, Illes', 'Illes Balears'])
  expect(names('01')).toEqual(['Araba/Álava', 'Araba/Álava', 'Álava'])
})

describe('spellings of the captures', () => {
  test.each([
    // DGT's situations
    ['València/Valencia', '46'],
    ['Alacant/Alicante', '03'],
    ['Castelló/Castellón', '12'],
    ['Illes Balears', '07'],
    ['A Coruña', '15'],
    ['Santa Cruz de Tenerife', '38'],
    // DGT's cameras
    ['VALENCIA/VALÈNCIA', '46'],
    ['ALICANTE/ALACANT', '03'],
    ['CASTELLÓN/CASTELLÓ', '12'],
    ['BALEARS, ILLES', '07'],
    ['CORUÑA, A', '15'],
    ['RIOJA, LA', '26'],
    ['GIPUZKOA', '20'],
    // the ministry, today and in 2017
    ['CORUÑA (A)', '15'],
    ['PALMAS (LAS)', '35'],
    ['RIOJA (LA)', '26'],
    ['BALEARS (ILLES)', '07'],
    ['VALENCIA / VALÈNCIA', '46'],
    ['CASTELLÓN / CASTELLÓ', '12'],
    ['ARABA/ÁLAVA', '01'],
    ['ÁLAVA', '01'],
    ['VIZCAYA', '48'],
    ['GUIPÚZCOA', '20'],
    ['ALICANTE', '03'],
    ['CACERES', '10'],
    // communities of one province
    ['Asturias, Principado de', '33'],
    ['Madrid, Comunidad de', '28'],
    ['Comunidad Foral de Navarra', '31'],
    ['Murcia, Región de', '30'],
    // without article, other official languages, former names
    ['Coruña', '15'],
    ['Rioja', '26'],
    ['Nafarroa', '31'],
    ['Lérida', '25'],
    ['Gerona', '17'],
    ['Orense', '32'],
  ])('%s is %s', (name, code) => {
    expect(provinceByName(name)?.code).toBe(code)
  })

  test.each(['', ' ', 'Portugal', 'Desconocida', 'León/Lugo', '28', 'constructor', 'a', '/', ',', 'Castilla y León'])(
    '%j is none',
    (name) => {
      expect(provinceByName(name)).toBeUndefined()
    },
  )
})

test('names fold to comparable forms', () => {
  expect(foldName("  L'Hospitalet de  Llobregat ")).toBe('l hospitalet de llobregat')
  expect(foldName('Sant Marcel·lí')).toBe('sant marcelli')
  expect(foldName('MÁLAGA')).toBe('malaga')
  expect(nameKeys('Noáin (Valle de Elorz)/Noain (Elortzibar)')).toContain('valle de elorz noain')
})

test('a name that two places bear finds neither, unless one bears its article', () => {
  const index = indexNames([
    ['1', ['El Puig']],
    ['2', ['Puig']],
    ['3', ['La Torre']],
    ['4', ['Villar']],
    ['5', ['Villar']],
  ])
  expect(index.find('El Puig')).toBe('1')
  expect(index.find('Puig')).toBe('2')
  expect(index.find('Torre')).toBe('3')
  expect(index.find('Villar')).toBeNull()
})
