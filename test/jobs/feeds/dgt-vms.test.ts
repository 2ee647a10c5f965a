import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Feed } from '../../../jobs/feeds/define.ts'
import { dgtVmsDevices } from '../../../jobs/feeds/road/dgt-devices.ts'
import { dgtVms } from '../../../jobs/feeds/road/dgt-vms.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'
import type { vmsDevices, vmsMessages } from '../../../lake/datasets/road/vms.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { counts } from './dgt-documents.ts'

type Message = FeedRow<typeof vmsMessages>
type Page = { readonly lines: readonly string[]; readonly pictograms: readonly { readonly area: number; readonly code: string }[] }

const shared = sharedFolder()
const AT = Date.parse('2026-11-01T00:00:00Z')

async function captured<R>(feed: Feed, file: string): Promise<{ rows: readonly R[]; published_at: number; notes: object }> {
  const bytes = readFileSync(`${shared}/feeds/dgt-vms/${file}`)
  const { rows, report, data_time } = await parsePublication(feed, [{ name: 'document', bytes }], AT)
  const { quarantined, unknownCodes, warnings } = report
  return { rows: [...rows.values()][0] as unknown as readonly R[], published_at: data_time, notes: { quarantined, unknownCodes, warnings } }
}

const NOTHING = { quarantined: {}, unknownCodes: {}, warnings: new Map() }

test.skipIf(!shared)('the captured messages: 12 controllers, with 0, 1 and 2 messages 2, 4 and 6 times', async () => {
  const { rows, published_at, notes } = await captured<Message>(dgtVms, 'vms_messages_datex2_v37_20260903T005157+0200.excerpt12.xml')
  expect(notes).toEqual(NOTHING)
  expect(published_at).toBe(Date.parse('2026-09-02T22:51:57Z'))
  const pages = rows.map((row) => row.pages as unknown as readonly Page[])
  expect(counts(pages.map(({ length }) => String(length)))).toEqual({ 0: 2, 1: 4, 2: 6 })
  expect(counts(rows.map(({ display }) => display))).toEqual({ EMPTY: 2, BLANK: 2, MESSAGE: 8 })
  const all = pages.flat()
  // Ten texts, half of them with CR LF, and no line that keeps a mark or the blanks that centre it.
  expect(all.filter(({ lines }) => lines.length > 0)).toHaveLength(10)
  expect(all.flatMap(({ lines }) => lines).filter((line) => line !== line.trim() || line === '')).toEqual([])
  // Four of 22 pictograms are blank.
  expect(all.flatMap(({ pictograms }) => pictograms)).toHaveLength(18)
  expect(all.flatMap(({ pictograms }) => pictograms).filter(({ code }) => code === '0')).toEqual([])
  expect(rows.flatMap(({ panel_id, speed_limit_kmh }) => (speed_limit_kmh === null ? [] : [[panel_id, speed_limit_kmh]]))).toEqual([
    ['61441', 100],
    ['61523', 80],
  ])
  expect(rows.find(({ panel_id }) => panel_id === '61475')).toMatchObject({
    text: 'RIESGO EXTREMO DE INCENDIO | EXTREME FIRE HAZARD',
    shown_since: Date.parse('2026-09-02T13:59:33Z'),
  })
  expect(rows.find(({ panel_id }) => panel_id === '61455')?.text).toBe('VIGILANCIA AEREA POR SU SEGURIDAD')
})

test.skipIf(!shared)('the captured catalogue: four panels, each in the province that its name and its position give', async () => {
  const { rows, notes } = await captured<FeedRow<typeof vmsDevices>>(
    dgtVmsDevices,
    'vms_locations_datex2_v37_20260906T190501+0200.excerpt4.xml',
  )
  expect(notes).toEqual(NOTHING)
  expect(rows.map(({ panel_id, road, km, direction, province_code }) => [panel_id, road, km, direction, province_code])).toEqual([
    ['167938', 'A-54', 0.65, 'NEGATIVE', '27'],
    ['61441', 'M-607', 18.532, 'NEGATIVE', '28'],
    ['61459', 'N-6', 85, 'NEGATIVE', '40'],
    ['168606', 'Ma-2210', 2, 'POSITIVE', '07'],
  ])
})
