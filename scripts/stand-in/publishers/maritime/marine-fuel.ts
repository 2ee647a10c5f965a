import { capturesNamed, defineStandIn } from '../../define.ts'
import { marinePostJson, marineSpreadsheet, type PricedPost } from '../../formats/marine-fuel.ts'
import { ministryJson } from '../../formats/ministry-json.ts'
import { keptOf, newestStamp, type Publisher } from '../../publisher.ts'
import { hash } from '../../random.ts'
import { MARINE_COLUMNS, marinePosts, marinePriceText } from '../../world/marine-posts.ts'
import { localTime } from '../../world/rhythm.ts'

const HALF_HOUR = 1_800_000
const REST = /^\/serviciosrestcarburantes\/precioscarburantes\/postesmaritimos\/?$/i
const SPREADSHEET = '/resources/files/embarcacionesPrecios_es.xls'
/** An unknown column. */
const UNKNOWN = 'Eslora máxima'

const posts = defineStandIn('marine_fuel', {
  hosts: ['energia.serviciosmin.gob.es', 'sedeaplicaciones.minetur.gob.es', 'geoportalgasolineras.es'],
  route(path) {
    if (path === SPREADSHEET) return { kind: 'document', resource: 'spreadsheet' }
    return REST.test(path) ? { kind: 'document', resource: 'national' } : null
  },
  publishedAt: newestStamp(HALF_HOUR, stamp),
  contentType: 'application/json; charset=utf-8',
  contentTypes: { spreadsheet: 'application/vnd.ms-excel' },
  validators: 'none',
  headers: { 'Cache-Control': 'private', 'Access-Control-Allow-Origin': '*' },
  write(world, { resource, publishedAt, stampedAt, variant }) {
    const { dayNumber } = localTime(publishedAt)
    const priced = keptOf(world.part(marinePosts), variant).map(
      (post): PricedPost => ({
        post,
        prices: Object.fromEntries(MARINE_COLUMNS.map(({ json }) => [json, marinePriceText(world.seed, post, json, dayNumber)])),
      }),
    )
    const unknownColumn = variant.hasUnknownCodes ? UNKNOWN : null
    if (resource === 'spreadsheet') return marineSpreadsheet(priced, { publishedAt: stampedAt, unknownColumn })
    const texts = priced.map(marinePostJson)
    return ministryJson(unknownColumn === null ? texts : texts.map((text) => text.replace('{', `{"${unknownColumn}":"X",`)), stampedAt)
  },
  captures: {
    folder: 'miteco-postes-maritimos',
    // embarcacionesPrecios_es_20251102T1600.xls, by Madrid's clock. A capture serves both layouts: the parser detects the layout.
    capturedAt: capturesNamed(/^embarcacionesPrecios_es_\w+\.xls$/),
  },
})

/** The ministry's register of marine fuel: the REST service, and the spreadsheet. */
export const marineRegister: Publisher = {
  name: 'Ministerio para la Transición Ecológica y el Reto Demográfico, postes marítimos',
  feeds: [posts],
}

/** Generated a minute or two after each half hour. */
function stamp(seed: number, mark: number): number {
  return mark * HALF_HOUR + (45 + (hash(seed, 'marine stamp', mark) % 90)) * 1000
}
