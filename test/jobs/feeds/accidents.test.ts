import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { monthSpan, mostOf, severityOf, spanOf } from '../../../jobs/feeds/safety/accident.ts'
import { cataloniaAccidents } from '../../../jobs/feeds/safety/catalonia-accidents.ts'
import { madridAccidents } from '../../../jobs/feeds/safety/madrid-accidents.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { at, capture, fixture, only, parse, rowsOf, shared } from './accident-files.ts'
import { barcelonaHarm } from './barcelona-harm.ts'

describe('spans of local time', () => {
  test('a minute, an hour, a day, a month', () => {
    expect(spanOf('2024-07-01', '9:05')).toEqual({
      period_start: at('2024-07-01T07:05:00Z'),
      period_end: at('2024-07-01T07:06:00Z'),
      occurred_at: at('2024-07-01T07:05:00Z'),
      time_precision: 'MINUTE',
      isClockChange: false,
    })
    expect(spanOf('2024-07-01', '09')).toMatchObject({ period_end: at('2024-07-01T08:00:00Z'), time_precision: 'HOUR' })
    expect(spanOf('2024-10-27', null)).toMatchObject({
      period_start: at('2024-10-26T22:00:00Z'),
      period_end: at('2024-10-27T23:00:00Z'),
      occurred_at: null,
    })
    expect(monthSpan(2024, 3, 'Europe/Madrid')).toMatchObject({
      period_start: at('2024-02-29T23:00:00Z'),
      period_end: at('2024-03-31T22:00:00Z'),
    })
    expect(monthSpan(2024, 12, 'Atlantic/Canary')).toMatchObject({
      period_start: at('2024-12-01T00:00:00Z'),
      period_end: at('2025-01-01T00:00:00Z'),
    })
    expect([spanOf('2024-02-30', '10'), spanOf('2024-02-28', '25'), spanOf('x', null)]).toEqual([null, null, null])
  })

  test('hours that the change of clocks repeats or leaves out have no instant, and a span of both readings', () => {
    expect(spanOf('2024-10-27', '2:30')).toMatchObject({
      period_start: at('2024-10-27T00:30:00Z'),
      period_end: at('2024-10-27T01:31:00Z'),
      occurred_at: null,
      isClockChange: true,
    })
    expect(spanOf('2024-10-27', '02')).toMatchObject({ period_end: at('2024-10-27T02:00:00Z'), occurred_at: null, isClockChange: true })
    expect(spanOf('2024-03-31', '2:30')).toMatchObject({ occurred_at: null, isClockChange: true })
    expect(spanOf('2024-03-31', '3:30')).toMatchObject({ isClockChange: false })
  })
})

test('the worst that happened to a person', () => {
  const of = (killed: number | null, hospitalised: number | null, slight: number | null): string =>
    severityOf({ killed, hospitalised, slight })
  expect([of(1, 2, 3), of(0, 1, null), of(0, 0, 2), of(0, 0, 0), of(0, 0, null)]).toEqual(['FATAL', 'SERIOUS', 'SLIGHT', 'NONE', 'UNKNOWN'])
  expect([mostOf([2024, 2023, 2024]), mostOf([2, 1]), mostOf([])]).toEqual([2024, 1, null])
})

