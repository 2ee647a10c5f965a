import type { Column, Json } from '../../../lake/schema/columns.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { tableFields } from '../../../lake/schema/physical.ts'
import { isoInstant } from '../../../lake/schema/time.ts'
import type { SystemView } from '../../kernel/endpoint.ts'

/** Terms of Croissant's own namespace. */
const TERMS = [
  ...'arrayShape citeAs column containedIn equivalentProperty extract field fileObject fileProperty fileSet'.split(' '),
  ...'format includes isArray isLiveDataset jsonPath key md5 parentField path recordSet references regex'.split(' '),
  ...'repeated replace samplingRate separator source subField transform'.split(' '),
]
/** The context that Croissant 1.1 requires. */
const CONTEXT = Object.freeze({
  '@language': 'en',
  '@vocab': 'https://schema.org/',
  conformsTo: 'dct:conformsTo',
  cr: 'http://mlcommons.org/croissant/',
  data: { '@id': 'cr:data', '@type': '@json' },
  dataType: { '@id': 'cr:dataType', '@type': '@vocab' },
  dct: 'http://purl.org/dc/terms/',
  description: { '@container': '@language' },
  examples: { '@id': 'cr:examples', '@type': '@json' },
  name: { '@container': '@language' },
  rai: 'http://mlcommons.org/croissant/RAI/',
  sc: 'https://schema.org/',
  ...Object.fromEntries(TERMS.map((term) => [term, `cr:${term}`])),
})

/** Ids of the list of files, the files, and their rows. */
const [MANIFEST, FILES, ROWS] = ['manifest', 'files', 'rows']

/**
 * The card of a dataset as Croissant 1.1. Its files are those of a mirror made by `scripts/sync`, next to the card: the dataset
 * is live, so only the manifest lists the current files with checksums.
 */
export function croissant(
  system: SystemView,
  dataset: Dataset,
  { baseUrl, begun_at }: { readonly baseUrl: string; readonly begun_at: number },
): {
  readonly [key: string]: Json
} {
  const { id, title, about, sources } = dataset
  const table = system.tables.get(id)
  const url = `${baseUrl}/api/datasets/${id}`
  const people = sources.map(({ publisher, url: page }) => ({ '@type': 'Organization', name: publisher, url: page }))
  return {
    '@context': CONTEXT,
    '@type': 'Dataset',
    '@id': url,
    conformsTo: 'http://mlcommons.org/croissant/1.1',
    name: id,
    alternateName: title,
    description: about,
    license: [...new Set(sources.map(({ licence_url }) => licence_url))],
    creditText: sources.map(({ attribution }) => attribution).join(' '),
    citeAs: sources.map(({ attribution }) => attribution).join(' '),
    url,
    creator: people,
    publisher: { '@type': 'Organization', name: 'Traffic Intelligence', url: `${baseUrl}/` },
    datePublished: isoInstant(begun_at),
    ...(table ? { dateModified: isoInstant(table.updated_at) } : {}),
    version: `${table?.schema_version ?? 0}.0.0`,
    inLanguage: ['es', 'en'],
    keywords: [dataset.domain, 'Spain', 'transport'],
    isLiveDataset: true,
    distribution: [
      {
        '@type': 'cr:FileObject',
        '@id': MANIFEST,
        name: MANIFEST,
        description: 'The files of the current snapshot with checksums and signed URLs; needs a key of the plan ENTERPRISE.',
        contentUrl: `${baseUrl}/api/export/${id}`,
        encodingFormat: 'application/json',
      },
      {
        '@type': 'cr:FileSet',
        '@id': FILES,
        name: FILES,
        description: `The Parquet files of the current snapshot, as scripts/sync ${id} puts them beside this card.`,
        // The name that Croissant readers use.
        encodingFormat: 'application/x-parquet',
        includes: 'data/*.parquet',
      },
    ],
    recordSet: [
      {
        '@type': 'cr:RecordSet',
        '@id': ROWS,
        name: ROWS,
        description: `Rows of ${id}.`,
        key: [...dataset.entity, dataset.time].flatMap((name) =>
          tableFields(dataset).some((field) => field.name === name) ? [{ '@id': `${ROWS}/${name}` }] : [],
        ),
        field: tableFields(dataset).map(({ name, doc, column }) => ({
          '@type': 'cr:Field',
          '@id': `${ROWS}/${name}`,
          name,
          description: doc,
          dataType: dataType(column),
          ...(column.kind === 'list' ? { repeated: true } : {}),
          source: { fileSet: { '@id': FILES }, extract: { column: name } },
        })),
      },
    ],
  }
}

/** The type of a column's values in Parquet; geometries are WKB, for which Croissant has no type. */
function dataType(column: Column): string {
  switch (column.kind) {
    case 'list':
      return dataType(column.of as Column)
    case 'integer':
    case 'service_time':
      return 'sc:Integer'
    case 'decimal':
    case 'float':
    case 'point':
      return 'sc:Float'
    case 'boolean':
      return 'sc:Boolean'
    case 'instant':
      return 'sc:DateTime'
    case 'local_date':
      return 'sc:Date'
    default:
      return 'sc:Text'
  }
}
