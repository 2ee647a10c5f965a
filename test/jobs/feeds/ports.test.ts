import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { worldPortIndexFeed } from '../../../jobs/feeds/maritime/world-port-index.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'
import { distanceM } from '../../../lake/places/distance.ts'
import { LISTED_PORTS } from '../../../lake/places/ports.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../helpers/shared.ts'

const shared = sharedFolder()
const AT = Date.UTC(2026, 10, 25)

async function recorded(): Promise<{ readonly rows: readonly AnyRow[]; readonly warnings: readonly string[] }> {
  const bytes = gunzipSync(readFileSync(join(shared as string, 'feeds/ports/UpdatedPub150_world_port_index.csv.gz')))
  const { rows, report } = await parsePublication(worldPortIndexFeed, [{ name: 'ports', bytes }], AT, { keeps: () => true })
  expect([report.quarantined, report.unknownCodes]).toEqual([{}, {}])
  return { rows: rows.get('ports') as readonly AnyRow[], warnings: [...report.warnings.keys()] }
}

test.skipIf(!shared)('the recorded index: 52 ports of Spain, 49 with a code, and the well-known ones that it lacks', async () => {
  const { rows, warnings } = await recorded()
  const indexed = rows.filter(({ source }) => source === 'world_port_index')
  expect([indexed.length, indexed.filter(({ locode }) => locode !== null).length]).toEqual([52, 49])
  expect(indexed.filter(({ locode }) => locode === null).map(({ name }) => name)).toEqual(['Hornillo', 'Islas Hormigas', 'Las Hormigas'])
  expect(warnings).toEqual(['position lies in no municipality'])
  const added = rows.filter(({ source }) => source === 'port_list').map(({ name }) => name)
  expect(added).toEqual(expect.arrayContaining(['Dénia', 'La Savina', 'Los Cristianos', 'San Sebastián de La Gomera', 'Melilla', 'Tarifa']))
  expect(indexed.find(({ locode }) => locode === 'ESLCG')).toMatchObject({ name: 'A Coruña', published_name: 'La Coruna' })
})

test.skipIf(!shared)('our list and the index agree on where ports are, and have each port of the recorded hand list', async () => {
  const { rows } = await recorded()
  const nearest = (to: Point): number => Math.min(...rows.map(({ position }) => distanceM(position as Point, to)))
  const indexed = new Map(rows.flatMap((row) => (row['source'] === 'world_port_index' ? [[row['port_id'], row['position'] as Point]] : [])))
  const inBoth = LISTED_PORTS.filter(({ isIndexed }) => isIndexed)
  const away = inBoth.map(({ id, position }) => [id, distanceM(indexed.get(id) as Point, position)] as const)
  expect(away.filter(([, metres]) => metres > 8_000)).toEqual([])
  const lines = readFileSync(join(shared as string, 'feeds/ports/CoordenadasPuertos.csv'), 'utf8')
    .trim()
    .split(/\r?\n/)
    .slice(1)
  expect(lines).toHaveLength(33)
  const missing = lines.filter((line) => {
    const [, , lat, lon] = line.split(',')
    return nearest({ lat: Number(lat), lon: Number(lon) }) > 15_000
  })
  expect(missing).toEqual([])
})
