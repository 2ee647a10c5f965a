import { afterAll, beforeAll, expect, test } from 'vitest'
import { railStock } from '../../../../lake/datasets/rail/stock.ts'
import { railFleet } from '../../../../lake/datasets/rail/trains.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** The end of the landed data. */
const END = Date.UTC(2026, 2, 29, 12)
/** Just before midnight in Madrid, and an hour later: two days. */
const EVENING = Date.UTC(2026, 2, 20, 22, 40)

const dated = (at: number): string => new Date(at).toISOString()

/** A train of the map, at several times. */
function seen(train_number: string, values: AnyRow, ...instants: readonly number[]): AnyRow[] {
  return instants.map((observed_at) => exampleTableRow(railFleet, { source_id: train_number, train_number, observed_at, ...values }))
}

const northern = { corridor: 'Madrid - Vitoria - Irún', product: 'MD', is_accessible: false }
const commuter = { network: 'CERCANIAS', line: 'C1', corridor: null, product: null, vehicle_numbers: [], series: [] }
const fleet: readonly AnyRow[] = [
  // One run of one unit, polled three times; a second run on the next day, of two units.
  ...seen(
    '18014',
    { ...northern, vehicle_numbers: ['449046'], series: ['449'] },
    END - 5 * DAY,
    END - 5 * DAY + MINUTE,
    END - 5 * DAY + 2 * HOUR,
  ),
  ...seen('18014', { ...northern, vehicle_numbers: ['449034', '449042'], series: ['449'] }, END - 4 * DAY),
  // Another train of two series, one of them missing in the list; the map marks it as accessible. It runs past midnight.
  ...seen(
    '18016',
    { ...northern, is_accessible: true, vehicle_numbers: ['449046', '106012', '6B2'], series: ['449', '106'] },
    EVENING,
    EVENING + HOUR,
  ),
  // Two units, and later that day one of them: one run.
  ...seen('18014', { ...northern, vehicle_numbers: ['449042'], series: ['449'] }, END - 4 * DAY + HOUR),
  // A vehicle without a number and one before the thirty days are not counted; commuter trains have no vehicle numbers.
  ...seen('18099', { ...northern, vehicle_numbers: ['6B2'], series: [] }, END - 3 * DAY),
  ...seen('19799', { ...commuter, nucleo_code: '10', is_accessible: true }, END - DAY, END - DAY + MINUTE),
  ...seen('19801', { ...commuter, nucleo_code: '10', is_accessible: false }, END - DAY),
  ...seen('19803', { ...commuter, nucleo_code: '10', is_accessible: null }, END - DAY),
  ...seen('26001', { ...commuter, nucleo_code: '60', is_accessible: true }, END - DAY),
  ...seen('18014', { ...northern, vehicle_numbers: ['120001'], series: ['120'] }, END - 31 * DAY),
  // Another line; one of its trains has a series of two models.
  ...seen(
    '03070',
    { corridor: 'Madrid PA - Barcelona', product: 'AVLO', is_accessible: null, vehicle_numbers: ['112003'], series: ['112'] },
    END - 1,
  ),
]
const model = (name: string, series: string | null, values: AnyRow = {}): AnyRow =>
  exampleTableRow(railStock, { model: name, series, observed_at: END - 90 * DAY, ...values })
const models: readonly AnyRow[] = [
  model('Media Distancia R-449', '449', { seats_min: 250, seats_max: 250 }),
  // Its newest state counts.
  model('Media Distancia R-449', '449', { observed_at: END - 80 * DAY }),
  model('AVE Serie 112', '112', { purpose: 'Pasajeros - Alta Velocidad', stock_type: 'HIGH_SPEED', seats_min: 365, seats_max: 365 }),
  model('AVLO Serie 112M', '112', { purpose: 'Pasajeros - Alta Velocidad', stock_type: 'HIGH_SPEED', seats_min: 438, seats_max: 438 }),
  model('Media Distancia R-592', '592', { seats_min: 228, seats_max: 228 }),
  model('Media Distancia R-592', '592', { purpose: 'Pasajeros - Cercanías', stock_type: 'COMMUTER', seats_min: 200, seats_max: 200 }),
  model('Trenhotel', null, { seats_min: null, seats_max: null, stock_type: 'LONG_DISTANCE' }),
]

