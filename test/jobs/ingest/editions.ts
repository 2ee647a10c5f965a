import { type CompletenessGroups, defineFeed, type Feed } from '../../../jobs/feeds/define.ts'
import { railAlerts } from '../../../lake/datasets/rail/alerts.ts'
import { v16Beacons } from '../../../lake/datasets/road/v16.ts'
import { sql } from '../../../lake/query/sql.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { type Document, littleFeed } from '../../helpers/pipeline.ts'

/** A publication at the given minutes after the start. */
export type Edition = readonly [minute: number, document: Pick<Document, 'beacons' | 'readings'>]

/** The little feed with beacons of two provinces or none, by the first letter of their id, and readings of every tenth minute. */
const little = littleFeed()
export const feed: Feed = defineFeed({
  ...little,
  bands: { v16_beacons: { atLeast: 0, minRatio: 0, maxRatio: 1000 }, traffic_readings: { atLeast: 0, minRatio: 0, maxRatio: 1000 } },
  groups: { v16_beacons: { column: 'province_code', least: 3, mostMissing: 1 } },
  async *rows(bodies, clock, diagnostics) {
    for await (const { dataset, rows } of little.rows(bodies, clock, diagnostics)) yield { dataset, rows: rows.map(placed) }
  },
})

function placed(row: AnyRow): AnyRow {
  if (row['sensor_id']) return { ...row, observed_at: Math.floor((row['observed_at'] as number) / 600_000) * 600_000 }
  return { ...row, province_code: PROVINCES[String(row['source_id'])[0] as keyof typeof PROVINCES] }
}

const PROVINCES = { a: '30', b: '28', c: null } as const

/** The same feed, where the lake at some times expects a province, at some does not, and at some does not know. */
export const expecting: Feed = defineFeed({
  ...feed,
  groups: {
    v16_beacons: {
      ...(feed.groups?.['v16_beacons'] as CompletenessGroups),
      expected: {
        from: [],
        every_s: 60,
        query(at) {
          const [one, other] = [Math.floor(at / 60_000) % 3, Math.floor(at / 300_000) % 3].map((turn) => [-1, 0, 5][turn] as number)
          return sql`SELECT block, count FROM (VALUES ('30', ${one as number}), ('28', ${other as number})) AS expected (block, count) WHERE count >= 0`
        },
      },
    },
  },
})

/** Alerts of one block, of the other, or of both, chosen by the first letter of their id. */
export const listing: Feed = defineFeed({
  ...little,
  into: [railAlerts],
  bands: { rail_alerts: { atLeast: 0, minRatio: 0, maxRatio: 1000 } },
  groups: { rail_alerts: { column: 'nucleo_codes', least: 3, mostMissing: 1 } },
  async *rows(bodies, clock, diagnostics) {
    for await (const { dataset, rows } of little.rows(bodies, clock, diagnostics))
      if (dataset === v16Beacons) yield { dataset: railAlerts, rows: rows.map(listed) }
  },
})

function listed({ source_id, km }: AnyRow): AnyRow {
  const nucleo_codes = NUCLEOS[String(source_id)[0] as keyof typeof NUCLEOS]
  return { ...ALERT, source_id, nucleo_codes, text_es: String(km) }
}

const NUCLEOS = { a: ['10'], b: ['20'], d: ['10', '20'] } as const
const NOTHING = { train_number: null, service_date: null, delay_s: null, effect: null, cause: null, active_from: null, active_until: null }
const LISTS = { lines: [], hashtags: [], route_ids: [], stop_ids: [], trip_ids: [], translations: [] }
const ALERT = { source: 'renfe', kind: 'NOTICE', derived: false, network: 'CERCANIAS', ...LISTS, ...NOTHING }

/** Random numbers in [0, 1) by a seed. */
export function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1664525 + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/**
 * Beacons that come, move and go, and sensors that skip some publications; days and minutes apart. Every fourth publication lacks
 * a province. Beacons without a province and with an even number go with the first one.
 */
export function editionsOf(seed: number, count: number, letters = 'ab'): Edition[] {
  const roll = dice(seed)
  const alive = new Map<string, number>()
  const ids = [...letters].flatMap((province) => Array.from({ length: 6 }, (_, at) => `${province}${at}`))
  let at = 0
  return Array.from({ length: count }, () => {
    at += [1, 1, 5, 10, 25, 180, 1800][Math.floor(roll() * 7)] as number
    for (const id of ids) {
      if (!alive.has(id) ? roll() < 0.35 : roll() < 0.2) alive.set(id, Math.floor(roll() * 3))
      else if (alive.has(id) && roll() < 0.3) alive.delete(id)
    }
    const without = roll() < 0.25 ? (roll() < 0.5 ? 'a' : 'b') : null
    const isOut = (id: string): boolean => id[0] === without || (id[0] === 'c' && without === 'a' && Number(id[1]) % 2 === 0)
    const beacons = Object.fromEntries([...alive].filter(([id]) => !isOut(id)))
    const readings = Object.fromEntries([0, 1, 2, 3].filter(() => roll() < 0.7).map((id) => [`s${id}`, Math.floor(roll() * 50)]))
    return [at, { beacons, readings }]
  })
}

/** The same, some of them up to four places late. */
export function shuffled(editions: readonly Edition[], roll: () => number): Edition[] {
  const late = [...editions]
  for (let moved = 0; moved < 5; moved++) {
    const from = 1 + Math.floor(roll() * (editions.length - 6))
    const [edition] = late.splice(from, 1)
    late.splice(from + 1 + Math.floor(roll() * 4), 0, edition as Edition)
  }
  return late
}
