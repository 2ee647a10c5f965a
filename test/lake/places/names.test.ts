import fc from 'fast-check'
import { expect, test } from 'vitest'
import { foldNameSql } from '../../../lake/places/name-key.ts'
import { foldName } from '../../../lake/places/names.ts'
import { join, sql } from '../../../lake/query/sql.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { openTestLake } from '../query/fixtures.ts'

test('SQL folds names as code does', async () => {
  const lake = await openTestLake(tempFolder())
  try {
    const odd = ["L'Hospitalet", 'Marcel·lí', 'A Coruña', 'ÁGUILAS', 'Maó-Mahón', '  Dénia / Denia ', 'ÇA', 'nº 1ª', 'ß', '...', '']
    const texts = [...odd, ...fc.sample(fc.string({ unit: 'grapheme', maxLength: 12 }), { numRuns: 200, seed: 7 })].filter(
      (text) => !text.includes('\u0000'),
    )
    const table = join(
      texts.map((text, nth) => sql`SELECT ${nth} AS nth, ${text} AS name`),
      sql` UNION ALL `,
    )
    const rows = await lake.query(sql`SELECT ${foldNameSql(sql`name`)} AS folded FROM (${table}) ORDER BY nth`)
    expect(rows.map((row) => row['folded'])).toEqual(texts.map(foldName))
  } finally {
    await lake.close()
  }
})
