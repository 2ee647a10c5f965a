import { describe, expect, test } from 'vitest'
import { cheapestIn } from '../../../../api/browser/map/cheapest.ts'
import { boundsOf, drawingsOf, longestMove, middleOf, moved } from '../../../../api/browser/map/geometry.ts'
import { during, levelsAt, livesOf, nameOf, placesAt } from '../../../../api/browser/map/history.ts'
import { groupTitle, meaningsOf, NO_VALUE, type Properties, place, setLabels, since } from '../../../../api/browser/map/layers/layer.ts'
import { LAYERS } from '../../../../api/browser/map/layers/layers.ts'
import { trainAt } from '../../../../api/browser/map/layers/layers-live.ts'
import { shieldOf } from '../../../../api/browser/map/layers/signs.ts'
import { type ServerEvent, serverEvents } from '../../../../api/browser/map/server-events.ts'
import { mapPage } from '../../../../api/features/map/map-page.ts'
import { labelsOf } from './page-labels.ts'

const point = (id: string, lon: number, lat: number, properties: Properties = {}): GeoJSON.Feature => ({
  ...{ type: 'Feature', id, properties: { id, ...properties } },
  geometry: { type: 'Point', coordinates: [lon, lat] },
})

describe('features on their way', () => {
  const [before, after] = [[point('a', 0, 40)], [point('a', 1, 42), point('b', 3, 41)]]

  test('are between their two places, and new ones at theirs', () => {
    const { features } = moved(before, after, 0.25)
    expect(features.map(({ geometry }) => (geometry as GeoJSON.Point).coordinates)).toEqual([
      [0.25, 40.5],
      [3, 41],
    ])
  })

  test('are drawn once for each pixel, and at most twelve times a second', () => {
    expect(drawingsOf(0.2, 20)).toBe(1)
    expect(drawingsOf(7.5, 20)).toBe(8)
    expect(drawingsOf(5000, 20)).toBe(240)
  })

  test('a jump is no way', () => {
    expect(longestMove(before, after)).toBe(0)
    expect(longestMove(before, [point('a', 0.1, 40.2)])).toBeCloseTo(0.2)
  })

  test('have a middle and bounds', () => {
    const line = [
      [0, 40],
      [1, 41],
      [2, 40],
    ] as [number, number][]
    expect(middleOf({ type: 'LineString', coordinates: line })).toEqual([1, 41])
    expect(middleOf(null)).toBeNull()
    expect(boundsOf(line)).toEqual([0, 40, 2, 41])
  })
})

test('a group of points says how many there are and, if known, the best of them', () => {
  const titles = LAYERS.flatMap(({ groups }) => {
    if (!groups) return []
    const unknown = { point_count: 37, [groups.by]: NO_VALUE[groups.best] }
    const known = { point_count: 37, price: 1.339, max_power_kw: 150 }
    return [groupTitle(groups, known, 'en'), groupTitle(groups, known, 'es'), groupTitle(groups, unknown, 'es')]
  })
  expect(titles).toEqual([
    ...['37 filling stations, from 1.339 €/l', '37 gasolineras, desde 1,339 €/l', '37 gasolineras'],
    ...['37 charging sites, up to 150 kW', '37 puntos de recarga, hasta 150 kW', '37 puntos de recarga'],
  ])
})

describe('a train', () => {
  const next_stop = { name: 'Utrera', lat: 41, lon: 1, expected_arrival_at: '2026-11-17T11:10:00Z' }
  const at = (minutes: number, of: Properties = {}) =>
    trainAt(
      { observed_at: '2026-11-17T11:00:00Z', vehicle_status: 'IN_TRANSIT_TO', next_stop, ...of },
      [0, 40],
      Date.parse('2026-11-17T11:00:00Z') + 60_000 * minutes,
    )

  test('goes from its reported place to its next stop in the expected time, for five minutes at most', () => {
    expect([at(0), at(1), at(5), at(60), at(-1)]).toEqual([
      [0, 40],
      [0.1, 40.1],
      [0.5, 40.5],
      [0.5, 40.5],
      [0, 40],
    ])
  })

  test('that stands, or whose stop, place or time is unknown, stays', () => {
    const unknown = [{ vehicle_status: 'STOPPED_AT' }, { next_stop: null }, { next_stop: { ...next_stop, lat: null } }]
    const late = { next_stop: { ...next_stop, expected_arrival_at: '2026-11-17T10:59:00Z' } }
    expect([...unknown, late, { next_stop: { ...next_stop, expected_arrival_at: null } }].map((of) => at(3, of))).toEqual([
      null,
      null,
      null,
      null,
      null,
    ])
  })
})