describe('Madrid', () => {
  test('persons become accidents: identical ones are two, the year of the file is the most frequent one', async () => {
    const publication = await parse(madridAccidents, fixture('madrid_accidents/accidents.csv'))
    const rows = rowsOf(publication)
    expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
    expect(
      only(rows, 'edition', 'accident_id', 'killed_24h', 'hospitalised_24h', 'slight_24h', 'persons', 'severity', 'is_casualty'),
    ).toEqual([
      ['madrid-2024', '2023S900001', 1, 0, 0, 2, 'FATAL', true],
      ['madrid-2024', '2024S900002', 0, 0, 2, 2, 'SLIGHT', true],
      ['madrid-2024', '2024S900003', 0, 1, 0, 1, 'SERIOUS', true],
      ['madrid-2024', '2024S900004', 0, 0, 0, 1, 'NONE', false],
      ['madrid-2024', '2024S900005', 0, 0, null, 1, 'UNKNOWN', false],
    ])
    expect(rows[0]).toMatchObject({
      source: 'madrid',
      occurred_at: at('2024-01-04T08:05:00Z'),
      weekday_iso: 4,
      hour_local: 9,
      province_code: '28',
      municipality_code: '28079',
      street: 'CALL. EJEMPLO / CALL. PRUEBA, 3',
      accident_type: 'FRONT_SIDE',
      weather: 'LIGHT_RAIN',
      location_method: 'PUBLISHED',
      killed_30d: null,
      vehicles: null,
    })
    const { lat, lon } = rows[0]?.['position'] as { lat: number; lon: number }
    expect([lat.toFixed(3), lon.toFixed(3)]).toEqual(['40.417', '-3.706'])
    expect(only(rows.slice(2), 'occurred_at', 'absent', 'position')[0]?.slice(0, 2)).toEqual([
      null,
      { weather: 'UNKNOWN', occurred_at: 'CLOCK_CHANGE' },
    ])
    expect(rows[3]).toMatchObject({ position: null, location_method: null, location_error_m: null })
    // No field describes a single person.
    expect(Object.keys(rows[0] as AnyRow).filter((name) => /alcohol|drug|sex|age/.test(name))).toEqual([])
  })

  test.each([
    [';9:05:00;', ';x;', 'fecha and hora are no date and time'],
    ['2024S900004;', ';', 'no num_expediente'],
  ])('%s written %s is quarantined', async (good, bad, reason) => {
    const text = fixture('madrid_accidents/accidents.csv').toString().replaceAll(good, bad)
    const { report } = await parse(madridAccidents, Buffer.from(text))
    expect(Object.keys(report.quarantined['road_accidents'] ?? {})).toEqual([reason])
  })

  test('a header is read by meaning; columns that no row needs may be missing', async () => {
    const text = fixture('madrid_accidents/accidents.csv').toString()
    const [header, ...lines] = text.split('\n') as [string, ...string[]]
    const written = (from: readonly [string, string][]): Buffer =>
      Buffer.from([from.reduce((names, [one, other]) => names.replace(one, other), header), ...lines].join('\n'))
    const before = rowsOf(await parse(madridAccidents, Buffer.from(text)))
    const spelt = await parse(
      madridAccidents,
      written([
        ['num_expediente', 'Num Expediente'],
        ['estado_meteorológico', 'ESTADO_METEOROLOGICO'],
      ]),
    )
    expect(rowsOf(spelt)).toEqual(before)
    const bare = await parse(
      madridAccidents,
      written([
        ['distrito;tipo', 'barrio;tipo'],
        ['estado_meteorológico', 'cielo'],
      ]),
    )
    expect(only(rowsOf(bare), 'accident_id', 'weather')).toEqual(only(before, 'accident_id').map(([id]) => [id, null]))
    expect(bare.report.unknownCodes).toEqual({ madrid_accidents_column: { barrio: 1, cielo: 1 } })
    expect([...bare.report.warnings.keys()]).toEqual(['no column distrito', 'no column estado_meteorológico'])
  })

  test('a file that lost its coordinates, or is cut off, is refused', async () => {
    const text = fixture('madrid_accidents/accidents.csv').toString()
    await expect(parse(madridAccidents, Buffer.from(text.replaceAll(/44\d{4}(,\d+)?;447\d{4}(,\d+)?/g, ';')))).rejects.toThrow(
      'none of the accidents has a position',
    )
    for (const name of ['coordenada_x_utm', 'coordenada_y_utm'])
      await expect(parse(madridAccidents, Buffer.from(text.replace(name, 'x')))).rejects.toThrow('none of the accidents has a position')
    await expect(parse(madridAccidents, Buffer.from(text.slice(0, -20)))).rejects.toThrow('cut off')
    await expect(parse(madridAccidents, Buffer.from(text.replace('cod_lesividad', 'x')))).rejects.toThrow('lacks cod_lesividad')
  })

  test.skipIf(!shared)('2024-Q1 has 4,989 accidents, 2,061 with an injured person; 2025 has 7,072', async () => {
    const rows = rowsOf(await parse(madridAccidents, capture('madrid-accidentes/2024_Accidentalidad_parcial.csv.gz')))
    expect([
      rows.length,
      rows.filter((row) => row['is_casualty']).length,
      rows.reduce((sum, row) => sum + (row['persons'] as number), 0),
    ]).toEqual([4989, 2061, 11_886])
    const { counts, report } = await parse(madridAccidents, capture('madrid-accidentes/2025_Accidentalidad_ene-abr.csv.gz'))
    expect([counts.get('road_accidents'), report.quarantined, report.unknownCodes]).toEqual([7072, {}, {}])
  })
})

