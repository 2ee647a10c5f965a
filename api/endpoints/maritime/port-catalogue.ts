import { ports } from '../../../lake/datasets/maritime/ports.ts'
import { distanceM } from '../../../lake/places/distance.ts'
import { metresTo, placeAt } from '../../../lake/places/municipalities.ts'
import { foldName } from '../../../lake/places/names.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import type { Row } from '../../../lake/schema/dataset.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { defineCachedQuery } from '../../kernel/reads/cached-query.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { keyOf } from '../transit/service-day.ts'
import type { FerryConnection, FerryTerminal } from './ferry-network.ts'

type ListedRow = Row<typeof ports>

/** A port from the lists, or added because ferries call there. */
export interface Port {
  readonly id: string
  readonly name: string
  readonly position: Point | null
  readonly province_code: string | null
  readonly municipality_code: string | null
  /** Its list data; null for a port that only a ferry timetable has. */
  readonly listed: ListedRow | null
  /** Ferry routes that call there, one per direction. */
  readonly connections: readonly FerryConnection[]
}

/** The newest state of each listed port, for replies about ferries; empty without lists. Its only key is the empty string. */
export const listedPorts = defineCachedQuery<readonly ListedRow[]>({
  name: 'listed ports',
  from: [ports],
  read: ({ all }) =>
    all<ListedRow>(
      sql`
        SELECT * FROM ${scan(ports)}
        QUALIFY row_number() OVER (PARTITION BY source, port_id ORDER BY observed_at DESC, is_baseline) = 1
        ORDER BY source, port_id`,
      tableColumns(ports),
    ),
})

/** The ports, and the port of each terminal by its network and stop. */
export interface PortCatalogue {
  readonly ports: ReadonlyMap<string, Port>
  readonly portOf: (terminal: FerryTerminal) => Port
}

/**
 * A terminal within this distance of a port with the same name is in it: the index rounds to the minute, and harbours are long.
 */
const NAMED_M = 15_000
/** Without a common name, a terminal is in a port only within this distance: Nador's is 1.4 km from Melilla's. */
const UNNAMED_M = 700

/** Accuracy of the atlas, some 200 m. A port abroad may be next to Spain, as Nador's is to Melilla. */
const SHORE_M = 200

/** The listed ports with their ferry terminals; a terminal in none of them is its own port. */
export const portCatalogue = memo((rows: readonly ListedRow[], connections: readonly FerryConnection[]): PortCatalogue => {
  const listed = rows.map((row) => ({ row, names: namesOf(row) }))
  const calls = new Map<string, Set<FerryConnection>>()
  const byTerminal = new Map<string, string>()
  const added = new Map<string, FerryTerminal>()
  for (const connection of connections)
    for (const terminal of connection.terminals) {
      const key = keyOf(terminal.network, terminal.stop_id)
      const id = byTerminal.get(key) ?? portIn(terminal, listed) ?? addedPort(terminal, added)
      byTerminal.set(key, id)
      calls.set(id, (calls.get(id) ?? new Set()).add(connection))
    }
  const own = (id: string): readonly FerryConnection[] => [...(calls.get(id) ?? [])]
  const found = new Map<string, Port>()
  for (const { row } of listed)
    found.set(row.port_id, {
      ...{ id: row.port_id, name: row.name, position: row.position, listed: row, connections: own(row.port_id) },
      ...{ province_code: row.province_code, municipality_code: row.municipality_code },
    })
  for (const [id, { name, position }] of added) {
    found.set(id, { id, name, position, ...placeOf(position), listed: null, connections: own(id) })
  }
  return { ports: found, portOf: (terminal) => found.get(byTerminal.get(keyOf(terminal.network, terminal.stop_id)) as string) as Port }
})

interface Named {
  readonly row: ListedRow
  readonly names: readonly string[]
}

/** The id of the listed port of a terminal: the nearest with a name in common, else one in the immediate vicinity. */
function portIn({ name, position }: FerryTerminal, listed: readonly Named[]): string | null {
  if (position === null) return null
  const words = ` ${foldName(name)} `
  const near = listed.flatMap(({ row, names }) => {
    const away_m = row.position === null ? Number.POSITIVE_INFINITY : distanceM(row.position, position)
    const isNamed = names.some((one) => words.includes(` ${one} `))
    return away_m <= (isNamed ? NAMED_M : UNNAMED_M) ? [{ id: row.port_id, isNamed, away_m }] : []
  })
  near.sort((one, other) => Number(other.isNamed) - Number(one.isNamed) || one.away_m - other.away_m)
  return near[0]?.id ?? null
}

/** The id of a port outside the lists: that of another operator's terminal in the immediate vicinity, else its own. */
function addedPort(terminal: FerryTerminal, added: Map<string, FerryTerminal>): string {
  const { network, position } = terminal
  for (const [id, other] of added)
    if (other.network !== network && position && other.position && distanceM(position, other.position) <= UNNAMED_M) return id
  const id = `FERRY-${foldName(terminal.name).replaceAll(' ', '-').toUpperCase()}`
  added.set(id, terminal)
  return id
}

/** Province and municipality of a port that may be abroad; null outside of all provinces. */
function placeOf(position: Point | null): Pick<Port, 'province_code' | 'municipality_code'> {
  const abroad = { province_code: null, municipality_code: null }
  if (position === null) return abroad
  const place = placeAt(position)
  return place.province_code !== null && (metresTo(place.province_code, position) ?? 0) <= SHORE_M ? place : abroad
}

function namesOf({ name, published_name, alternate_name }: ListedRow): readonly string[] {
  const names = [name, published_name, ...(alternate_name?.split('; ') ?? [])]
  return names.flatMap((one) => (one ? [foldName(one)] : [])).filter((one) => one !== '')
}
