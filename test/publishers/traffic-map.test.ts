import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mitmaImd } from '../../jobs/feeds/mobility/mitma-imd.ts'
import { nextPage } from '../../jobs/formats/arcgis.ts'
import { originOf } from '../../scripts/commands/parts.ts'
import type { Publishers } from '../../scripts/stand-in/server.ts'
import { sharedFolder } from '../helpers/shared.ts'
import { bytesOf, standIn } from './helpers.ts'

const shared = sharedFolder()

async function pagesOf(publishers: Publishers, year: string): Promise<Buffer[]> {
  const [file] = mitmaImd.archive?.files([], { from: year, to: year }) ?? []
  const pages: Buffer[] = []
  for (let url: string | null = file?.url ?? null; url !== null; ) {
    const bytes = await bytesOf(publishers, originOf('')(url))
    pages.push(bytes)
    const next = nextPage({ bytes }, url)
    url = next && 'url' in next ? next.url : null
  }
  return pages
}

const attributesOf = (page: Buffer): Record<string, unknown>[] =>
  (JSON.parse(page.toString()) as { features: { attributes: Record<string, unknown> }[] }).features.map(({ attributes }) => attributes)

test('a map has pages of a thousand sections, each once; the last year has names cut to ten characters', async () => {
  await using publishers = await standIn()
  const pages = (await pagesOf(publishers, '2018')).map(attributesOf)
  const sizes = pages.map(({ length }) => length)
  expect(sizes.slice(0, -1).every((size) => size === 1000)).toBe(true)
  const all = pages.flat()
  expect(all.length).toBeGreaterThan(2500)
  expect(new Set(all.map(({ OBJECTID }) => OBJECTID)).size).toBe(all.length)
  expect(new Set(all.map(({ nombre, provincia, pk_inicio }) => [nombre, provincia, pk_inicio].join())).size).toBe(all.length)
  expect(all.filter(({ pk_inicio }) => /^\d+\+\d{4}$/.test(String(pk_inicio))).length).toBeGreaterThan(20)
  const [cut] = (await pagesOf(publishers, '2019')).flatMap(attributesOf)
  expect(Object.keys(cut ?? {})).toEqual(expect.arrayContaining(['Tipo_de_ca', 'vh_km_tota', 'IMD_pesado']))
})

test.skipIf(!shared)('an answer has the members, fields and attributes of the recorded one, without geometry', async () => {
  await using publishers = await standIn({ scale: 'small' })
  const [page] = await pagesOf(publishers, '2018')
  const made = JSON.parse((page as Buffer).toString())
  const recorded = JSON.parse(readFileSync(join(shared as string, 'feeds/imd/ministerio_mapatrafico_arcgis_layer2_query.json'), 'utf8'))
  // Its request asked for quantised coordinates, so the answer has a transform, although it has no geometry.
  const { transform: _, ...plain } = recorded
  expect(Object.keys(made)).toEqual(Object.keys(plain))
  expect(made.fieldAliases).toEqual(recorded.fieldAliases)
  expect(made.fields.map(({ name, type }: { name: string; type: string }) => [name, type])).toEqual(
    recorded.fields.map(({ name, type }: { name: string; type: string }) => [name, type]),
  )
  expect(Object.keys(made.features[0])).toEqual(['attributes'])
  expect(Object.keys(made.features[0].attributes)).toEqual(Object.keys(recorded.features[0].attributes))
})