let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => END + MINUTE })
  await service.land(railFleet, fleet, END)
  await service.land(railStock, models, END)
})
afterAll(() => service?.close())

const uses = async (query = ''): Promise<Reply[]> => (await service.json(`/api/trenes/flota?${query}`)).fleet
const stock = async (query = ''): Promise<unknown[]> =>
  (await uses(query)).map(({ line, product, series, observations, share_pct }) => [line, product, series, observations, share_pct])

const NORTH = 'Madrid - Vitoria - Irún'

test('series per line by runs, then the models that were seen nowhere', async () => {
  const reply = await service.json('/api/trenes/flota?total=exact')
  expect(reply.meta.sources.map(({ id, commercial_use }: Reply) => [id, commercial_use])).toEqual([
    ['renfe_visor', 'unknown'],
    ['renfe', 'yes'],
  ])
  expect([reply.total, reply.meta.covered_until]).toEqual([5, dated(END)])
  expect(await stock()).toEqual([
    // Two days of the first train, two of the second by Madrid's clock.
    [NORTH, 'MD', '449', 4, 100],
    [NORTH, 'MD', '106', 2, 50],
    ['Madrid PA - Barcelona', 'AVLO', '112', 1, 100],
    [null, null, '592', 0, null],
    [null, null, null, 0, null],
  ])
})

test('the series of a line: seats, accessibility as far as published, models', async () => {
  const [north, other, barcelona, unseen, without] = await uses()
  expect(north).toMatchObject({
    network: 'AVLDMD',
    operator: 'RENFE',
    trains: 2,
    vehicles: 3,
    accessible_pct: 50,
    first_seen_at: dated(EVENING),
    last_seen_at: dated(END - 4 * DAY + HOUR),
    stock_type: 'MEDIUM_DISTANCE',
    seats_min: 257,
    seats_max: 257,
    models: [{ model: 'Media Distancia R-449', seats_min: 257, gauges_mm: [1668], mass_t: 172.2, is_accessible: null }],
  })
  // Seen and in no list: nothing is made up.
  expect(other).toMatchObject({
    series: '106',
    vehicles: 1,
    accessible_pct: 100,
    stock_type: null,
    seats_min: null,
    seats_max: null,
    models: [],
  })
  expect(barcelona).toMatchObject({ stock_type: 'HIGH_SPEED', seats_min: 365, seats_max: 438, accessible_pct: null })
  expect(barcelona.models.map((one: Reply) => one.model)).toEqual(['AVE Serie 112', 'AVLO Serie 112M'])
  expect(unseen).toMatchObject({
    network: null,
    stock_type: null,
    seats_min: 200,
    seats_max: 228,
    first_seen_at: null,
    trains: 0,
    vehicles: 0,
  })
  expect(without).toMatchObject({ series: null, models: [{ model: 'Trenhotel' }], seats_min: null })
})

test('chosen by line, product, network, series and operator', async () => {
  const north = [
    [NORTH, 'MD', '449', 4, 100],
    [NORTH, 'MD', '106', 2, 50],
  ]
  expect(await stock(`line=${encodeURIComponent('madrid - vitoria - IRUN')}`)).toEqual(north)
  expect(await stock('product=MD,AVE')).toEqual(north)
  expect(await stock('network=AVLDMD')).toHaveLength(3)
  // Shares are of the line, whatever the series.
  expect(await stock('series=106')).toEqual([[NORTH, 'MD', '106', 2, 50]])
  expect(await stock('series=592,112&operator=RENFE')).toEqual([
    ['Madrid PA - Barcelona', 'AVLO', '112', 1, 100],
    [null, null, '592', 0, null],
  ])
  // Each was seen, but none on the other's line.
  expect(await stock(`series=112&line=${encodeURIComponent(NORTH)}`)).toEqual([])
})

