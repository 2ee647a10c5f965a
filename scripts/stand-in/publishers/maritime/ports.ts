import { foldName } from '../../../../lake/places/names.ts'
import { LISTED_PORTS, type ListedPort } from '../../../../lake/places/ports.ts'
import { capturesNamed } from '../../define.ts'
import { fixtureStandIn } from '../../fixture.ts'

/** Positions are rounded to the minute. */
const toMinute = (degrees: number): number => Math.round(degrees * 60) / 60

/** The National Geospatial-Intelligence Agency, for its World Port Index. */
export const nga = fixtureStandIn<ListedPort>('world_port_index', {
  file: 'ports.csv',
  items: () => LISTED_PORTS.filter(({ isIndexed }) => isIndexed),
  fields: {
    'World Port Index Number': (_number, { item }) => 37_270 + 10 * LISTED_PORTS.indexOf(item),
    MAIN_PORT_NAME: (_name, { item }) => foldName(item.name).replace(/(^| )\w/g, (letter) => letter.toUpperCase()),
    'Alternate Port Name': () => ' ',
    'UN/LOCODE': (_code, { item }) => `ES ${item.id.slice(2)}`,
    'Country Code': () => 'Spain',
    LATITUDE: (_lat, { item }) => toMinute(item.position.lat),
    LONGITUDE: (_lon, { item }) => toMinute(item.position.lon),
  },
  captures: {
    folder: 'ports',
    // UpdatedPub150_world_port_index.csv.gz: the day of its download is unknown.
    capturedAt: capturesNamed(/^UpdatedPub150/, '2024-01-01'),
  },
})
