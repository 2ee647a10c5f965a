import { ports } from '../../../lake/datasets/maritime/ports.ts'
import { portList, worldPortIndex } from '../../../lake/datasets/maritime/sources.ts'
import { LISTED_PORTS, listedPort } from '../../../lake/places/ports.ts'
import { readCsv } from '../../formats/csv.ts'
import { decodeText } from '../../formats/text.ts'
import { type FeedBody, FormatError } from '../define.ts'
import { foldedName } from '../kit/binder.ts'
import { csvFile, type RecordFile, recordFeed } from '../kit/record-feed.ts'

const SIZES = { Large: 'LARGE', Medium: 'MEDIUM', Small: 'SMALL', 'Very Small': 'VERY_SMALL' }
const TYPES = {
  'Coastal (Natural)': 'COASTAL_NATURAL',
  'Coastal (Breakwater)': 'COASTAL_BREAKWATER',
  'Coastal (Tide Gate)': 'COASTAL_TIDE_GATE',
  'River (Natural)': 'RIVER_NATURAL',
  'River (Basins)': 'RIVER_BASINS',
  'River (Tide Gate)': 'RIVER_TIDE_GATE',
  'Canal or Lake': 'CANAL_OR_LAKE',
  'Open Roadstead': 'OPEN_ROADSTEAD',
  'Typhoon Harbor': 'TYPHOON_HARBOR',
}
/** Columns of the index that are not read. */
const NOT_READ = [
  'Region Name | World Water Body | Sailing Direction or Publication | Publication Link | Standard Nautical Chart',
  'IHO S-57 Electronic Navigational Chart | IHO S-101 Electronic Navigational Chart | Digital Nautical Chart',
  'Entrance Width (m) | Oil Terminal Depth (m) | Liquified Natural Gas Terminal Depth (m) | Maximum Vessel Length (m)',
  'Maximum Vessel Beam (m) | Maximum Vessel Draft (m) | Offshore Maximum Vessel Length (m)',
  'Offshore Maximum Vessel Beam (m) | Offshore Maximum Vessel Draft (m) | Harbor Use | Shelter Afforded',
  'Entrance Restriction - Tide | Entrance Restriction - Heavy Swell | Entrance Restriction - Ice',
  'Entrance Restriction - Other | Overhead Limits | Underkeel Clearance Management System | Good Holding Ground',
  'Turning Area | Port Security | Estimated Time of Arrival Message | Quarantine - Pratique | Quarantine - Sanitation',
  'Quarantine - Other | Traffic Separation Scheme | Vessel Traffic Service | First Port of Entry | US Representative',
  'Pilotage - Compulsory | Pilotage - Available | Pilotage - Local Assistance | Pilotage - Advisable | Tugs - Salvage',
  'Tugs - Assistance | Communications - Telephone | Communications - Telefax | Communications - Radio',
  'Communications - Radiotelephone | Communications - Airport | Communications - Rail | Search and Rescue | NAVAREA',
  'Facilities - Wharves | Facilities - Anchorage | Facilities - Dangerous Cargo Anchorage | Facilities - Med Mooring',
  'Facilities - Beach Mooring | Facilities - Ice Mooring | Facilities - Solid Bulk | Facilities - Liquid Bulk',
  'Facilities - Container | Facilities - Breakbulk | Facilities - Oil Terminal | Facilities - LNG Terminal',
  'Facilities - Other | Medical Facilities | Garbage Disposal | Chemical Holding Tank Disposal | Degaussing',
  'Dirty Ballast Disposal | Cranes - Fixed | Cranes - Mobile | Cranes - Floating | Cranes - Container | Lifts - 100+ Tons',
  'Lifts - 50-100 Tons | Lifts - 25-49 Tons | Lifts - 0-24 Tons | Services - Longshoremen | Services - Electricity',
  'Services - Steam | Services - Navigation Equipment | Services - Electrical Repair | Services - Ice Breaking',
  'Services - Diving | Supplies - Provisions | Supplies - Potable Water | Supplies - Aviation Fuel | Supplies - Deck',
  'Supplies - Engine | Repairs | Dry Dock | Railway',
].flatMap((line) => line.split(' | '))
const MAX_BYTES = 16_000_000

/**
 * Spain's ports of the World Port Index, by its header (copies spell it in several ways), with the official names of our list;
 * then the ports of the list that the index lacks.
 */
