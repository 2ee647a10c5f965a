import { FERRY_OPERATORS } from '../../../lake/datasets/maritime/ferry-codes.ts'
import { ports } from '../../../lake/datasets/maritime/ports.ts'
import { foldName } from '../../../lake/places/names.ts'
import { isIsland, isWithinRegion, regionOf } from '../../../lake/places/regions.ts'
import { madridDate } from '../../../lake/schema/time.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { onlyOfRows } from '../../kernel/example.ts'
import { record } from '../../kernel/fields.ts'
import { booleanParam, codeParam, textParam, withDefault } from '../../kernel/params/params.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import { appliedByRead, columnFilter } from '../../kernel/reads/filter.ts'
import { nearest } from '../../kernel/reads/suggest.ts'
import { type FerryConnection, ferryNetwork } from './ferry-network.ts'
import { ferryRouteFields, ferryRouteOf } from './ferry-route.ts'
import { ferryFeeds, ferryTimetables } from './ferry-timetables.ts'
import { listedPorts, type Port, type PortCatalogue, portCatalogue } from './port-catalogue.ts'

/** The next sailing changes with the clock: at most a minute late. */
export const CLOCK_S = 60

const portParam = (what: string, example: string) =>
  textParam(`Only routes ${what} a port: its id, words of its name, or an island; accents and case are ignored.`, { max: 60, example })

/** Ferry routes. */
export const ferryList = defineEndpoint({
  path: '/api/maritimo/ferries',
  domain: 'maritime',
  plan: 'FREE',
  summary: 'Ferry routes with operator, frequency, duration and next sailing',
  summary_es: 'Rutas de ferri con operador, frecuencia, duración y próxima salida',
  about:
    'Routes of the timetables in force today and of later ones that are published already, one per direction. Frequencies are counted from trips and calendar. By default only routes with a future sailing; in_service=false shows the others.',
  params: {},
  filters: [
    appliedByRead('origin', portParam('from', 'Dénia')),
    appliedByRead('destination', portParam('to', 'Ibiza')),
    columnFilter('operator', codeParam('Operator.', FERRY_OPERATORS, { example: 'BALEARIA' }), 'operator'),
    columnFilter(
      'in_service',
      withDefault(booleanParam('Only routes with a future sailing (true) or without (false).'), true),
      'in_service',
    ),
  ],
  returns: listReturn('routes', record('FerryRoute', 'A ferry route in one direction.', ferryRouteFields), {
    sorts: ['id', 'origin', 'destination', 'duration_s', 'sailings_per_week', 'next_sailing_at'],
  }),
  read: {
    kind: 'memory',
    from: [],
    lake: [...ferryTimetables.all, ports],
    needs: ferryTimetables.all,
    parts: ({ operator }) => ferryFeeds(operator),
    clockGranularity_s: CLOCK_S,
    answer: async ({ cached: slice }, { origin, destination }, now) => {
      const { connections } = await slice(ferryNetwork, madridDate(now))
      const catalogue = portCatalogue(await slice(listedPorts, ''), connections)
      const [from, to] = [portsOf('origin', origin, catalogue), portsOf('destination', destination, catalogue)]
      return connections
        .filter(({ calls }) => isAt(calls[0], from, catalogue) && isAt(calls.at(-1), to, catalogue))
        .map((connection) => ferryRouteOf(connection, catalogue, now))
    },
  },
  example: { origin: 'Dénia', in_service: onlyOfRows('false') },
})

function isAt(
  terminal: FerryConnection['calls'][number] | undefined,
  wanted: ReadonlySet<Port> | null,
  { portOf }: PortCatalogue,
): boolean {
  return wanted === null || (terminal !== undefined && wanted.has(portOf(terminal)))
}

/** The ports with ferries that match an id or words; null without a text. Throws `InvalidParam` without a match. */
function portsOf(parameter: string, text: string | null, { ports: all }: PortCatalogue): ReadonlySet<Port> | null {
  if (text === null) return null
  const withFerries = [...all.values()].filter(({ connections }) => connections.length > 0)
  const byId = withFerries.filter(({ id }) => id.toLowerCase() === text.toLowerCase())
  const found = byId.length > 0 ? byId : bestNamed(withFerries, text)
  if (found.length > 0) return new Set(found)
  const names = withFerries.map(({ name }) => name).sort()
  throw new InvalidParam(`expected a port with ferries: ${names.join(', ')}`, {
    ...{ parameter, value: text, allowed: names, near: () => nearest(text, names) },
  })
}

/** The ports that a text names: wholly, else those of its island, else by first words, by any words, or by their beginnings. */
function bestNamed(all: readonly Port[], text: string): readonly Port[] {
  const folded = foldName(text)
  const wanted = folded.split(' ').filter((word) => word !== '')
  if (wanted.length === 0) return []
  const region = regionOf(text)
  const onIsland = region && isIsland(region) ? isWithinRegion(region) : () => false
  const named =
    (isNamed: (name: string) => boolean) =>
    ({ name, listed }: Port): boolean =>
      [name, listed?.alternate_name ?? '', ...name.split('/')].map(foldName).some(isNamed)
  const tiers: readonly ((port: Port) => boolean)[] = [
    named((name) => name === folded),
    onIsland,
    named((name) => name.startsWith(`${folded} `)),
    named((name) => wanted.every((one) => name.split(' ').includes(one))),
    named((name) => wanted.every((one) => name.split(' ').some((word) => word.startsWith(one)))),
  ]
  return tiers.map((isMeant) => all.filter(isMeant)).find((found) => found.length > 0) ?? []
}
