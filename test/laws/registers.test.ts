import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { domains, endpoints } from '../../api/endpoints/catalog.ts'
import { derivations } from '../../jobs/derive/catalog.ts'
import { feeds } from '../../jobs/feeds/catalog.ts'
import { datasets } from '../../lake/catalog.ts'
import { STAND_INS } from '../../scripts/stand-in/publishers/list.ts'
import { PROJECT, sourceFiles } from './sources.ts'

interface Register {
  /** The file that joins the indexes of the domains. */
  readonly catalogue: string
  /** The folder that has a folder for each domain. */
  readonly folder: string
  /** The lists of the catalogue, and the name of each entry: no two have the same name. */
  readonly listed: readonly object[]
  readonly nameOf: (one: never) => string
  /** The members that only such declarations have. */
  readonly marks: readonly string[]
}

const REGISTERS: readonly Register[] = [
  {
    ...{ catalogue: 'lake/catalog.ts', folder: 'lake/datasets', listed: datasets, marks: ['entity', 'columns'] },
    nameOf: ({ id }: { id: string }) => id,
  },
  {
    ...{ catalogue: 'jobs/feeds/catalog.ts', folder: 'jobs/feeds', listed: feeds, marks: ['plans', 'into'] },
    nameOf: ({ id }: { id: string }) => id,
  },
  {
    ...{ catalogue: 'jobs/derive/catalog.ts', folder: 'jobs/derive', listed: derivations, marks: ['revision', 'into'] },
    nameOf: ({ into }: { into: { id: string } }) => into.id,
  },
  {
    ...{ catalogue: 'api/endpoints/catalog.ts', folder: 'api/endpoints', listed: endpoints, marks: ['path', 'returns'] },
    nameOf: ({ path }: { path: string }) => path,
  },
  {
    ...{ catalogue: 'scripts/stand-in/publishers/list.ts', folder: 'scripts/stand-in/publishers', listed: STAND_INS },
    ...{ marks: ['feed', 'write'], nameOf: ({ feed }: { feed: string }) => feed },
  },
]

const files = sourceFiles()
/** Folders of shared code for declarations of several domains: the kit of feeds, and the timetables of trains and ferries. */
const SHARED = ['kit', 'transit']
const inDomain = (folder: string, path: string): boolean =>
  path.startsWith(`${folder}/`) && dirname(dirname(path)) === folder && !SHARED.includes(basename(dirname(path)))
const isIndex = (path: string): boolean => path.endsWith('/index.ts')

/** All exports of the files of a folder's domains, and the items of exported lists, except those of their indexes. */
async function exportsOf(folder: string): Promise<readonly unknown[]> {
  const paths = [...files.keys()].filter((path) => inDomain(folder, path) && !isIndex(path))
  const modules = await Promise.all(paths.map((path) => import(join(PROJECT, path)) as Promise<object>))
  return [...new Set(modules.flatMap((one) => Object.values(one)).flat())]
}

test('the only index files are those of domains', () => {
  const allowed = (path: string): boolean => REGISTERS.some(({ folder }) => inDomain(folder, path))
  expect([...files.keys()].filter((path) => path.split('/').at(-1) === 'index.ts' && !allowed(path))).toEqual([])
})

describe.each(REGISTERS.map((register) => [register.catalogue, register] as const))('%s', (catalogue, register) => {
  const { folder, listed, nameOf, marks } = register

  test('imports the index of each domain and nothing else of them, and nothing else imports an index', () => {
    const indexes = new Set([...files.keys()].filter((path) => inDomain(folder, path)).map((path) => join(dirname(path), 'index.ts')))
    expect(
      files
        .get(catalogue)
        ?.imports.filter((path) => inDomain(folder, path))
        .sort(),
    ).toEqual([...indexes].sort())
    const others = [...files.values()].filter(({ path, imports }) => path !== catalogue && imports.some((one) => indexes.has(one)))
    expect(others.map(({ path }) => path)).toEqual([])
  })

  test('has indexes that list the exports of their own folder', () => {
    const strays = [...files.values()]
      .filter(({ path }) => inDomain(folder, path) && isIndex(path))
      .flatMap(({ path, imports }) => imports.filter((one) => inDomain(folder, one) && dirname(one) !== dirname(path)))
    expect(strays).toEqual([])
  })

  test('lists every declaration of its domains, each once', async () => {
    const declared = (await exportsOf(folder)).filter(
      (one): one is object => typeof one === 'object' && one !== null && marks.every((mark) => mark in one),
    )
    const names = (of: readonly object[]): string[] => of.map((one) => nameOf(one as never)).sort()
    expect(names(listed)).toEqual(names(declared))
    expect(new Set(names(listed)).size).toBe(listed.length)
  })
})

/** Domains of endpoints that show the datasets of others. */
const WITHOUT_DATASETS = ['export', 'search']

test('a domain of endpoints has the name of its folder, which is the name of a domain of datasets', () => {
  const foldersOf = (folder: string): string[] => [
    ...new Set([...files.keys()].filter((path) => inDomain(folder, path)).map((path) => basename(dirname(path)))),
  ]
  const ids = domains.map(({ id }) => id).sort()
  expect(ids).toEqual(foldersOf('api/endpoints').sort())
  expect(foldersOf('lake/datasets')).toEqual(expect.arrayContaining(ids.filter((id) => !WITHOUT_DATASETS.includes(id))))
})

test('every source that is declared is named by a dataset or an endpoint, and no two have the same id', async () => {
  const named = new Set<unknown>([...datasets, ...endpoints].flatMap(({ sources = [] }) => sources))
  const declared = (await exportsOf('lake/datasets')).filter(
    (one): one is { readonly id: string } => typeof one === 'object' && one !== null && 'commercial_use' in one,
  )
  expect(declared.filter((source) => !named.has(source))).toEqual([])
  expect(declared.map(({ id }) => id).sort()).toEqual([...new Set([...named].map((source) => (source as { id: string }).id))].sort())
})
