import { defineEndpoint, listReturn, type SystemView } from '../../kernel/endpoint.ts'
import { field, maybe, nested, record, type ValueOf } from '../../kernel/fields.ts'
import { chosenOf, param } from '../../kernel/params/params.ts'

const source = record('Source', 'A publisher of data, with the terms of its licence.', {
  id: field.text('Id of the source, as in records.', 'dgt'),
  name: field.text('Publisher.', 'Dirección General de Tráfico'),
  url: field.text('Page that describes the data.', 'https://nap.dgt.es/'),
  licence: field.text('Licence.', 'CC BY 4.0'),
  licence_url: field.text('Text of the licence.', 'https://creativecommons.org/licenses/by/4.0/'),
  attribution: field.text('Attribution text that a reuser has to show.', 'Origen de los datos: Ayuntamiento de Madrid'),
  commercial_use: field.text('Whether commercial use is allowed: yes, no or unknown.', 'yes'),
  domains: field.list('Domains with data from it.', field.text('Name of a domain.'), ['road']),
  datasets: field.list('Datasets with data from it.', field.text('Id of a dataset.'), ['incidents']),
  feeds: nested.objects('Data fetched from it.', {
    id: field.text('Id of the feed.', 'dgt_incidents'),
    cadence_s: field.integer('Expected time between two fetches.', 's', 60),
    enabled: field.boolean('False if it is not fetched at present.', true),
    disabled_reason: maybe.text('Why it is not fetched; null if it is fetched.', null),
  }),
})

function sources({ datasets, feeds }: SystemView): ValueOf<typeof source.fields>[] {
  const all = new Map(datasets.flatMap((dataset) => dataset.sources).map((one) => [one.id, one]))
  return [...all.values()].map(({ publisher, ...one }) => {
    const own = datasets.filter((dataset) => dataset.sources.some((other) => other.id === one.id))
    return {
      ...one,
      name: publisher,
      domains: [...new Set(own.map((dataset) => dataset.domain))],
      datasets: own.map((dataset) => dataset.id),
      feeds: feeds
        .filter((feed) => feed.source === one.id)
        .map(({ id, every_s, enabled, disabled_reason = null }) => ({ id, cadence_s: every_s, enabled, disabled_reason })),
    }
  })
}

/** Sources of the data. */
export const sourceList = defineEndpoint({
  path: '/api/sources',
  plan: 'FREE',
  summary: 'Upstream sources: licence, attribution, cadence, commercial use',
  summary_es: 'Fuentes: licencia, atribución, cadencia y uso comercial',
  about:
    '`meta.source_mode` says whether this service reads the publishers themselves (live), recorded captures (replay) or a stand-in (simulated).',
  params: {
    domain: param({
      about: 'Only sources with data in this domain.',
      schema: { type: 'string', minLength: 1, maxLength: 40 },
      parse: (text) => text.toLowerCase(),
      example: 'road',
    }),
  },
  returns: listReturn('sources', source, {
    sorts: ['id', 'name'],
    limit: { default: null, max: 20_000 },
  }),
  read: {
    kind: 'system',
    records: (system, { domain }) => {
      const domains = [...new Set(system.datasets.map((dataset) => dataset.domain))]
      const wanted = chosenOf('domain', domain, domains)
      return sources(system).filter((one) => wanted === null || one.domains.includes(wanted))
    },
  },
  example: { domain: 'road' },
})
