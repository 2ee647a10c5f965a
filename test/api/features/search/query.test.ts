import { expect, test } from 'vitest'
import { soundOf, wordsOf } from '../../../../api/features/search/fold.ts'
import { kindsOf, positionIn, roadPlaceIn, termsOf } from '../../../../api/features/search/query.ts'

test.each([
  ["L'Hospitalet de Llobregat", ['hospitalet', 'llobregat']],
  ['A-6', ['a6']],
  ['AP 7', ['ap7']],
  ['AP7', ['ap7']],
  ['N-II', ['n2']],
  ['nacional 340', ['n340']],
  ['km 12', ['km', '12']],
  ['obras en la A-2, km 5,6 a 7,1', ['obras', 'a2', 'km', '5', '6', '7', '1']],
  ['Avda. de la Constitución', ['avenida', 'constitucion']],
  ['Sta. Ana', ['santa', 'ana']],
  ['Sant Cugat', ['san', 'cugat']],
  ['Paral·lel', ['parallel']],
  ['Iruña', ['iruna']],
  ['de la', ['de', 'la']],
  ['¿?', []],
])('words of %s', (text, words) => {
  expect(wordsOf(text)).toEqual(words)
})

test.each([
  ['txamartin', 'chamartin'],
  ['catalunya', 'cataluna'],
  ['cordova', 'cordoba'],
  ['xixon', 'jijon'],
  ['zaragoza', 'saragossa'],
  ['huelva', 'uelva'],
])('%s sounds like %s', (one, other) => {
  expect(soundOf(one)).toBe(soundOf(other))
})

test.each([
  ['A-6 km 12', 'A6', 12, null],
  ['a6 km. 12,5', 'A6', 12.5, null],
  ['A6 12', 'A6', 12, null],
  ['km 12 de la A-6', 'A6', 12, null],
  ['autovía A-4 kilómetro 300', 'A4', 300, null],
  ['N-II pk 600 Barcelona', 'N2', 600, '08'],
  ['AP-7, punto kilométrico 150.5', 'AP7', 150.5, null],
])('%s is a kilometre', (q, road, km, province_code) => {
  expect(roadPlaceIn(q)).toMatchObject({ road, km, province_code })
})

test.each(['A-6', 'km 12', 'repsol a6', 'linea c5 cercanias', '40.4 -3.7'])('%s is no kilometre', (q) => {
  expect(roadPlaceIn(q)).toBeNull()
})

test.each([
  ['40.4168, -3.7038', { lat: 40.4168, lon: -3.7038 }],
  ['40.4168,-3.7038', { lat: 40.4168, lon: -3.7038 }],
  ['40,4168 -3,7038', { lat: 40.4168, lon: -3.7038 }],
  ['-3.7038 40.4168', { lat: 40.4168, lon: -3.7038 }],
  ['40.4168 N 3.7038 W', { lat: 40.4168, lon: -3.7038 }],
  ['28.1, -15.4', { lat: 28.1, lon: -15.4 }],
])('%s is a position', (q, position) => {
  expect(positionIn(q)).toEqual(position)
})

test.each(['12 34', '17000', '91.5, 200.5', 'A-6 12.5', '1.5'])('%s is no position', (q) => {
  expect(positionIn(q)).toBeNull()
})

test('words that name a kind are one term, misspelt and unfinished ones too', () => {
  const kinds = kindsOf([{ words: ['gasolinera', 'estación de servicio'] }, { words: ['estación'] }])
  const found = (q: string): unknown => termsOf(q, kinds).map(({ words, kinds: own }) => [words.join(' '), own])
  expect(found('estación de servicio olot')).toEqual([
    ['estacion servicio', [0]],
    ['olot', []],
  ])
  expect(found('estacio olot')).toEqual([
    ['estacion', [1]],
    ['olot', []],
  ])
  expect(found('gasolinra')).toEqual([['gasolinra', [0]]])
  expect(found('gasol')).toEqual([['gasol', [0]]])
  expect(found('gasol olot')).toEqual([
    ['gasol', []],
    ['olot', []],
  ])
})
