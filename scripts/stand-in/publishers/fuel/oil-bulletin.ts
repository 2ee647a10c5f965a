import { capturesNamed, defineStandIn } from '../../define.ts'
import { bulletinHistory } from '../../formats/oil-bulletin.ts'
import { keptOf } from '../../publisher.ts'
import { bulletinWeeks } from '../../world/bulletin.ts'

const WEEK = 7 * 86_400_000
/** Time of publication, a Thursday at ten, UTC: 1970-01-01 was a Thursday. */
const PUBLISHED = 10 * 3_600_000
const HOST = 'energy.ec.europa.eu'
const PAGE = '/data-and-analysis/weekly-oil-bulletin_en'
const FILE = 'Weekly_Oil_Bulletin_Prices_History_maticni_4web.xlsx'
/** The document's number in the feed's declaration, and its number in today's page. */
const [KNOWN, CURRENT] = ['906e60ca-8b6a-44e7-8589-652854d2fd3f', '264c2d0f-f161-4ea3-a777-78faae59bea0'].map(
  (number) => `/document/download/${number}_en`,
) as [string, string]
/** Countries in a small workbook, which also has fewer years. */
const FEW = ['EU', 'EUR', 'ES', 'FR', 'GR', 'PT', 'SE']
const ALL = `EU EUR AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK`.split(' ')
const OWN_CURRENCY = new Set(['CZ', 'DK', 'HU', 'PL', 'RO', 'SE'])

/** The European Commission's Weekly Oil Bulletin: a page, and the workbook of all weeks that it links. */
export const oilBulletin = defineStandIn('fuel_bulletin', {
  hosts: [HOST],
  route(path) {
    if (path === PAGE) return { slip: CURRENT }
    return path === CURRENT || path === KNOWN ? 'history' : null
  },
  publishedAt: (_seed, now) => Math.floor((now - PUBLISHED) / WEEK) * WEEK + PUBLISHED,
  slip: (to) => ({ bytes: Buffer.from(pageHtml(to)), contentType: 'text/html; charset=UTF-8' }),
  validators: 'none',
  write(world, { publishedAt, variant }) {
    const [codes, from] = world.scale === 'small' ? [FEW, '2023-01-02'] : [ALL, '2005-01-03']
    return bulletinHistory({
      weeks: keptOf(bulletinWeeks(world.seed, { from, to: publishedAt }), variant),
      countries: codes.map((code) => ({ code, hasRate: OWN_CURRENCY.has(code) })),
      at: publishedAt,
      hasUnknownCodes: variant.hasUnknownCodes,
    })
  },
  captures: {
    folder: 'eu-oil-bulletin',
    // The table of one week, published in August of 2022 according to its name; its prices are those of the 22nd, a Monday.
    capturedAt: capturesNamed(/^latest_prices_raw_data_2022-08\.xlsx$/, '2022-08-25T10:00Z'),
  },
})

/** The relevant part of the page: the workbook of all weeks is one of several links. */
function pageHtml(to: string): string {
  const link = (path: string, file: string): string => `<a href="${path}?filename=${file}" class="ecl-link">${file}</a>`
  return `<!DOCTYPE html>\n<html lang="en"><head><title>Weekly Oil Bulletin</title></head><body>${[
    link('/document/download/78311f92-33da-4d43-8a50-1a2ba2ba3a4c_en', 'Weekly_Oil_Bulletin_Duties_and_taxes.xlsx'),
    link(to, FILE),
  ].join('\n')}</body></html>\n`
}