describe('Barcelona', () => {
  test.skipIf(!shared)('a small file of each layout: 120 accidents, 1 killed, 12 seriously and 107 slightly hurt', async () => {
    for (const year of [2010, 2019, 2024]) {
      const bytes = readFileSync(join(shared as string, `cases/barcelona-accidents-${year}-as-published.csv`))
      expect([year, await barcelonaHarm(bytes)]).toEqual([year, [120, 1, 12, 107, 120, {}]])
    }
  })
})

describe('Catalonia', () => {
  test('times that lost their zeros, kilometres with a comma, names with the article behind; two alike are two', async () => {
    const publication = await parse(cataloniaAccidents, fixture('catalonia_accidents/accidents.csv'))
    const rows = rowsOf(publication)
    expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
    expect(only(rows, 'hour_local', 'occurred_at', 'time_precision', 'municipality_code', 'road', 'km', 'vehicles', 'severity')).toEqual([
      [9, at('2010-03-15T08:10:00Z'), 'MINUTE', '08169', null, null, 1, 'SERIOUS'],
      [9, at('2010-03-15T08:10:00Z'), 'MINUTE', '08169', null, null, 1, 'SERIOUS'],
      [8, at('2010-03-16T07:00:00Z'), 'MINUTE', '25120', 'N-240', 99.9, 3, 'FATAL'],
      [null, null, 'DAY', '25120', 'N-240', 99.9, 3, 'FATAL'],
    ])
    const ids = rows.map((row) => row['accident_id'] as string)
    expect([new Set(ids).size, ids[1]]).toEqual([4, `${ids[0]}-2`])
    expect(rows[0]).toMatchObject({
      zone: 'URBAN',
      is_urban: true,
      accident_type: 'PEDESTRIAN',
      surface: null,
      absent: { surface: 'NOT_SPECIFIED' },
    })
    expect(rows[2]).toMatchObject({ road_owner: 'STATE', junction_type: 'ROUNDABOUT', is_junction: true, absent: null })
  })

  test('an unknown code is counted and stays beside its column; an invalid time is counted', async () => {
    const text = fixture('catalonia_accidents/accidents.csv').toString()
    const strange = await parse(
      cataloniaAccidents,
      Buffer.from(text.replace('Encalç', 'Meteorit').replace('Dintre intersecció', 'Sota terra')),
    )
    expect(strange.report.unknownCodes).toEqual({ accident_type: { Meteorit: 1 }, sct_d_inter_seccio: { 'Sota terra': 1 } })
    expect(only(rowsOf(strange), 'accident_type', 'accident_type_source')).toEqual([
      ...Array(2).fill(['PEDESTRIAN', null]),
      [null, 'Meteorit'],
      ['REAR_END', null],
    ])
    const bad = await parse(cataloniaAccidents, Buffer.from(text.replaceAll(',9.1,', ',25.1,')))
    expect(bad.report.quarantined).toEqual({})
    expect([...bad.report.warnings]).toEqual([['hor is no time', 2]])
    expect(only(rowsOf(bad), 'time_precision')[0]).toEqual(['DAY'])
  })

  test('every label of the list has a code, whatever its case', async () => {
    const text = fixture('catalonia_accidents/accidents.csv').toString()
    const read = async (from: string, label: string, column: string): Promise<unknown> => {
      const { report, rows } = await parse(cataloniaAccidents, Buffer.from(text.replaceAll(from, label)))
      expect(report.unknownCodes).toEqual({})
      return ([...rows.values()][0] as AnyRow[])[2]?.[column]
    }
    const codes = [
      ...['Relliscós:SLIPPERY', 'Inundat:FLOODED', 'Nevat:SNOW', 'GELAT:ICE'].map((one) => ['Mullat', 'surface', one]),
      ...['Altres:OTHER', 'Sortida de via amb xoc:RUN_OFF_COLLISION', 'Sortida de via amb bolcada:RUN_OFF_OVERTURN'].map((one) => [
        ...['Encalç', 'accident_type', one],
      ]),
      ...['Sortida de via amb atropellament:RUN_OFF_PEDESTRIAN', 'Xoc amb animal:ANIMAL'].map((one) => ['Encalç', 'accident_type', one]),
      ...['Alba o capvespre:TWILIGHT', 'De nit, il·luminació artificial insuficient:DARK_LIT'].map((one) => [
        ...['De dia, dia clar', 'light', one],
      ]),
      ...['Camí rural/pista forestal:LOCAL_TRACK', 'Pas a nivell:OTHER'].map((one) => ['Carretera convencional', 'road_type', one]),
      ['Giratòria', 'junction_type', "Enllaç d'entrada o eixida:INTERCHANGE"],
    ] as const
    for (const [from, column, pair] of codes) {
      const [label, code] = (pair as string).split(':') as [string, string]
      expect([label, await read(from as string, label, column as string)]).toEqual([label, code])
    }
  })

  test('a country track is no road; columns that no row needs may be missing', async () => {
    const text = fixture('catalonia_accidents/accidents.csv').toString()
    const track = rowsOf(await parse(cataloniaAccidents, Buffer.from(text.replaceAll('N-240,"99,9"', 'CR,0'))))
    expect(only(track, 'road', 'km', 'absent')[2]).toEqual([null, null, { road: 'NOT_APPLICABLE' }])
    const { counts, report } = await parse(cataloniaAccidents, Buffer.from(text.replace(',D_CLIMATOLOGIA,', ',CLIMA,')))
    expect([counts.get('road_accidents'), report.unknownCodes, [...report.warnings.keys()]]).toEqual([
      4,
      { catalonia_accidents_column: { CLIMA: 1 } },
      ['no record has D_CLIMATOLOGIA'],
    ])
    await expect(parse(cataloniaAccidents, Buffer.from(text.replace('F_MORTS', 'X')))).rejects.toThrow('has no F_MORTS')
  })

  test.skipIf(!shared)('the small file of codes: every text is a code', async () => {
    const bytes = readFileSync(join(shared as string, 'cases/catalonia-accidents-codes.csv'))
    const { counts, report } = await parse(cataloniaAccidents, bytes)
    expect([counts.get('road_accidents'), report.quarantined, report.unknownCodes]).toEqual([112, {}, {}])
  })

  test.skipIf(!shared)('the recorded rows are read without a bad one', async () => {
    const { counts, report } = await parse(cataloniaAccidents, capture('catalunya-accidentes/EXCERPT_Accidents_SCT_12rows.csv'))
    expect([counts.get('road_accidents'), report.quarantined, report.unknownCodes, [...report.warnings]]).toEqual([12, {}, {}, []])
  })
})