describe('the past', () => {
  const at = (time: string): number => Date.parse(`2026-01-02T${time}:00Z`)
  const iso = (time: string): string => `2026-01-02T${time}:00.000Z`
  const lives = livesOf(
    [
      point('ended', 0, 40, { began_at: iso('08:00'), last_seen_at: iso('09:00') }),
      point('back', 0, 40, { began_at: iso('08:00'), last_seen_at: iso('08:10') }),
    ],
    [
      point('back', 0, 40, { starts_at: null, first_seen_at: iso('08:00') }),
      point('later', 0, 40, { starts_at: iso('10:00') }),
      point('planned', 0, 40, { first_seen_at: iso('09:30'), starts_at: iso('23:00') }),
    ],
  )
  const ids = (time: string) => during(lives, at(time)).features.map(({ id }) => id)

  test('has what was there, once', () => {
    expect(ids('07:59')).toEqual([])
    expect(ids('08:30')).toEqual(['ended', 'back'])
    expect(ids('09:01')).toEqual(['back'])
    // A planned one is shown from when it was published, as now.
    expect(ids('10:00')).toEqual(['back', 'later', 'planned'])
  })

  test('has trains between two positions that are not far apart in time', () => {
    const times = [iso('08:00'), iso('08:10'), iso('09:00')]
    const coordinates = [
      [0, 40],
      [1, 41],
      [5, 45],
    ]
    const train: GeoJSON.Feature = { type: 'Feature', id: 'T', properties: { times }, geometry: { type: 'LineString', coordinates } }
    const places = placesAt([train, { ...train, id: 'U', geometry: null as unknown as GeoJSON.Geometry }])
    const placeAt = (time: string) => places(at(time)).features.map(({ geometry }) => (geometry as GeoJSON.Point).coordinates)
    expect(placeAt('07:59')).toEqual([])
    expect(placeAt('08:00')).toEqual([[0, 40]])
    expect(placeAt('08:05')).toEqual([[0.5, 40.5]])
    expect(placeAt('08:30')).toEqual([])
    expect(placeAt('09:01')).toEqual([])
  })

  test('has sensors with their level of the step', () => {
    const steps = [{ id: 'a', starts_at: iso('08:00'), step_minutes: 15, levels: ['FREE', null, 'CONGESTED'] }]
    const levels = levelsAt([point('a', 0, 40), point('b', 1, 40)], steps)
    const levelAt = (time: string) => levels(at(time)).features.map(({ id, properties }) => [id, properties?.['level_of_service']])
    expect(levelAt('07:59')).toEqual([])
    expect(levelAt('08:14')).toEqual([['a', 'FREE']])
    expect(levelAt('08:15')).toEqual([])
    expect(levelAt('08:44')).toEqual([['a', 'CONGESTED']])
  })

  test('names instants by day and time in Madrid', () => {
    expect(nameOf(at('16:40'), at('23:30'), 'en')).toBe('yesterday 17:40')
    expect(nameOf(at('16:40'), at('22:30'), 'es')).toBe('hoy 17:40')
    expect(nameOf(at('16:40') - 86_400_000, at('16:40'), 'es')).toBe('ayer 17:40')
  })
})

test('server-sent events are read whatever the pieces are', async () => {
  const text = 'retry: 5000\n\n: 2026-01-02\nid: 7-0\n\nid: 7-1\nevent: v16.ended\ndata: {"a":\ndata: 1}\n\nid: 8-0'
  for (const size of [1, 7, text.length]) {
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size))
    const body = ReadableStream.from(pieces.map((piece) => new TextEncoder().encode(piece))) as ReadableStream<Uint8Array>
    const events: (ServerEvent | null)[] = []
    for await (const event of serverEvents(body)) events.push(event)
    expect(events).toEqual([null, { event: '', id: '7-0', data: '' }, { event: 'v16.ended', id: '7-1', data: '{"a":\n1}' }])
  }
})

test.each([
  [['A-2', 'AP-7', 'R-3', 'M-30', 'SE-30'], '#0a4ea3'],
  [['N-340', 'N-II', 'N-121-A'], '#c8102e'],
  [['E-15'], '#00703c'],
  [['C-17', 'CM-42'], '#f08a1d'],
  [['M-501', 'CV-905'], '#00703c'],
  [['GR-5202'], '#f7cf1b'],
])('the signs of %j are %s', (roads, ground) => {
  for (const road of roads) expect([road, shieldOf(road).ground]).toEqual([road, ground])
})