test('a commuter line has its runs in each núcleo, without series: the map states no vehicle numbers of its trains', async () => {
  const madrid = { network: 'CERCANIAS', nucleo_code: '10', line: 'C1', series: null, vehicles: 0, share_pct: null, models: [] }
  expect(await uses('line=c1')).toMatchObject([
    // Of two runs that state it, one is accessible.
    { ...madrid, observations: 3, trains: 3, accessible_pct: 50, last_seen_at: dated(END - DAY + MINUTE) },
    { ...madrid, nucleo_code: '60', observations: 1, trains: 1, accessible_pct: 100 },
  ])
  for (const query of ['line=C1&nucleo=10', 'network=CERCANIAS&line=C1&nucleo=10', 'nucleo=10'])
    expect([query, await uses(query)]).toEqual([query, [expect.objectContaining({ ...madrid, observations: 3 })]])
  expect(await uses('network=CERCANIAS')).toHaveLength(2)
  expect(await stock('line=C1&series=449')).toEqual([])
  expect((await stock()).filter((row) => (row as unknown[])[0] === 'C1')).toEqual([])
})

test.each([
  [
    'line=Madrid',
    'line',
    'a commuter line, or a corridor with vehicle numbers, on the map in the 30 days: C1, Madrid - Vitoria - Irún, Madrid PA',
  ],
  ['nucleo=30', 'nucleo', 'expected a núcleo on the map in the 30 days: 10, 60'],
  ['series=120', 'series', 'expected a series seen in the 30 days or in the list of models: 106, 112, 449, 592'],
  ['series=120,121', 'series', 'got "120"'],
  ['product=EUROMED', 'product', 'expected a product with vehicle numbers on the map in the 30 days: AVLO, MD'],
  ['network=FGC', 'network', 'expected a network on the map in the 30 days: AVLDMD, CERCANIAS'],
])('%s, which was never seen, is refused and not answered with nothing', async (query, parameter, expected) => {
  const response = await service.get(`/api/trenes/flota?${query}`)
  const problem = (await response.json()) as Reply
  expect([response.status, problem.code, problem.errors[0].parameter]).toEqual([400, 'invalid-parameter', parameter])
  expect(problem.errors[0].detail).toContain(expected)
  expect(problem.errors[0].value).toBe(query.split(/[=,]/)[1])
  expect((await service.ask(`/api/trenes/flota?${query}`, { method: 'HEAD' })).status).toBe(400)
})

test('pages hold each series once, nulls among the keys', async () => {
  const found: unknown[] = []
  let path = '/api/trenes/flota?limit=1&sort=observations'
  for (let page = 0; page < 6 && path; page++) {
    const reply = await service.json(path)
    found.push(...reply.fleet.map(({ line, series }: Reply) => [line, series]))
    path = reply.next_cursor ? `/api/trenes/flota?limit=1&sort=observations&cursor=${encodeURIComponent(reply.next_cursor)}` : ''
  }
  expect(found).toHaveLength(5)
  expect(new Set(found.map((one) => JSON.stringify(one))).size).toBe(5)
})

test.each([
  ['series=44', 'series'],
  ['series=AVE', 'series'],
  ['operator=OUIGO', 'operator'],
  ['network=METRO', 'network'],
  ['product=TGV', 'product'],
])('%s is refused', async (query, parameter) => {
  const response = await service.get(`/api/trenes/flota?${query}`)
  expect([response.status, ((await response.json()) as Reply).errors[0].parameter]).toEqual([400, parameter])
})

test('before a map has landed nothing is known; with one that has no trains the list of models is left', async () => {
  const empty = await startService({ clock: () => END + MINUTE })
  try {
    await empty.land(railStock, models, END)
    expect(await empty.json('/api/trenes/flota')).toMatchObject({ status: 404, code: 'no-data-yet' })
    await empty.land(railFleet, [], END)
    const reply = await empty.json('/api/trenes/flota')
    expect(reply.fleet.map(({ series, observations }: Reply) => [series, observations])).toEqual([
      ['592', 0],
      ['449', 0],
      ['112', 0],
      [null, 0],
    ])
  } finally {
    await empty.close()
  }
})
