import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { isOpenAt, openingHours } from '../../../api/endpoints/fuel/station.ts'
import { sharedFolder } from '../../helpers/shared.ts'

const DAYS = ['L', 'M', 'X', 'J', 'V', 'S', 'D']

/** A minute of the week, as `X 13:30`. */
function minute(text: string): number {
  const [day = '', time = ''] = text.split(' ')
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return DAYS.indexOf(day) * 1440 + hours * 60 + minutes
}

test.each([
  ['L-D: 24H', ['L 00:00', 'D 23:59'], []],
  ['L-V: 07:00-22:00; S: 08:00-22:00', ['L 07:00', 'V 21:59', 'S 08:00'], ['L 06:59', 'V 22:00', 'S 07:59', 'D 12:00']],
  ['L-S: 07:00-14:00 y 17:00-22:00', ['L 13:59', 'S 17:00'], ['L 14:00', 'L 16:59', 'D 10:00']],
  ['L-V: 06:00-02:00; S-D: 08:00-00:00', ['L 23:59', 'M 01:59', 'S 01:59', 'D 23:59'], ['M 02:00', 'L 00:00', 'S 02:00']],
  ['L-D: 22:00-06:00', ['D 23:00', 'L 05:59'], ['L 06:00', 'L 21:59']],
  ['L-D: 00:00-23:59', ['L 23:59', 'X 00:00'], []],
  ['L: 24H', ['L 12:00'], ['M 00:00']],
  ['L-S: 7:30-22:00', ['L 07:30'], ['L 07:29']],
  ['V-L: 10:00-11:00', ['V 10:00', 'D 10:30', 'L 10:00'], ['M 10:30', 'J 10:00']],
])('%s', (text, open, closed) => {
  const hours = openingHours(text)
  if (!hours) throw new Error('not understood')
  for (const at of open) expect(isOpenAt(hours, minute(at)), at).toBe(true)
  for (const at of closed) expect(isOpenAt(hours, minute(at)), at).toBe(false)
})

test.each(['', 'L-D', 'siempre', 'L-D: 25:00-26:00', 'L-D: 10:60-11:00', 'Z: 24H', 'L-D: 10:00'])('%s is not understood', (text) => {
  expect(openingHours(text)).toBeNull()
})

const shared = sharedFolder()

test.skipIf(!shared)('every text of the register is understood', () => {
  const file = join(shared as string, 'feeds/miteco-eess/preciosEESS_es_20251111T1700.csv.gz')
  const rows = parse(gunzipSync(readFileSync(file)), {
    delimiter: ';',
    bom: true,
    relax_quotes: true,
    relax_column_count: true,
  }) as string[][]
  const head = rows.findIndex((row) => row.includes('Horario'))
  const at = (rows[head] as string[]).indexOf('Horario')
  const texts = [...new Set(rows.slice(head + 1).map((row) => (row[at] ?? '').trim()))].filter((text) => text !== '')
  expect(texts.length).toBeGreaterThan(1200)
  expect(texts.filter((text) => openingHours(text) === null)).toEqual([])
})
