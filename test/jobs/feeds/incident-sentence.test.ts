import { describe, expect, test } from 'vitest'
import type { Measure } from '../../../jobs/feeds/road/incident-measure.ts'
import { type IncidentFacts, describe as sentence } from '../../../jobs/feeds/road/incident-sentence.ts'

const measure: Measure = {
  record_id: '1',
  version: 1,
  record_type: 'RoadOrCarriagewayOrLaneManagement',
  kind: 'LANES_CLOSED',
  cause: 'ROADWORKS',
  severity: null,
  reported_by: 'DGT',
  road: 'A-7',
  destination: null,
  direction: 'POSITIVE',
  compass_direction: null,
  carriageways: [],
  lanes: [],
  from_km: null,
  to_km: null,
  from: null,
  to: null,
  municipality: null,
  province: null,
  place_name: null,
  vehicles: [],
  limits: [],
  compliance: 'MANDATORY',
  created_at: null,
  starts_at: null,
  ends_at: null,
}

const facts: IncidentFacts = {
  type: 'ROADWORKS',
  cause: 'ROADWORKS',
  road: 'A-7',
  km: 531.214,
  km_to: null,
  direction: 'POSITIVE',
  destination: null,
  place_name: null,
  municipality: 'Lorca',
  province: 'Murcia',
  measures: [],
}

/** The part of a sentence about its measures, after the colon. */
function effects(...measures: readonly Partial<Measure>[]): [es: string, en: string] {
  const { es, en } = sentence({ ...facts, measures: measures.map((one) => ({ ...measure, ...one })) })
  return [es.split(': ')[1] ?? '', en.split(': ')[1] ?? '']
}

describe('where', () => {
  test.each([
    [
      {},
      'Obras en la A-7, km 531,2, sentido creciente, Lorca (Murcia).',
      'Roadworks on A-7, km 531.2, towards increasing km, Lorca (Murcia).',
    ],
    [
      { direction: 'BOTH' },
      'Obras en la A-7, km 531,2, ambos sentidos, Lorca (Murcia).',
      'Roadworks on A-7, km 531.2, both directions, Lorca (Murcia).',
    ],
    [{ direction: 'UNKNOWN' }, 'Obras en la A-7, km 531,2, Lorca (Murcia).', 'Roadworks on A-7, km 531.2, Lorca (Murcia).'],
    [
      { km: 18, km_to: 19 },
      'Obras en la A-7, km 18 a 19, sentido creciente, Lorca (Murcia).',
      'Roadworks on A-7, km 18 to 19, towards increasing km, Lorca (Murcia).',
    ],
    [
      { km: 18.01, km_to: 18.02 },
      'Obras en la A-7, km 18, sentido creciente, Lorca (Murcia).',
      'Roadworks on A-7, km 18, towards increasing km, Lorca (Murcia).',
    ],
    [
      { km: 0, direction: 'NEGATIVE' },
      'Obras en la A-7, km 0, sentido decreciente, Lorca (Murcia).',
      'Roadworks on A-7, km 0, towards decreasing km, Lorca (Murcia).',
    ],
    [{ road: null, km: null, direction: 'UNKNOWN' }, 'Obras, Lorca (Murcia).', 'Roadworks, Lorca (Murcia).'],
    [
      { municipality: null },
      'Obras en la A-7, km 531,2, sentido creciente, Murcia.',
      'Roadworks on A-7, km 531.2, towards increasing km, Murcia.',
    ],
    [
      { municipality: 'Murcia' },
      'Obras en la A-7, km 531,2, sentido creciente, Murcia.',
      'Roadworks on A-7, km 531.2, towards increasing km, Murcia.',
    ],
    [
      { municipality: 'Alacant/Alicante', province: 'Alicante', km: null },
      'Obras en la A-7, sentido creciente, Alicante.',
      'Roadworks on A-7, towards increasing km, Alicante.',
    ],
    [{ municipality: null, province: null, km: null, direction: 'UNKNOWN' }, 'Obras en la A-7.', 'Roadworks on A-7.'],
    [
      { place_name: 'PUERTO DE LA CUBILLA', km: null },
      'Obras en la A-7, puerto de la Cubilla, sentido creciente, Lorca (Murcia).',
      'Roadworks on A-7, la Cubilla pass, towards increasing km, Lorca (Murcia).',
    ],
    [
      { place_name: 'CENTENALES', km: null, direction: 'BOTH' },
      'Obras en la A-7, puerto de Centenales, ambos sentidos, Lorca (Murcia).',
      'Roadworks on A-7, Centenales pass, both directions, Lorca (Murcia).',
    ],
  ] satisfies [Partial<IncidentFacts>, string, string][])('%j', (given, es, en) => {
    expect(sentence({ ...facts, ...given })).toEqual({ es, en })
  })

  test.each([
    ['VALENCIA', 'sentido Valencia'],
    ['valencia', 'sentido Valencia'],
    ['Don Benito', 'sentido Don Benito'],
    ['VEJER DE LA FRONTERA', 'sentido Vejer de la Frontera'],
    ['LA MANGA', 'sentido La Manga'],
    ['sur', 'sentido sur'],
    ['A-7', 'sentido A-7'],
    ['BERA-FRANCIA', 'sentido Bera-Francia'],
    ['AMBOS SENTIDOS', 'sentido creciente'],
    ['AMBOS', 'sentido creciente'],
    ['CORTADA VIA EN AMBOS SENTIDOS', 'sentido creciente'],
    ['A-8003/A-8005', 'sentido creciente'],
    ['SENT. VIGO CARRIL DEREITO', 'sentido creciente'],
    ['valencia\naltura xirivella antes entrada valencia', 'sentido creciente'],
    ['DESVIOS POR POLIGONO INDRUSTRIAL ONZONILLA Y N-630', 'sentido creciente'],
  ])('destination %j', (destination, phrase) => {
    expect(sentence({ ...facts, destination }).es).toBe(`Obras en la A-7, km 531,2, ${phrase}, Lorca (Murcia).`)
  })

  test('a destination says nothing where both directions are meant', () => {
    expect(sentence({ ...facts, direction: 'BOTH', destination: 'VALENCIA' }).es).not.toContain('Valencia')
  })
})

