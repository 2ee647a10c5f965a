import { defineCodes } from '../../schema/codes.ts'
import { col, orNull } from '../../schema/columns.ts'
import { maritimeDataset } from '../domains.ts'
import { portList, worldPortIndex } from './sources.ts'

/** Size of a harbour, as the World Port Index grades it. */
export const HARBOR_SIZES = defineCodes('harbor_size', 'Size of a harbour by its area, facilities and wharf space.', {
  LARGE: ['Grande', 'Large'],
  MEDIUM: ['Mediano', 'Medium'],
  SMALL: ['Pequeño', 'Small'],
  VERY_SMALL: ['Muy pequeño', 'Very small'],
})

/** Kind of a harbour, as the World Port Index has it. */
export const HARBOR_TYPES = defineCodes('harbor_type', 'Kind of harbour by how it is sheltered.', {
  COASTAL_NATURAL: ['Costero natural', 'Coastal, natural'],
  COASTAL_BREAKWATER: ['Costero con dique', 'Coastal, breakwater'],
  COASTAL_TIDE_GATE: ['Costero con esclusa de marea', 'Coastal, tide gate'],
  RIVER_NATURAL: ['Fluvial natural', 'River, natural'],
  RIVER_BASINS: ['Fluvial con dársenas', 'River, basins'],
  RIVER_TIDE_GATE: ['Fluvial con esclusa de marea', 'River, tide gate'],
  CANAL_OR_LAKE: ['Canal o lago', 'Canal or lake'],
  OPEN_ROADSTEAD: ['Rada abierta', 'Open roadstead'],
  TYPHOON_HARBOR: ['Refugio de tifones', 'Typhoon harbour'],
})

const depth = (id: number, about: string, example: number) =>
  col.decimal(id, about, { scale: 1, unit: 'm', nullable: true, example, min: 0, max: 200 })

/** Spanish ports: the World Port Index, plus the ports that it lacks from our own list. */
export const ports = maritimeDataset({
  id: 'ports',
  title: 'Ports',
  about: 'Spanish ports: official name, UN/LOCODE, position, size, depths and supplies.',
  sources: [worldPortIndex, portList],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'world_port_index' }),
    port_id: col.string(2, 'UN/LOCODE; `WPI` and the index number if the port has none.', { example: 'ESBCN' }),
    observed_at: col.instant(3, 'Fetch that gave this state.', { example: '2026-11-25T06:00:00.000Z' }),
    name: col.string(4, 'Official name if our list has it, else the name as published.', { example: 'Barcelona' }),
    published_name: col.string(5, 'Name in the World Port Index, which has no accents.', orNull('Barcelona')),
    alternate_name: col.string(6, 'Other names.', orNull(null)),
    locode: col.string(7, 'UN/LOCODE without a space.', orNull('ESBCN')),
    wpi_number: col.string(8, 'World Port Index number.', orNull('38550')),
    port_authority: col.string(9, 'Port authority; only for ports of general interest.', orNull('Barcelona')),
    position: col.point([10, 11], 'Position; the World Port Index rounds it to the minute.', orNull({ lat: 41.35, lon: 2.166667 })),
    province_code: col.string(12, 'INE code of the province that contains the position, or the nearest one.', orNull('08')),
    municipality_code: col.string(13, 'INE code of the municipality, by the same rule.', orNull('08019')),
    harbor_size: col.code(14, 'Size of the harbour.', HARBOR_SIZES, orNull('LARGE')),
    harbor_type: col.code(15, 'Kind of harbour.', HARBOR_TYPES, orNull('COASTAL_BREAKWATER')),
    channel_depth_m: depth(16, 'Depth of the channel.', 9.4),
    anchorage_depth_m: depth(17, 'Depth of the anchorage.', 23.2),
    cargo_pier_depth_m: depth(18, 'Depth at the cargo pier.', 15.5),
    tidal_range_m: depth(19, 'Mean tidal range.', 1),
    has_ro_ro: col.boolean(20, 'Whether there are facilities for roll-on/roll-off ships; null if unknown.', orNull(null)),
    has_fuel_oil: col.boolean(21, 'Whether fuel oil is supplied; null if unknown.', orNull(true)),
    has_diesel_oil: col.boolean(22, 'Whether diesel oil is supplied; null if unknown.', orNull(true)),
  },
  entity: ['source', 'port_id'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'missing',
})
