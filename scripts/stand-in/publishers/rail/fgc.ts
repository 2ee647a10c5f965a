import { capturesNamed, defineStandIn } from '../../define.ts'
import { type Edition, everyPeriod, keptOf } from '../../publisher.ts'
import { type FgcTrain, fgcTrainsAt } from '../../world/fgc-trains.ts'
import type { World } from '../../world/world.ts'

const STEP = 30_000
/** The data are about two minutes behind the trains, ms. */
const BEHIND = 120_000
const PATH = '/api/explore/v2.1/catalog/datasets/posicionament-dels-trens/records'
/** The API's default and highest number of records. */
const [DEFAULT_LIMIT, MAX_LIMIT] = [10, 100]

/** Ferrocarrils de la Generalitat de Catalunya: its running trains every half minute. */
export const fgc = defineStandIn('fgc_trains', {
  path: `${PATH}?order_by=id&limit=${MAX_LIMIT}`,
  route(path, query) {
    const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit') ?? DEFAULT_LIMIT)]
    const isPage = Number.isSafeInteger(offset) && offset >= 0 && Number.isSafeInteger(limit) && limit >= 0 && limit <= MAX_LIMIT
    return path === PATH && isPage ? `${offset} ${limit}` : null
  },
  publishedAt: everyPeriod(STEP),
  contentType: 'application/json; charset=utf-8',
  validators: 'none',
  write: pageOf,
  captures: {
    folder: 'fgc',
    // The newest occupancy of geotren_20260304.excerpt2.geojson is of 00:11:26.
    capturedAt: capturesNamed(/^geotren_20260304\b/, '2026-03-04T00:12+01:00'),
  },
})

function pageOf({ seed }: World, { resource, publishedAt, variant }: Edition): string {
  const [offset = 0, limit = DEFAULT_LIMIT] = resource.split(' ').map(Number)
  const records = keptOf(fgcTrainsAt(seed, publishedAt - BEHIND), variant)
    .map((train, at) => recordOf(train, variant.hasUnknownCodes && at % 10 === 3))
    .sort((one, other) => (one.id < other.id ? -1 : 1))
  return JSON.stringify({ total_count: records.length, results: records.slice(offset, offset + limit) })
}

/** A record of the API: numbers of coaches and booleans are texts, and next stops are objects separated by semicolons. */
function recordOf(train: FgcTrain, isUnknown: boolean): Readonly<Record<string, unknown>> & { readonly id: string } {
  const { stops, at, isStanding, occupancy, lat, lon } = train
  const next = stops.slice(at + 1).map((parada) => JSON.stringify({ parada }))
  const [m1, mi, ri, m2] = occupancy ?? []
  const share = (value: number | undefined): string | null => (value === undefined ? null : String(value))
  const band = (value: number | undefined): string | null => (value === undefined ? null : String(1 + Math.floor(value / 34)))
  return {
    id: `5f3c9a1e7b20|${train.circulation}`,
    ...{ lin: train.line, dir: isUnknown ? 'X' : train.direction, origen: stops[0], desti: stops.at(-1) },
    properes_parades: next.length === 0 ? null : next.join(';'),
    estacionat_a: isStanding ? stops[at] : null,
    en_hora: train.isOnTime ? 'True' : 'False',
    ...{ tipus_unitat: train.unitType, ut: train.unit },
    ...{ ocupacio_mi_percent: share(mi), ocupacio_mi_tram: band(mi), ocupacio_ri_percent: share(ri), ocupacio_ri_tram: band(ri) },
    ...{ ocupacio_m1_percent: share(m1), ocupacio_m1_tram: band(m1), ocupacio_m2_percent: share(m2), ocupacio_m2_tram: band(m2) },
    geo_point_2d: { lon, lat },
  }
}
