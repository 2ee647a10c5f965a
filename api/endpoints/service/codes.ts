import { type CodeLabels, type CodeList, languagesOf } from '../../../lake/schema/codes.ts'
import { defineEndpoint, listReturn, type SystemView } from '../../kernel/endpoint.ts'
import { type Fields, field, isNested, LANGS, maybe, nested, record, type ValueOf } from '../../kernel/fields.ts'
import { chosenOf, textParam } from '../../kernel/params/params.ts'

const label = (language: string, example: string) => field.text(`In ${language}.`, example)
const coOfficial = (language: string, example: string) =>
  maybe.text(`In ${language}; null for all codes of a list whose \`languages\` lack it.`, example)

const codeList = record(
  'CodeList',
  'A list of codes. Lists are open: a source may publish a code that its list lacks; it is then shown unchanged.',
  {
    id: field.text('Id of the list.', 'incident_type'),
    about: field.text('What its codes describe.', 'Kind of incident on the road.'),
    languages: field.list('Languages in which every code has a label.', field.text('Language.'), [...LANGS]),
    label_language: field.text('Language of `label`: the requested one if `languages` has it, else es.', 'es'),
    codes: nested.objects('The codes in display order.', {
      code: field.text('The code.', 'ACCIDENT'),
      label: field.text('Its label in `label_language`.', 'Accidente'),
      labels: nested.object('Its label by language.', {
        es: label('Spanish', 'Accidente'),
        en: label('English', 'Accident'),
        ca: coOfficial('Catalan', 'Accident'),
        eu: coOfficial('Basque', 'Istripua'),
        gl: coOfficial('Galician', 'Accidente'),
      }),
    }),
  },
  {
    languages: LANGS,
    localise: (list, lang) =>
      list.languages.includes(lang)
        ? { ...list, label_language: lang, codes: list.codes.map((one) => ({ ...one, label: one.labels[lang] ?? one.label })) }
        : list,
  },
)

/** The code lists of all columns, including nested fields. */
function listsIn(fields: Fields): readonly CodeList[] {
  return Object.values(fields).flatMap((field) => {
    if (isNested(field)) return [...(field.keys ? [field.keys] : []), ...listsIn(field.fields)]
    return field.codes ?? field.of?.codes ?? field.lists ?? []
  })
}

/** Every code list that a dataset or a reply uses. */
function codeLists({ datasets, endpoints }: SystemView): ValueOf<typeof codeList.fields>[] {
  const used = [
    ...datasets.flatMap(({ columns }) => listsIn(columns)),
    ...endpoints.flatMap(({ returns }) => listsIn({ ...returns.record.fields, ...(returns.kind === 'list' ? returns.sideLists : {}) })),
  ]
  return [...new Map(used.map((list) => [list.id, list])).values()].map((list) => {
    const { id, about, codes } = list
    const languages = languagesOf(list)
    const shown = (labels: CodeLabels, language: keyof CodeLabels): string | null =>
      languages.includes(language) ? (labels[language] ?? null) : null
    return {
      ...{ id, about, languages, label_language: 'es' },
      codes: Object.entries(codes).map(([code, labels]) => {
        const [ca, eu, gl] = [shown(labels, 'ca'), shown(labels, 'eu'), shown(labels, 'gl')]
        return { code, label: labels.es, labels: { es: labels.es, en: labels.en, ca, eu, gl } }
      }),
    }
  })
}

/** Every code list. */
export const codeListList = defineEndpoint({
  path: '/api/codes',
  plan: 'FREE',
  summary: 'All code lists with their labels',
  summary_es: 'Todas las listas de códigos con sus etiquetas',
  params: { list: textParam('Only this list.', { max: 60, example: 'incident_type' }) },
  returns: listReturn('lists', codeList, {
    sorts: ['id'],
    limit: { default: null, max: 20_000 },
  }),
  read: {
    kind: 'system',
    records: (system, { list }) => {
      const all = codeLists(system)
      const ids = all.map(({ id }) => id)
      const wanted = chosenOf('list', list, ids)
      return all.filter((one) => wanted === null || one.id === wanted)
    },
  },
  example: { list: 'incident_type' },
})
