import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutLastLine } from '../../api/http/tables/last-line.ts'
import { csvLines } from '../../api/http/tables/text.ts'
import { tempFolder } from '../helpers/temp.ts'

const path = join(tempFolder(), 'table.csv')
const cell = fc.oneof(
  fc.constant(null),
  fc.string({ unit: fc.constantFrom('"', '\r', '\n', '\r\n', ',', "'", 'a', 'é', '💥') }),
  fc.constant('"\r\n'.repeat(20_000)),
)

test('the last line is cut off and the cells of the one before are returned, whatever their contents', async () => {
  const rows = fc.tuple(fc.array(fc.tuple(cell, cell), { maxLength: 3 }), fc.tuple(cell, cell), fc.tuple(cell, cell))
  await fc.assert(
    fc.asyncProperty(rows, async ([first, before, last]) => {
      const kept = csvLines([['one', 'other'], ...first, before])
      writeFileSync(path, kept + csvLines([last]))
      expect(await cutLastLine(path)).toEqual(before)
      expect(readFileSync(path, 'utf8')).toBe(kept)
    }),
    { numRuns: 200 },
  )
})

test('a file without rows is left as it is', async () => {
  writeFileSync(path, 'one,other\r\n')
  await expect(cutLastLine(path)).rejects.toThrow('the file does not have the rows')
  expect(readFileSync(path, 'utf8')).toBe('one,other\r\n')
})
