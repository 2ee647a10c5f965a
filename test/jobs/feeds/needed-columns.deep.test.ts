import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { feeds } from '../../../jobs/feeds/catalog.ts'
import { type Feed, FormatError } from '../../../jobs/feeds/define.ts'
import { delimiterOf } from '../../../jobs/formats/csv.ts'
import { decodeText } from '../../../jobs/formats/text.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'
import { PROJECT } from '../../laws/sources.ts'

const FIXTURES = join(PROJECT, 'test/fixtures')
const AT = Date.UTC(2027, 0, 1)

/** The columns of a CSV fixture without which the file is refused, in the order of its header. */
async function neededBy(feed: Feed, file: string): Promise<string[]> {
  const text = readFileSync(join(FIXTURES, feed.id, file)).toString('latin1')
  // Some files have a line of text before the header.
  const header = text.split(/\r?\n/).find((line) => line.includes(delimiterOf(line))) ?? ''
  const mark = delimiterOf(header)
  const start = text.indexOf(header)
  const names = header.split(mark)
  const needed: string[] = []
  for (const [at, name] of names.entries()) {
    const bytes = Buffer.from(
      `${text.slice(0, start)}${names.with(at, `renamed_${at}`).join(mark)}${text.slice(start + header.length)}`,
      'latin1',
    )
    const request = feed.plans[0]?.requests[0]?.name ?? 'file'
    const isRefused = await parsePublication(feed, [{ name: request, bytes }], AT).then(
      () => false,
      (error: unknown) => {
        if (!(error instanceof FormatError)) throw error
        return true
      },
    )
    if (isRefused) needed.push(decodeText(Buffer.from(name, 'latin1')).replaceAll('"', '').trim())
  }
  return needed
}

// Files of the mobility study are separated by bars and read by the engine; their own tests check their headers.
test('the columns that each CSV feed needs are those of the list', async () => {
  const lines: string[] = []
  for (const feed of feeds)
    for (const file of readdirSync(join(FIXTURES, feed.id))
      .filter((name) => name.endsWith('.csv') && !feed.id.startsWith('mitma_'))
      .sort())
      lines.push(`${feed.id}/${file}: ${(await neededBy(feed, file)).join(', ')}`)
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(join(PROJECT, 'test/jobs/feeds/needed-columns.txt'))
})
