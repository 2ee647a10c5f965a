import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ProjectCopy } from '../helpers/followed.ts'
import { codeBlocks, section } from '../helpers/markdown.ts'
import { PROJECT } from '../laws/sources.ts'

const TIMEOUT_MS = 600_000

/** The output of the commands in a page's steps, which are followed in a copy of the project. */
async function follow(page: string, heading: string): Promise<{ readonly copy: ProjectCopy; readonly printed: string }> {
  const blocks = codeBlocks(section(readFileSync(join(PROJECT, page), 'utf8'), heading))
  expect(blocks.length).toBeGreaterThan(3)
  const copy = new ProjectCopy()
  const printed: string[] = []
  for (const block of blocks) printed.push(await copy.follow(block))
  return { copy, printed: printed.join('\n') }
}

test('a feed can be added by the steps of jobs/README.md, and has rows', { timeout: TIMEOUT_MS }, async () => {
  const { copy, printed } = await follow('jobs/README.md', '## How to add a feed')
  const rows = printed.split('\n').filter((line) => line.startsWith('{"source":"madrid","car_park_id"'))
  expect(rows.map((row) => JSON.parse(row).car_park_id)).toEqual(['50001', '50002', '50003'])
  expect(printed).toMatch(/[1-9]\d* passed, 0 failed/)
  const snapshot = JSON.parse(readFileSync(join(copy.folder, 'test/fixtures/madrid_car_parks/list.csv.rows.json'), 'utf8'))
  expect(snapshot).toMatchObject({ rejected: {}, unknown_codes: {}, warnings: [], car_parks_count: 3 })
  expect(snapshot.car_parks[1]).toMatchObject({ car_park_id: '50002', name: 'Calle de Prueba', position: { lat: 40.4302, lon: -3.6891 } })
})

test('an endpoint can be added by the steps of api/README.md, and works', { timeout: TIMEOUT_MS }, async () => {
  const { printed } = await follow('api/README.md', '## How to add an endpoint')
  expect(printed).toMatch(/[1-9]\d* passed, 0 failed/)
})
