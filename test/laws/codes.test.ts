import { expect, test } from 'vitest'
import { endpoints } from '../../api/endpoints/catalog.ts'
import { codeListList } from '../../api/endpoints/service/codes.ts'
import { type Fields, isNested } from '../../api/kernel/fields.ts'
import { datasets } from '../../lake/catalog.ts'
import { type CodeLabels, type CodeList, defineCodes, languagesOf } from '../../lake/schema/codes.ts'

/** The code lists of fields, including nested ones. */
const listsIn = (fields: Fields): readonly CodeList[] =>
  Object.values(fields).flatMap((field) => {
    if (isNested(field)) return [...(field.keys ? [field.keys] : []), ...listsIn(field.fields)]
    return field.codes ?? field.of?.codes ?? field.lists ?? []
  })

const lists = [
  ...new Set([
    ...datasets.flatMap(({ columns }) => listsIn(columns)),
    ...endpoints.flatMap(({ returns }) => listsIn(returns.record.fields)),
  ]),
]

/** Lists that people of every part of the country see: they have labels in all official languages. */
const IN_ALL_LANGUAGES = [
  ...['incident_type', 'severity', 'level_of_service', 'traffic_level', 'weather_alert_phenomenon', 'weather_alert_level'],
  ...['cloud_cover', 'forecast_phenomenon', 'fuel_product', 'vessel_type', 'air_pollutant', 'air_quality_level'],
]

test('no two code lists have the same id, and every label is a text', () => {
  const ids = lists.map(({ id }) => id)
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
  for (const { id, codes } of lists)
    for (const [code, labels] of Object.entries(codes)) expect(Object.values(labels), `${id} ${code}`).not.toContain('')
})

test('the most used lists have labels in all official languages', () => {
  const languages = new Map(lists.map((list) => [list.id, languagesOf(list)]))
  for (const id of IN_ALL_LANGUAGES) expect([id, languages.get(id)]).toEqual([id, ['es', 'en', 'ca', 'eu', 'gl']])
})

test('a list offers a language only if every code has a label in it', () => {
  const both: CodeLabels = { es: 'uno', en: 'one', ca: 'un' }
  expect(languagesOf(defineCodes('x', 'x', { A: both, B: ['dos', 'two', 'dos', 'bi', 'dous'] }))).toEqual(['es', 'en', 'ca'])
  expect(languagesOf(defineCodes('x', 'x', { A: both, B: ['dos', 'two'] }))).toEqual(['es', 'en'])
})

test('the reply has a label in each language that it lists, and names the language of its labels', () => {
  const { read, returns } = codeListList
  if (read.kind !== 'system') throw new Error('not a system read')
  const records = read.records as unknown as (system: object, values: object) => readonly Shown[]
  const all = records({ datasets, endpoints }, { list: null })
  expect(all.length).toBeGreaterThan(100)
  for (const { id, languages, codes } of all)
    for (const { labels } of codes)
      expect([id, Object.keys(labels).filter((language) => labels[language] !== null)]).toEqual([id, languages])
  const inBasque = (id: string): Shown | undefined => returns.record.localise?.(all.find((one) => one.id === id) as never, 'eu') as never
  expect(inBasque('incident_type')).toMatchObject({ label_language: 'eu', codes: [{ code: 'ACCIDENT', label: 'Istripua' }, ...rest(9)] })
  expect(inBasque('ais_class')).toMatchObject({ label_language: 'es', languages: ['es', 'en'], codes: [{ labels: { eu: null } }, {}] })
})

interface Shown {
  readonly id: string
  readonly languages: readonly string[]
  readonly codes: readonly { readonly labels: Readonly<Record<string, string | null>> }[]
}

const rest = (count: number): object[] => Array.from({ length: count }, () => ({}))
