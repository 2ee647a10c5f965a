import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { sharedFolder } from '../../helpers/shared.ts'
import { barcelonaHarm } from './barcelona-harm.ts'

const shared = sharedFolder()

/** The recorded years: as published, and three that a spreadsheet saved again. */
test.skipIf(!shared).each([
  ['barcelona-accidentes-raw/2010_ACCIDENTS_GU_BCN_2010.csv.gz', [9056, 39, 265, 10_539, 9036, {}]],
  // Its last line is no accident: a date, a time and nothing else.
  ['barcelona-accidentes-raw/2015_accidents_gu_bcn.csv.gz', [10_008, 27, 199, 11_607, 9874, { 'no NK_Any': 1 }]],
  ['barcelona-accidentes-raw/2016_accidents_gu_bcn.csv.gz', [10_140, 28, 192, 11_895, 10_140, {}]],
  ['barcelona-accidentes-raw/2019_accidents_gu_bcn.csv.gz', [10_027, 22, 202, 11_640, 10_027, {}]],
  ['barcelona-accidentes-raw/2023_accidents_gu_bcn.csv.gz', [7724, 21, 226, 8550, 7721, {}]],
  ['barcelona-accidentes-raw/2024_accidents_gu_bcn.csv.gz', [7536, 11, 254, 8246, 7536, {}]],
  ['barcelona-accidentes/2012_accidents_gu_bcn.csv.gz', [9253, 30, 248, 10_850, 9235, {}]],
  ['barcelona-accidentes/2019_accidents_gu_bcn.csv.gz', [10_027, 22, 202, 11_640, 10_027, {}]],
  ['barcelona-accidentes/2022_accidents_gu_bcn.csv.gz', [7999, 24, 174, 8883, 7989, {}]],
] as const)('%s: accidents, killed, seriously and slightly hurt, with a position', async (file, totals) => {
  expect(await barcelonaHarm(gunzipSync(readFileSync(join(shared as string, 'feeds', file))))).toEqual(totals)
})
