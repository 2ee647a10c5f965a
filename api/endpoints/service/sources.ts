import { col } from '../../../lake/schema/columns.ts'
import { defineEndpoint, listReturn, type SystemView } from '../../kernel/endpoint.ts'
import { nested, record, type ValueOf } from '../../kernel/fields.ts'
import { chosenOf, param } from '../../kernel/params/params.ts'

const source = record('Source', 'A publisher of data, with the terms of its licence.', {
  id: col.string(0, 'Id of the source, as in records.', { example: 'dgt' }),
  name: col.string(0, 'Publisher.', { example: 'Dirección General de Tráfico' }),
  url: col.string(0, 'Page that describes the data.', { example: 'https://nap.dgt.es/' }),
  licence: col.string(0, 'Licence.', { example: 'CC BY 4.0' }),
  licence_url: col.string(0, 'Text of the licence.', { example: 'https://creativecommons.org/licenses/by/4.0/' }),
  attribution: col.string(0, 'Attribution text that a reuser has to show.', { example: 'Origen de los datos: Ayuntamiento de Madrid' }),
  commercial_use: col.string(0, 'Whether commercial use is allowed: yes, no or unknown.', { example: 'yes' }),
  domains: col.list([0, 0], 'Domains with data from it.', col.string(0, 'Name of a domain.'), { example: ['road'] }),
  datasets: col.list([0, 0], 'Datasets with data from it.', col.string(0, 'Id of a dataset.'), { example: ['incidents'] }),
  feeds: nested.objects('Data fetched from it.', {
    id: col.string(0, 'Id of the feed.', { example: 'dgt_incidents' }),
    cadence_s: col.integer(0, 'Expected time between two fetches.', { unit: 's', example: 60 }),
    enabled: col.boolean(0, 'False if it is not fetched at present.', { example: true }),
    disabled_reason: col.string(0, 'Why it is not fetched; null if it is fetched.', { nullable: true, example: null }),
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
  domain: 'service',
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
      const wanted = domain === null ? null : chosenOf('domain', domain, domains)
      return sources(system).filter((one) => wanted === null || one.domains.includes(wanted))
    },
  },
  example: { domain: 'road' },
})
