import { expect, test } from 'vitest'
import { spansOf } from '../../scripts/commands/spans.ts'

test('consecutive days, months and years are shown as one span', () => {
  expect(spansOf([])).toEqual([])
  expect(spansOf(['2024-02-28', '2024-02-29', '2024-03-01', '2024-03-03'])).toEqual(['2024-02-28 to 2024-03-01 (3)', '2024-03-03'])
  expect(spansOf(['2021-11', '2021-12', '2022-01', '2022-02'])).toEqual(['2021-11 to 2022-02 (4)'])
  expect(spansOf(['2015', '2016', '2018', '2020', '2021', '2022'])).toEqual(['2015', '2016', '2018', '2020 to 2022 (3)'])
})

test('names of other files stay as they are', () => {
  expect(spansOf(['0000-referencia', '2024-01-01'])).toEqual(['0000-referencia', '2024-01-01'])
})
