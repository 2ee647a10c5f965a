import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { dgtChargers } from '../../../jobs/feeds/road/dgt-chargers.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'
import type { chargingSites } from '../../../lake/datasets/road/charging-sites.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { counts } from './dgt-documents.ts'

type Site = FeedRow<typeof chargingSites>
type Point = { readonly connectors: readonly { readonly type: string; readonly power_kw: number | null }[] }

const shared = sharedFolder()

async function parsed(bytes: Buffer): Promise<{ sites: readonly Site[]; notes: object }> {
  const { rows, report } = await parsePublication(dgtChargers, [{ name: 'sites', bytes }], Date.UTC(2026, 10, 1))
  const { quarantined, unknownCodes } = report
  return { sites: [...rows.values()][0] as unknown as readonly Site[], notes: { quarantined, unknownCodes } }
}

const connectorsOf = (sites: readonly Site[]) =>
  sites.flatMap(({ points }) => (points as unknown as readonly Point[]).flatMap(({ connectors }) => connectors))
const sum = (sites: readonly Site[], name: 'simultaneous_cars' | 'connector_count'): number =>
  sites.reduce((all, site) => all + site[name], 0)

test.skipIf(!shared)('the captured excerpt: 13 points with 16 connectors at three sites', async () => {
  const file = 'electrolineras_20260728T101816+0200.excerpt3.xml'
  const { sites, notes } = await parsed(readFileSync(`${shared}/feeds/dgt-electrolineras/${file}`))
  expect(notes).toEqual({ quarantined: {}, unknownCodes: {} })
  expect([sites.length, sum(sites, 'simultaneous_cars'), sum(sites, 'connector_count')]).toEqual([3, 13, 16])
  expect(counts(connectorsOf(sites).map(({ type }) => type))).toEqual({ CCS2: 12, TYPE_2: 2, CHADEMO: 2 })
  expect(counts(sites.map(({ site_type }) => String(site_type)))).toEqual({ OPEN_SPACE: 2, ON_STREET: 1 })
  expect(counts(sites.flatMap(({ access }) => access))).toEqual({ APP: 3, DEBIT_CARD: 2, CREDIT_CARD: 2, RFID: 2 })
  const powers = connectorsOf(sites).map(({ power_kw }) => power_kw ?? 0)
  expect([Math.min(...powers), Math.max(...powers)]).toEqual([22.17, 360])
  expect(sites.map(({ postal_code, province_code }) => [postal_code, province_code])).toEqual([
    ['07006', '07'],
    ['12550', '12'],
    ['46260', '46'],
  ])
  expect(sites.map(({ is_open_24h }) => is_open_24h)).toEqual([true, false, true])
})

/** A value of the file of 2024, which was converted from XML, as elements again. */
function elements(name: string, value: unknown, attributes = ''): string {
  if (Array.isArray(value)) return value.map((one) => elements(name, one, attributes)).join('')
  const text = (given: unknown): string => String(given).replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const inside =
    typeof value === 'object' && value !== null
      ? Object.entries(value)
          .map(([key, one]) => elements(key, one))
          .join('')
      : text(value ?? '')
  return `<${name}${attributes}>${inside}</${name}>`
}

test.skipIf(!shared)('the converted file of 2024: 661 sites, 1,902 points, 2,305 connectors', async () => {
  const folder = `${shared}/feeds/catalogos/dgt-electrolineras`
  const { payload } = JSON.parse(gunzipSync(readFileSync(`${folder}/electrolineras_2024-06-03_xml2json.json.gz`)).toString())
  // The conversion dropped attributes.
  const sites = payload.energyInfrastructureTable.energyInfrastructureSite as object[]
  const body = sites.map((site, at) => elements('energyInfrastructureSite', site, ` id="S${at}"`)).join('')
  const type = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="EnergyInfrastructureTablePublication"'
  const { sites: found, notes } = await parsed(
    Buffer.from(`<payload ${type}><publicationTime>${payload.publicationTime}</publicationTime>${body}</payload>`),
  )
  expect(notes).toEqual({ quarantined: {}, unknownCodes: {} })
  expect([found.length, sum(found, 'simultaneous_cars'), sum(found, 'connector_count')]).toEqual([661, 1902, 2305])
  expect(counts(connectorsOf(found).map(({ type }) => type))).toEqual({ TYPE_2: 1296, CCS2: 625, CHADEMO: 362, SCHUKO: 22 })
  expect(found.filter(({ is_open_24h }) => is_open_24h)).toHaveLength(641)
  expect(found.filter(({ postal_code }) => postal_code?.length !== 5)).toEqual([])
})