export const worldPortIndexFeed = recordFeed(
  {
    id: 'world_port_index',
    source: worldPortIndex,
    into: ports,
    every_s: 7 * 86_400,
    get: {
      name: 'ports',
      url: 'https://msi.nga.mil/api/publications/download?type=view&key=16920959/SFH00000/UpdatedPub150.csv',
      maxBytes: MAX_BYTES,
      timeout_ms: 120_000,
      expects: 'csv',
    },
    freshBy: 'fetch',
    band: { atLeast: 40 },
    columns: {
      number: 'World Port Index Number',
      name: 'Main Port Name',
      alternate: 'Alternate Port Name',
      locode: 'UN/LOCODE',
      latitude: 'Latitude',
      longitude: 'Longitude',
      size: 'Harbor Size',
      type: 'Harbor Type',
      channel: 'Channel Depth (m)',
      anchorage: 'Anchorage Depth (m)',
      pier: 'Cargo Pier Depth (m)',
      tide: 'Tidal Range (m)',
      roRo: 'Facilities - Ro-Ro',
      fuelOil: 'Supplies - Fuel Oil',
      dieselOil: 'Supplies - Diesel Oil',
    },
    needs: ['number', 'name', 'latitude', 'longitude'],
    knows: ['Country Code', ...NOT_READ],
    emptyValues: ['Unknown', 'None'],
    row: (r) => {
      const locode = r.text('locode')?.replaceAll(' ', '') ?? null
      const number = r.text('number')
      const isIndexed = /^\d+$/.test(number)
      const name = r.text('name')
      const port_id = locode ?? (isIndexed ? `WPI${number}` : number)
      const listed = listedPort(port_id)
      const metres = (field: 'channel' | 'anchorage' | 'pier' | 'tide'): number | null => r.number(field) || null
      const flag = (field: 'roRo' | 'fuelOil' | 'dieselOil'): boolean | null => {
        const text = r.cell(field)
        return text === null ? null : text === 'Yes'
      }
      const other = [...(listed?.aliases ?? []), ...(r.text('alternate')?.split(';') ?? [])].map((one) => one.trim())
      return {
        source: isIndexed ? worldPortIndex.id : portList.id,
        port_id,
        name: listed?.name ?? name,
        published_name: isIndexed ? name : null,
        alternate_name: [...new Set(other)].join('; ') || null,
        locode,
        wpi_number: isIndexed ? number : null,
        port_authority: listed?.authority ?? null,
        ...r.place({ position: r.position('latitude', 'longitude') }),
        harbor_size: r.code('size', SIZES),
        harbor_type: r.code('type', TYPES),
        channel_depth_m: metres('channel'),
        anchorage_depth_m: metres('anchorage'),
        cargo_pier_depth_m: metres('pier'),
        tidal_range_m: metres('tide'),
        has_ro_ro: flag('roRo'),
        has_fuel_oil: flag('fuelOil'),
        has_diesel_oil: flag('dieselOil'),
      }
    },
  },
  (bodies) => bodies.map(openIndex),
)

/** Reads the index: its Spanish ports, then those of our list that it lacks, with our id in place of a number. */
function openIndex({ name, bytes }: FeedBody): RecordFile {
  const table = readCsv(decodeText(bytes), { delimiter: ',', requires: [], endsLines: true })
  const { header, records } = table
  const columnAt = (column: string): number => header.findIndex((one) => foldedName(one) === foldedName(column))
  const [country, locode] = [columnAt('Country Code'), columnAt('UN/LOCODE')]
  if (country < 0) throw new FormatError(`${name} has no Country Code`)
  const spanish = records.filter((record) => record[country]?.trim() === 'Spain')
  if (spanish.length === 0) throw new FormatError(`${name} has no port of Spain`)
  const indexed = new Set(spanish.map((record) => record[locode]?.replaceAll(' ', '')))
  const columns = LISTED.map(columnAt)
  const added = LISTED_PORTS.filter(({ id, isIndexed }) => !isIndexed && !indexed.has(id)).map(({ id, name: official, position }) => {
    const values = [id, official, id.includes('-') ? '' : id, String(position.lat), String(position.lon)]
    return header.map((_, at) => values[columns.indexOf(at)] ?? '')
  })
  return csvFile(name, { ...table, records: [...spanish, ...added] })
}

const LISTED = ['World Port Index Number', 'Main Port Name', 'UN/LOCODE', 'Latitude', 'Longitude']
