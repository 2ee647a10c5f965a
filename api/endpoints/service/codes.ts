import { CITY_AVAILABILITIES, TYPICAL_ABSENCES } from '../../../lake/datasets/road/codes.ts'
import type { CodeLabels, CodeList } from '../../../lake/schema/codes.ts'
import { col } from '../../../lake/schema/columns.ts'
import { ROW_STATUS } from '../../../lake/schema/physical.ts'
import { defineEndpoint, type SystemView } from '../../define/endpoint.ts'
import { nested, record, type ValueOf } from '../../define/fields.ts'
import { chosenOf, textParam } from '../../define/params.ts'
import { CHANGE_KINDS } from '../changes.ts'
import { END_REASONS } from '../ends.ts'
import { RAIL_LISTS } from '../rail/codes.ts'
import { DAY_TYPES } from '../rail/punctuality.ts'
import { TRAIN_MATCHES } from '../rail/train.ts'
import { WORKS_PHASES } from '../road/works.ts'
import { FEED_HEALTH } from './freshness.ts'

const label = (language: string, example: string | null) => col.string(0, `In ${language}.`, { nullable: true, example })

const codeList = record(
  'CodeList',
  'A list of codes. Lists are open: a source may bring a code that its list lacks, which is then shown as it came.',
  {
    id: col.string(0, 'Id of the list.', { example: 'incident_type' }),
    about: col.string(0, 'What its codes tell.', { example: 'Kind of incident on the road.' }),
    codes: nested.objects('The codes in the order to show them.', {
      code: col.string(0, 'The code.', { example: 'ACCIDENT' }),
      label: col.string(0, 'Its label in the language asked for, else in Spanish.', { example: 'Accidente' }),
      labels: nested.object('Its label by language; null where there is none.', {
        es: label('Spanish', 'Accidente'),
        en: label('English', 'Accident'),
        ca: label('Catalan', null),
        eu: label('Basque', null),
        gl: label('Galician', null),
      }),
    }),
  },
  {
    localise: (list, lang) => ({
      ...list,
      codes: list.codes.map((one) => ({ ...one, label: one.labels[lang as keyof CodeLabels] ?? one.label })),
    }),
  },
)

/** Lists that no column has: the engine's and the API's own. */
const OTHER_LISTS: readonly CodeList[] = [
  ROW_STATUS,
  CHANGE_KINDS,
  END_REASONS,
  WORKS_PHASES,
  FEED_HEALTH,
  DAY_TYPES,
  TRAIN_MATCHES,
  CITY_AVAILABILITIES,
  TYPICAL_ABSENCES,
  ...RAIL_LISTS,
]

function codeLists({ datasets }: SystemView): ValueOf<typeof codeList.fields>[] {
  const used = datasets.flatMap((dataset) =>
    Object.values(dataset.columns).flatMap((column) => column.codes ?? column.of?.codes ?? column.lists ?? []),
  )
  return [...new Map([...used, ...OTHER_LISTS].map((list) => [list.id, list])).values()].map(({ id, about, codes }) => ({
    id,
    about,
    codes: Object.entries(codes).map(([code, { es, en, ca = null, eu = null, gl = null }]) => ({
      code,
      label: es,
      labels: { es, en, ca, eu, gl },
    })),
  }))
}

/** Every code list. */
export const codeListList = defineEndpoint({
  path: '/api/codes',
  domain: 'service',
  plan: 'FREE',
  summary: 'All code lists with their labels',
  params: { list: textParam('Only this list.', { max: 60, example: 'incident_type' }) },
  returns: {
    kind: 'list',
    name: 'lists',
    record: codeList,
    key: ['id'],
    id: 'id',
    sorts: ['id'],
    order: 'id',
    limit: { default: null, max: 20_000 },
  },
  read: {
    kind: 'system',
    records: (system, { list }) => {
      const all = codeLists(system)
      const wanted =
        list === null
          ? null
          : chosenOf(
              'list',
              list,
              all.map((one) => one.id),
            )
      return all.filter((one) => wanted === null || one.id === wanted)
    },
  },
  example: { list: 'incident_type' },
})
