import { SPANISH_MONTHS } from '../../../jobs/formats/dates.ts'
import { instantOf } from '../../../lake/schema/time.ts'
import { madridCountStations, madridCounts } from '../formats/madrid-counts.ts'
import { type FeedStandIn, keptOf, type Publisher } from '../publisher.ts'
import { countStations } from '../world/madrid-counts.ts'
import { localTime } from '../world/rhythm.ts'

/** Day of the month on which the month before is published. */
const PUBLISHED_ON = 10
/** Months that the list has; older files are still there. */
const LISTED = 24
/** The portal's number of the file of April 2018; each month has the next. */
const FIRST = { number: 85, year: 2018, month: 4 }
/** The catalogue's entry, whose files the portal lists. */
const ENTRY = '300233-0-aforo-trafico-permanentes'
/** Of so many months one was never published. */
const GAP_EVERY = 11

const counts: FeedStandIn = {
  feed: 'madrid_counts',
  hosts: ['datos.madrid.es'],
  path: `/api/3/action/package_show?id=${ENTRY}`,
  route(path, query) {
    if (path === '/api/3/action/package_show') return query.get('id') === ENTRY ? { kind: 'document', resource: 'list' } : null
    const [, number] = /^\/egob\/catalogo\/300233-(\d+)-aforo-trafico-permanentes\.csv$/.exec(path) ?? []
    if (number === undefined || Number(number) < FIRST.number || isGap(Number(number) - FIRST.number)) return null
    return { kind: 'document', resource: number }
  },
  publishedAt(_seed, now) {
    const { year, month, day } = localTime(now)
    const date = new Date(Date.UTC(year, month - 1 - (day < PUBLISHED_ON ? 1 : 0), PUBLISHED_ON))
    return instantOf(date.toISOString().slice(0, 10), '00:00')
  },
  contentType: 'text/csv',
  contentTypes: { list: 'application/json; charset=utf-8' },
  validators: 'etag',
  headers: {},
  blocks: { known: /^(?!)/, usual: [] },
  hasOldLayout: false,
  write(world, { resource, publishedAt, variant }) {
    if (resource === 'list') return listOf(publishedAt, variant.hasUnknownCodes)
    const { share, hasUnknownCodes } = variant
    const month = monthOf(Number(resource) - FIRST.number)
    return madridCounts({ seed: world.seed, month, stations: world.part(countStations), share, hasUnknownCodes })
  },
  captures: { folder: 'madrid-historico/permanentes', capturedAt: () => null },
}

const stations: FeedStandIn = {
  ...counts,
  feed: 'madrid_count_stations',
  path: '/egob/catalogo/300233-70-aforo-trafico-permanentes.csv',
  route: (path) => (path === '/egob/catalogo/300233-70-aforo-trafico-permanentes.csv' ? { kind: 'document', resource: 'stations' } : null),
  write: (world, { publishedAt, variant }) => madridCountStations(keptOf(world.part(countStations), variant), { publishedAt, ...variant }),
  captures: {
    folder: 'madrid-historico/permanentes',
    // Of its commit (provenance in the notes).
    capturedAt: (file) => (file === 'UbicacionEstacionesPermanentesSentidos.csv' ? Date.UTC(2023, 9, 19) : null),
  },
}

/** What Ayuntamiento de Madrid publishes of months that are over: hourly counts, and where they are made. */
export const madridArchive: Publisher = { name: 'Ayuntamiento de Madrid, aforos', feeds: [counts, stations] }

const isGap = (at: number): boolean => at % GAP_EVERY === 5

function monthOf(at: number): string {
  return new Date(Date.UTC(FIRST.year, FIRST.month - 1 + at, 1)).toISOString().slice(0, 7)
}

/** The portal's list as CKAN has it, as of a publication (ms): the month before is the newest. */
function listOf(publishedAt: number, hasMore: boolean): string {
  const { year, month } = localTime(publishedAt)
  const newest = (year - FIRST.year) * 12 + month - FIRST.month - 1
  const months = Array.from({ length: LISTED }, (_, back) => newest - back).filter((at) => at >= 0 && !isGap(at))
  const url = (number: number): string => `https://datos.madrid.es/egob/catalogo/300233-${number}-aforo-trafico-permanentes.csv`
  const files = months.map((at) => {
    const [ofYear, ofMonth] = monthOf(at).split('-').map(Number) as [number, number]
    const name = SPANISH_MONTHS[ofMonth - 1] as string
    return { name: `${ofYear}. ${name.charAt(0).toUpperCase()}${name.slice(1)}`, format: 'CSV', url: url(FIRST.number + at) }
  })
  const others = [{ name: 'Ubicación de las estaciones permanentes y sentidos', format: 'CSV', url: url(70) }]
  if (hasMore) others.push({ name: 'Edición nueva', format: 'PARQUET', url: 'https://datos.madrid.es/egob/catalogo/300233-999.parquet' })
  return JSON.stringify({ success: true, result: { name: ENTRY, resources: [...others, ...files] } })
}
