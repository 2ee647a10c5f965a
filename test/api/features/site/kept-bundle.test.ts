import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { keptBundle } from '../../../../api/features/site/kept-bundle.ts'
import { tempFolder } from '../../../helpers/temp.ts'

const MODULES: readonly (readonly [string, string])[] = [
  ['page.js', 'page'],
  ['map/map.js', 'map'],
]

/** Reads the modules as a process does: how often it bundled, and what it got. */
async function readAs(
  path: string,
  version: string,
  current: readonly boolean[] = [],
): Promise<{ readonly made: number; readonly names: string[] }> {
  let made = 0
  const left = [...current]
  const modules = await keptBundle(path, {
    version,
    isCurrent: () => left.shift() ?? true,
    entries: ['page.js', 'map/map.js'],
    make: async () => {
      made++
      return JSON.stringify(MODULES)
    },
  })
  return { made, names: [...modules.keys()] }
}

test('modules are bundled once for all processes and starts of a version, again for another, and leave nothing else', async () => {
  const folder = tempFolder()
  const path = join(folder, 'cache', 'pages.json')
  const names = ['page.js', 'map/map.js']
  expect([await readAs(path, 'a'), await readAs(path, 'a')]).toEqual([
    { made: 1, names },
    { made: 0, names },
  ])
  expect([await readAs(path, 'b'), await readAs(path, 'b')]).toEqual([
    { made: 1, names },
    { made: 0, names },
  ])
  expect(readdirSync(join(folder, 'cache'))).toEqual(['pages.json'])
})

test('sources that change while they are bundled are not kept under their former version', async () => {
  const path = join(tempFolder(), 'pages.json')
  for (const current of [
    [true, false],
    [false, true],
    [false, false],
  ])
    expect((await readAs(path, 'a', current)).made).toBe(1)
  expect((await readAs(path, 'a')).made).toBe(1)
})

test.each([
  ['cut', (text: string) => text.slice(0, 30)],
  ['without modules', (text: string) => text.replace(/"modules":.*/, '"modules":[]}')],
  ['without one of them', (text: string) => text.replace('map/map.js', 'other.js')],
  ['of another form', () => 'null'],
  ['empty', () => ''],
])('a file that is %s is made again', async (_name, damage) => {
  const path = join(tempFolder(), 'pages.json')
  await readAs(path, 'a')
  writeFileSync(path, damage(readFileSync(path, 'utf8')))
  expect(await readAs(path, 'a')).toEqual({ made: 1, names: ['page.js', 'map/map.js'] })
  expect((await readAs(path, 'a')).made).toBe(0)
})

test('where the file cannot be written, each process bundles, and leaves nothing', async () => {
  const folder = tempFolder()
  writeFileSync(join(folder, 'file'), '')
  chmodSync(join(folder, 'file'), 0o444)
  expect((await readAs(join(folder, 'file', 'pages.json'), 'a')).made).toBe(1)
  expect(readdirSync(folder)).toEqual(['file'])
})
