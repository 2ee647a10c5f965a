import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ProjectCopy } from '../helpers/followed.ts'
import { codeBlocks, section } from '../helpers/markdown.ts'
import { PROJECT } from '../laws/sources.ts'

/** What the commands of a page's steps print, after the steps were followed in a copy of the project. */
function follow(page: string, heading: string): { readonly copy: ProjectCopy; readonly printed: string } {
  const blocks = codeBlocks(section(readFileSync(join(PROJECT, page), 'utf8'), heading))
  expect(blocks.length).toBeGreaterThan(4)
  const copy = new ProjectCopy()
  return { copy, printed: blocks.map((block) => copy.follow(block)).join('\n') }
}

test('a feed can be added by the steps of jobs/README.md, and gives its rows', () => {
  const { copy, printed } = follow('jobs/README.md', '## How to add a feed')
  expect(printed).toMatch(/\b3\b.*car_parks|car_parks.*\b3\b/)
  expect(printed).not.toMatch(/[1-9]\d* failed/)
  const snapshot = JSON.parse(readFileSync(join(copy.folder, 'test/fixtures/madrid_car_parks/list.csv.rows.json'), 'utf8'))
  expect(snapshot).toMatchObject({ rejected: {}, unknown_codes: {}, warnings: [], car_parks_count: 3 })
  expect(snapshot.car_parks[1]).toMatchObject({ car_park_id: '50002', name: 'Calle de Prueba', position: { lat: 40.4302, lon: -3.6891 } })
})

test('an endpoint can be added by the steps of api/README.md, and answers', () => {
  const { printed } = follow('api/README.md', '## How to add an endpoint')
  expect(printed).toMatch(/[1-9]\d* passed, 0 failed/)
})
