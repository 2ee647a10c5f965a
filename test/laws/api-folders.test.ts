import { expect, test } from 'vitest'
import { sourceFiles } from './sources.ts'

/** The folders of the API, lowest first: each may import from those before it. What runs in browsers imports nothing of them. */
const ORDER = ['browser', 'kernel', 'auth', 'engine', 'endpoints', 'events', 'features', 'main']

/** Features that another one shows or links. */
const FEATURES: Readonly<Record<string, readonly string[]>> = {
  accounts: ['exports', 'site', 'webhooks'],
  catalogue: ['cards', 'site'],
  docs: ['site'],
  map: ['site'],
  status: ['cards', 'site', 'stream', 'webhooks'],
}

/** The folder of a file of the API, and its feature. */
function placeOf(path: string): { readonly folder: string; readonly feature: string | null } {
  const [, folder = '', feature = ''] = path.split('/')
  return { folder, feature: folder === 'features' ? feature : null }
}

/** True if one file of the API may import another. */
function mayImport(from: string, to: string): boolean {
  const [one, other] = [placeOf(from), placeOf(to)]
  if (one.feature !== null && other.feature !== null)
    return one.feature === other.feature || (FEATURES[one.feature] ?? []).includes(other.feature)
  return ORDER.indexOf(other.folder) <= ORDER.indexOf(one.folder)
}

const files = [...sourceFiles().values()].filter(({ path }) => path.startsWith('api/') && path.endsWith('.ts'))

test('every file of the API is in a folder of the order', () => {
  expect(files.filter(({ path }) => !ORDER.includes(placeOf(path).folder)).map(({ path }) => path)).toEqual([])
  expect(files.length).toBeGreaterThan(400)
})

test('imports between folders of the API go down', () => {
  const up = files.flatMap(({ path, imports }) =>
    imports.filter((name) => name.startsWith('api/') && !mayImport(path, name)).map((name) => `${path} imports ${name}`),
  )
  expect(up).toEqual([])
})

test('an import upward, or between features that do not name each other, is found', () => {
  expect(mayImport('api/kernel/endpoint.ts', 'api/engine/feature.ts')).toBe(false)
  expect(mayImport('api/features/site/pages.ts', 'api/features/accounts/signup.ts')).toBe(false)
  expect(mayImport('api/features/accounts/signup.ts', 'api/features/site/html.ts')).toBe(true)
})
