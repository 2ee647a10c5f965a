import { fuelBulletin } from '../../../lake/datasets/fuel/bulletin.ts'
import { oilBulletin } from '../../../lake/datasets/fuel/sources.ts'
import { type DownloadStep, defineFeed } from '../define.ts'

import { readBulletin } from './bulletin-rows.ts'

const SITE = 'https://energy.ec.europa.eu'
const PAGE = `${SITE}/data-and-analysis/weekly-oil-bulletin_en`
/** The workbook of all weeks, by the file name in the page's links. */
const HISTORY = 'Weekly_Oil_Bulletin_Prices_History_maticni_4web.xlsx'
const LINK = /href\s*=\s*(["'])(.*?)\1/gi

/** The workbook's request, the same at both addresses. */
const WORKBOOK = {
  name: 'history',
  accept: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet, text/html',
  maxBytes: 32_000_000,
  maxDecodedBytes: 256_000_000,
  timeout_ms: 180_000,
  expects: 'zip',
} as const

/**
 * The European Commission's Weekly Oil Bulletin: one workbook of all weeks since 2005, renewed weekly, usually on Thursday.
 * Its address has a document number and is read from the page; if the page names none, the last known address is used.
 */
export const fuelBulletinFeed = defineFeed({
  id: 'fuel_bulletin',
  source: oilBulletin,
  into: [fuelBulletin],
  every_s: 7 * 86_400,
  get: [
    { ...WORKBOOK, url: PAGE, twoStep: { hosts: [new URL(SITE).host], to: historyLink } },
    { ...WORKBOOK, url: `${SITE}/document/download/906e60ca-8b6a-44e7-8589-652854d2fd3f_en?filename=${HISTORY}` },
  ],
  freshBy: 'fetch',
  bands: { fuel_bulletin: { atLeast: 100, minRatio: 0.95, maxRatio: 3000 } },
  rows: readBulletin,
})

/** The address of the workbook of all weeks in the page. */
function historyLink(page: Buffer): DownloadStep {
  for (const [, , link = ''] of page.toString('utf8').matchAll(LINK)) {
    const address = link.replaceAll('&amp;', '&')
    if (URL.canParse(address, PAGE) && new URL(address, PAGE).searchParams.get('filename') === HISTORY)
      return { url: new URL(address, PAGE).href }
  }
  return { refused: `the page has no link to ${HISTORY}`, retryable: false }
}
