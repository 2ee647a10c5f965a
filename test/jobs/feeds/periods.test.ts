import { expect, test } from 'vitest'
import { isWithin, listingOf } from '../../../jobs/feeds/periods.ts'

const file = (period: string) => ({ period, url: `https://publisher.example/${period}` })
const ALL = { from: '0001-01-01', to: '9999-12-31' }

test('files come in order, each period once, and a period between them without a file is a gap', () => {
  const months = ['2023-02', '2022-11', '2022-12', '2023-04'].map(file)
  expect(listingOf('month', months, ALL)).toEqual({
    files: ['2022-11', '2022-12', '2023-02', '2023-04'].map(file),
    gaps: ['2023-01', '2023-03'],
  })
  expect(listingOf('month', months, { from: '2022-12-15', to: '2023-02-01' })).toEqual({
    files: ['2022-12', '2023-02'].map(file),
    gaps: ['2023-01'],
  })
  const days = ['2024-02-27', '2024-03-01'].map(file)
  expect(listingOf('day', days, ALL).gaps).toEqual(['2024-02-28', '2024-02-29'])
  expect(listingOf('year', ['2019', '2022'].map(file), ALL).gaps).toEqual(['2020', '2021'])
  expect(listingOf('day', [], ALL)).toEqual({ files: [], gaps: [] })
})

test('a period that is not published yet, or never was, is no gap', () => {
  expect(listingOf('month', [file('2023-02')], ALL)).toEqual({ files: [file('2023-02')], gaps: [] })
})

test('of two files of a period the last counts; a period of another unit is refused', () => {
  const twice = [file('2023-02'), { period: '2023-02', url: 'https://publisher.example/again' }]
  expect(listingOf('month', twice, ALL).files).toEqual(twice.slice(1))
  for (const period of ['2023', '2023-13', '2023-01-01', 'enero']) expect(() => listingOf('month', [file(period)], ALL)).toThrow(period)
})

test('a period is in a range if one of its days is', () => {
  const range = { from: '2022-03-05', to: '2022-12-24' }
  expect(['2022', '2022-03', '2022-12', '2022-03-05', '2022-12-24'].filter((period) => !isWithin(period, range))).toEqual([])
  expect(['2021', '2023', '2022-02', '2023-01', '2022-03-04', '2022-12-25'].filter((period) => isWithin(period, range))).toEqual([])
})