describe('what', () => {
  test.each([
    [{ kind: 'ROAD_CLOSED', lanes: ['ALL'] }, 'carretera cortada.', 'road closed.'],
    [{ kind: 'CARRIAGEWAY_CLOSED', lanes: ['ALL'] }, 'calzada cortada.', 'carriageway closed.'],
    [{ kind: 'CARRIAGEWAY_CLOSED', carriageways: ['EXIT_SLIP_ROAD'] }, 'ramal de salida cortado.', 'exit slip road closed.'],
    [{ kind: 'CARRIAGEWAY_CLOSED', carriageways: ['SERVICE_ROAD'] }, 'vía de servicio cortada.', 'service road closed.'],
    [{ kind: 'LANES_CLOSED' }, 'carriles cortados.', 'lanes closed.'],
    [{ kind: 'LANES_CLOSED', lanes: ['ALL'] }, 'todos los carriles cortados.', 'all lanes closed.'],
    [{ kind: 'LANES_CLOSED', lanes: ['RIGHT'] }, 'carril derecho cortado.', 'right lane closed.'],
    [
      { kind: 'LANES_CLOSED', lanes: ['RIGHT', 'RIGHT_HARD_SHOULDER'] },
      'carril derecho y arcén derecho cortados.',
      'right lane and right hard shoulder closed.',
    ],
    [
      { kind: 'LANES_CLOSED', lanes: ['RIGHT'], carriageways: ['ENTRY_SLIP_ROAD'] },
      'carril derecho cortado en el ramal de entrada.',
      'right lane closed on the entry slip road.',
    ],
    [{ kind: 'NARROW_LANES', lanes: ['ALL'] }, 'carriles estrechados.', 'narrow lanes.'],
    [{ kind: 'LANES_IN_USE', lanes: ['TIDAL_FLOW'] }, 'carril reversible habilitado.', 'reversible lane open.'],
    [
      { kind: 'LANES_IN_USE', lanes: ['CAR_POOL'], vehicles: ['AUTHORISED'] },
      'carril VAO habilitado para vehículos autorizados.',
      'high-occupancy lane open for authorised vehicles.',
    ],
    [{ kind: 'NO_PASSAGE', vehicles: ['HEAVY'] }, 'prohibido el paso de vehículos pesados.', 'no passage for heavy vehicles.'],
    [
      { kind: 'NO_PASSAGE', lanes: ['RIGHT'], limits: [{ kind: 'LENGTH', value: 10, unit: 'm' }] },
      'prohibido el paso de vehículos de más de 10 m de largo por el carril derecho.',
      'right lane closed to vehicles over 10 m long.',
    ],
    [
      { kind: 'NO_PASSAGE', lanes: ['ALL'], limits: [{ kind: 'WIDTH', value: null, unit: 'm' }] },
      'prohibido el paso de vehículos de ancho limitado.',
      'no passage for vehicles over a width limit.',
    ],
    [
      { kind: 'SPEED_LIMIT', limits: [{ kind: 'SPEED', value: 30, unit: 'km/h' }] },
      'velocidad limitada a 30 km/h.',
      'speed limit 30 km/h.',
    ],
    [{ kind: 'SPEED_LIMIT', limits: [{ kind: 'SPEED', value: null, unit: 'km/h' }] }, 'velocidad limitada.', 'speed restriction.'],
    [{ kind: 'WEIGHT_RESTRICTION', limits: [{ kind: 'WEIGHT', value: 5.5, unit: 't' }] }, 'peso limitado a 5,5 t.', 'weight limit 5.5 t.'],
    [{ kind: 'SNOW_CHAINS' }, 'cadenas o neumáticos de invierno obligatorios.', 'snow chains or winter tyres required.'],
    [
      { kind: 'SNOW_CHAINS', compliance: 'ADVISORY' },
      'cadenas o neumáticos de invierno recomendados.',
      'snow chains or winter tyres advised.',
    ],
    [{ kind: 'SNOW_CHAINS', compliance: null }, 'cadenas o neumáticos de invierno.', 'snow chains or winter tyres.'],
    [
      { kind: 'LANES_DEVIATED', vehicles: ['CAR', 'BUS'] },
      'carriles desviados para turismos y autobuses.',
      'lanes diverted for cars and buses.',
    ],
    [{ kind: 'ALTERNATE_ONE_WAY' }, 'paso alternativo.', 'alternating one-way traffic.'],
    [{ kind: 'OBSTRUCTION', lanes: ['ALL'] }, 'toda la calzada obstaculizada.', 'whole carriageway obstructed.'],
    [{ kind: 'INCIDENT' }, '', ''],
    [{ kind: 'OTHER' }, '', ''],
  ] satisfies [Partial<Measure>, string, string][])('%j', (given, es, en) => {
    expect(effects(given)).toEqual([es, en])
  })

  test('a repeated fact is stated once, in the order in which the records lead', () => {
    expect(effects({ kind: 'ROAD_CLOSED' }, { kind: 'LANES_DEVIATED' }, { kind: 'ROAD_CLOSED' })[0]).toBe(
      'carretera cortada, carriles desviados.',
    )
  })

  test('a fact of the cause is not repeated', () => {
    const slow = { ...facts, type: 'CONGESTION', cause: 'SLOW_TRAFFIC', measures: [{ ...measure, kind: 'SLOW_TRAFFIC' }] }
    expect(sentence(slow).es).toBe('Tráfico lento en la A-7, km 531,2, sentido creciente, Lorca (Murcia).')
  })

  test('management alone is named by its type', () => {
    const closed = { ...facts, type: 'CLOSURE', cause: 'TRAFFIC_MANAGEMENT', measures: [{ ...measure, kind: 'ROAD_CLOSED' }] }
    expect(sentence(closed)).toEqual({
      es: 'Corte en la A-7, km 531,2, sentido creciente, Lorca (Murcia): carretera cortada.',
      en: 'Closure on A-7, km 531.2, towards increasing km, Lorca (Murcia): road closed.',
    })
  })

  test('codes without words are written as they are, never as undefined', () => {
    expect(effects({ kind: 'portalsOpen', lanes: ['moonLane'], vehicles: ['hovercraft'] })[0]).toBe('portalsOpen para hovercraft.')
    expect(effects({ kind: 'LANES_CLOSED', lanes: ['toString'] })[0]).toBe('toString cortado.')
    expect(sentence({ ...facts, cause: 'constructor' }).es).toMatch(/^Obras en la/)
  })
})