test('the cheapest is that of a layer with prices', () => {
  const [fuel, other] = [{ hasPrice: true }, {}]
  const things = [
    { layer: fuel, feature: point('dear', 0, 40, { price: 1.6 }) },
    { layer: fuel, feature: point('none', 0, 40, { price: null }) },
    { layer: fuel, feature: point('cheap', 0, 40, { price: 1.4 }) },
    { layer: other, feature: point('toll', 0, 40, { price: 1 }) },
  ]
  expect(cheapestIn(things)?.feature.id).toBe('cheap')
  expect(cheapestIn([])).toBeNull()
})

test('a panel shows each of its pages once, and its limit', () => {
  const board = LAYERS.find(({ id }) => id === 'panels')?.board
  const page = { lines: ['OBRAS', 'A 2 KM'] }
  expect(board?.({ pages: [page, { lines: [] }, page], speed_limit_kmh: 80 })).toEqual({ pages: [['OBRAS', 'A 2 KM']], limit_kmh: 80 })
  expect(board?.({ pages: null, speed_limit_kmh: null })).toBeNull()
})

describe('the key to the colours', () => {
  test.each(LAYERS.filter(({ colour }) => typeof colour !== 'string').map((layer) => [layer.id, layer] as const))(
    'of %s has every colour of its paint once per meaning, with words in both languages',
    (_id, layer) => {
      const painted = new Set(JSON.stringify(layer.colour).match(/#[0-9a-f]{6}/g))
      for (const language of ['es', 'en'] as const) {
        setLabels(labelsOf(mapPage(language, { texts: language, token: 'token', mode: 'live', url: 'http://localhost/map' })))
        const meanings = meaningsOf(layer, language)
        for (const colour of painted) expect(meanings.map((one) => one.colour)).toContain(colour)
        expect(new Set(meanings.map(({ text }) => text)).size).toBe(meanings.length)
        for (const { text } of meanings) expect(text).toMatch(/[\p{L}\d]/u)
      }
    },
  )

  test('is numbers in the unit of the layer', () => {
    setLabels(labelsOf(mapPage('es', { texts: 'es', token: 'token', mode: 'live', url: 'http://localhost/map' })))
    const textsOf = (id: string) => meaningsOf(LAYERS.find((one) => one.id === id) as (typeof LAYERS)[number], 'es').map(({ text }) => text)
    expect(textsOf('trains')).toEqual(['retraso < 5 min', '5–15 min', '≥ 15 min', 'otro o sin dato'])
    // A value that nobody stated has a colour of its own, not that of the lowest.
    for (const id of ['weather', 'chargers', 'trains', 'fuel']) expect(textsOf(id), id).toContain('otro o sin dato')
    expect(textsOf('fuel')).toEqual(['otro o sin dato', '1,2 €/l', '1,45 €/l', '1,7 €/l'])
    expect(textsOf('incidents').slice(0, 2)).toEqual(['accidente, corte', 'retención, obstáculo en la vía, vehículo averiado'])
    expect(textsOf('v16')).toEqual([])
  })
})

test('a begin is its time in Madrid and how long ago it was, with the day when that is long', () => {
  const now = Date.parse('2026-11-29T22:33:00Z')
  expect(since('2026-11-29T22:07:00Z', 'en', now)).toBe('since 23:07 (26 min)')
  expect(since('2026-11-29T22:07:00Z', 'es', now)).toBe('desde 23:07 (26 min)')
  expect(since('2026-11-20T22:07:00Z', 'en', now)).toBe('since Nov 20, 23:07 (9 d)')
  expect(since('2026-11-29T23:10:00Z', 'en', now)).toBe('from 00:10')
  expect([since(null, 'en', now), since(undefined, 'es', now), since('soon', 'en', now)]).toEqual(['', '', ''])
})

test('kilometres have one decimal', () => {
  expect([place({ road: 'A-1', km: 104.747 }, 'es'), place({ road: 'A-1', km: 104.747 }, 'en')]).toEqual(['A-1 km 104,7', 'A-1 km 104.7'])
  expect([place({ road: 'A-1', km: null }, 'es'), place({ road: 'A-1', km: 0 }, 'es')]).toEqual(['A-1', 'A-1 km 0'])
})
