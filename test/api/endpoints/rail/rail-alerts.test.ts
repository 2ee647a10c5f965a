import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { railAlerts } from '../../../../lake/datasets/rail/alerts.ts'
import type { LiveChange, LiveRow } from '../../../../lake/live/types.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { entityKey } from '../../../../lake/schema/rows.ts'
import { exampleRow, exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const T0 = Date.UTC(2026, 7, 25, 12)
const MINUTE = 60_000
const HOUR = 60 * MINUTE

const dated = (at: number): string => new Date(at).toISOString()
/** The optional fields of an alert. */
const none = {
  ...{ nucleo_codes: [], lines: [], hashtags: [], route_ids: [], stop_ids: [], trip_ids: [] },
  ...{ active_from: null, train_number: null, service_date: null, delay_s: null },
}

/** A notice of works on two lines, in three languages, English twice. */
const notice = {
  ...none,
  source_id: 'AVISO_1',
  alert_id: 'ral_notice',
  nucleo_codes: ['51'],
  lines: ['R2', 'R4'],
  hashtags: [{ tag: '#BcnR9', word: 'Bcn', nucleo_code: null, line: 'R9' }],
  route_ids: ['51T0001R2', '51T0002R4'],
  text_es: 'Obras.',
  translations: [
    { language: 'ca', text: 'Obres.' },
    { language: 'en-GB', text: 'Works on the line.' },
    { language: 'en', text: 'Works.' },
    { language: 'es', text: 'Obras.' },
  ],
}
const station = {
  source_id: 'INFO_2',
  alert_id: 'ral_station',
  kind: 'INFORMATION',
  ...{ ...none, stop_ids: ['37010'] },
  effect: 'ACCESSIBILITY_ISSUE',
  cause: 'MAINTENANCE',
  text_es: null,
  translations: [{ language: null, text: 'Ascensor averiado.' }],
}
const late = {
  source_id: 'TRIP_1032X90002C4a_2026-08-25',
  alert_id: 'ral_late',
  kind: 'DELAY',
  derived: true,
  ...{ ...none, nucleo_codes: ['10'], lines: ['C4a'], trip_ids: ['1032X90002C4a'] },
  train_number: '90002',
  service_date: '2026-08-25',
  delay_s: 540,
  text_es: 'Tren 90002 de la línea C4a: 9 min de retraso.',
  translations: [
    { language: 'en', text: 'Train 90002 of line C4a: 9 min late.' },
    { language: 'es', text: 'Tren 90002 de la línea C4a: 9 min de retraso.' },
  ],
}
const cancelled = {
  ...late,
  ...none,
  source_id: 'TRAIN_09003_2026-08-25',
  alert_id: 'ral_cancelled',
  kind: 'CANCELLED',
  network: 'AVLDMD',
  train_number: '09003',
  trip_ids: ['0900312026-08-25', '0900322026-08-25'],
  delay_s: null,
}

const all = [notice, station, late, cancelled].map((values, n) => exampleRow(railAlerts, { ...values, updated_at: T0 + n * MINUTE }))

let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => T0 + HOUR })
  await service.publish(railAlerts, all, { at: T0 })
})
afterAll(() => service?.close())

const alerts = async (query: string, path = '/api/trenes/alertas'): Promise<Reply[]> => (await service.json(`${path}?${query}`)).alerts
const ids = async (query: string, path?: string): Promise<string[]> => (await alerts(query, path)).map((one) => one.id)

/** Queries, and the ones that they find of the four alerts, in order of their ids. */
const QUERIES: readonly (readonly [string, readonly string[]])[] = [
  ['', ['ral_cancelled', 'ral_late', 'ral_notice', 'ral_station']],
  ['network=AVLDMD', ['ral_cancelled']],
  ['network=cercanias', ['ral_late', 'ral_notice', 'ral_station']],
  ['nucleo=10,51', ['ral_late', 'ral_notice']],
  ['line=R4', ['ral_notice']],
  // By its hashtag; upper and lower case differ.
  ['line=R9', ['ral_notice']],
  ['line=C4a,R2', ['ral_late', 'ral_notice']],
  // Only alerts that name it: not those of lines that stop there.
  ['station=37010', ['ral_station']],
  ['kind=DELAY&kind=CANCELLED', ['ral_cancelled', 'ral_late']],
  // Derived alerts have no effect.
  ['effect=SIGNIFICANT_DELAYS', []],
  ['effect=ACCESSIBILITY_ISSUE', ['ral_station']],
  [`updated_since=${dated(T0 + 2 * MINUTE)}`, ['ral_cancelled', 'ral_late']],
  ['ids=ral_late,ral_none', ['ral_late']],
]

describe('/api/trenes/alertas', () => {
  test.each(QUERIES)('%s', async (query, expected) => {
    expect(await ids(query)).toEqual(expected)
  })

  test.each(['line=C4A', 'station=10206', 'nucleo=10&line=R4'])(
    '%s finds none, and trains are not known without timetables',
    async (query) => {
      const response = await service.get(`/api/trenes/alertas?${query}`)
      expect([response.status, ((await response.json()) as Reply).code]).toEqual([404, 'no-data-yet'])
    },
  )

  test('sorts and pages', async () => {
    expect(await ids('sort=-delay_s&limit=1')).toEqual(['ral_late'])
    const first = await service.json('/api/trenes/alertas?sort=-updated_at&limit=3')
    const next = await ids(`sort=-updated_at&cursor=${encodeURIComponent(first.next_cursor)}`)
    expect([...first.alerts.map((one: Reply) => one.id), ...next]).toEqual(['ral_cancelled', 'ral_late', 'ral_station', 'ral_notice'])
    expect(first).toMatchObject({ total: 4, updated_at: dated(T0), meta: { sources: [{ id: 'renfe', commercial_use: 'yes' }] } })
  })

  test('gives the derived fields, the statements of the source, and nothing else', async () => {
    const [gone, slow, works, lift] = await alerts('')
    expect(slow).toMatchObject({
      kind: 'DELAY',
      derived: true,
      train_number: '90002',
      service_date: '2026-08-25',
      delay_s: 540,
      cause: null,
      status: 'ACTIVE',
      is_stale: false,
      source: 'renfe',
    })
    expect([slow, gone, works, lift].map((one) => 'effect' in one)).toEqual([false, false, false, true])
    expect(gone).toMatchObject({ derived: true, lines: [], nucleo_codes: [], stop_ids: [], delay_s: null })
    expect(works).toMatchObject({ derived: false, train_number: null, hashtags: [{ tag: '#BcnR9', nucleo_code: null, line: 'R9' }] })
    expect(lift).toMatchObject({ effect: 'ACCESSIBILITY_ISSUE', cause: 'MAINTENANCE', text: null, text_language: null })
    expect(lift.translations).toEqual([{ language: null, text: 'Ascensor averiado.' }])
  })

  test.each([
    ['es', 'Obras.', 'es'],
    ['ca', 'Obres.', 'ca'],
    // The longest of two.
    ['en', 'Works on the line.', 'en-GB'],
    ['eu', 'Obras.', 'es'],
  ])('in %s where the alert has it, else in Spanish', async (lang, text, language) => {
    const response = await service.get(`/api/trenes/alertas?ids=ral_notice&lang=${lang}`)
    expect(response.headers.get('content-language')).toBe(lang)
    expect(((await response.json()) as Reply).alerts[0]).toMatchObject({ text, text_language: language })
  })

  test.each([
    ['network=RENFE', 'network', 'CERCANIAS'],
    ['nucleo=50', 'nucleo', '51'],
    ['kind=DELAYS', 'kind', 'did you mean DELAY?'],
    ['effect=NONE', 'effect', 'NO_EFFECT'],
    ['estacion=37010', 'estacion', 'no such parameter'],
    ['sort=text', 'sort', 'delay_s'],
  ])('%s is refused', async (query, parameter, detail) => {
    const response = await service.get(`/api/trenes/alertas?${query}`)
    const problem = (await response.json()) as Reply
    expect(response.status).toBe(400)
    expect(problem.errors[0].parameter).toBe(parameter)
    expect(problem.errors[0].detail + problem.title).toContain(detail)
  })
})

describe('after the end', () => {
  const end = T0 + 20 * MINUTE

  test('an alert is found in the log', async () => {
    expect(await service.json('/api/trenes/alertas/ral_late?lang=en')).toMatchObject({
      status: 'ACTIVE',
      ended_at: null,
      end_reason: null,
      text: 'Train 90002 of line C4a: 9 min late.',
    })
    const gone = all[2] as LiveRow
    const row: LiveRow = { ...gone, observed_at: end, updated_at: end, status: 'ENDED', is_stale: true, last_seen_at: end - MINUTE }
    const change: LiveChange = { kind: 'ENDED', key: entityKey(railAlerts, gone), row, changed: [] }
    await service.publish(
      railAlerts,
      all.filter((one) => one !== gone),
      { at: end, changes: [change] },
    )
    expect(await service.json('/api/trenes/alertas/ral_late')).toMatchObject({
      id: 'ral_late',
      status: 'ENDED',
      last_seen_at: dated(end - MINUTE),
      ended_at: dated(end),
      end_reason: 'DISAPPEARED',
    })
    expect(await ids('')).not.toContain('ral_late')
  })

  /** Each of the four has two states and ends two hours later. The last began before it was first seen, the first came back. */
  const ends = [notice, station, late, cancelled].flatMap((values, n): AnyRow[] => {
    const since = T0 - 10 * HOUR + n * HOUR
    const row = (at: number, more: AnyRow = {}): AnyRow =>
      exampleTableRow(railAlerts, {
        ...{ ...values, first_seen_at: since, active_from: n === 1 ? since - HOUR : null },
        ...{ observed_at: at, updated_at: at, ...more },
      })
    const over = { status: 'ENDED', last_seen_at: since + 2 * HOUR - 2 * MINUTE }
    const life = [row(since, { delay_s: 360 }), row(since + HOUR, { is_baseline: true }), row(since + 2 * HOUR, over)]
    return n === 0 ? [...life, row(since + 2 * HOUR + 10 * MINUTE)] : life
  })
  const HISTORY = '/api/trenes/alertas/historico'

  test('the lake has ended ones, once, with their duration', async () => {
    await service.land(railAlerts, ends, T0)
    const reply = await service.json(`${HISTORY}?total=exact&from=2026-08-25`)
    expect(reply).toMatchObject({ total: 3, meta: { covered_until: dated(T0) } })
    const shown = (one: Reply): unknown[] => [one.id, one.began_at, one.last_seen_at, one.ended_at, one.duration_minutes, one.versions]
    expect(reply.alerts.map(shown)).toEqual([
      ['ral_cancelled', '2026-08-25T05:00:00.000Z', '2026-08-25T06:58:00.000Z', '2026-08-25T07:00:00.000Z', 118, 2],
      ['ral_late', '2026-08-25T04:00:00.000Z', '2026-08-25T05:58:00.000Z', '2026-08-25T06:00:00.000Z', 118, 2],
      ['ral_station', '2026-08-25T02:00:00.000Z', '2026-08-25T04:58:00.000Z', '2026-08-25T05:00:00.000Z', 178, 2],
    ])
    expect(reply.alerts[1]).toMatchObject({
      status: 'ENDED',
      delay_s: 540,
      end_reason: 'DISAPPEARED',
      first_seen_at: '2026-08-25T04:00:00.000Z',
    })
  })

  test.each(QUERIES.filter(([query]) => !query.startsWith('updated_since')))(
    'filters as the current list does: %s',
    async (query, expected) => {
      const found = await ids(`from=2026-08-25&${query}`, HISTORY)
      expect(found.sort()).toEqual(expected.filter((id) => id !== 'ral_notice'))
    },
  )

  test('in a language and a period', async () => {
    const [one] = await alerts('from=2026-08-25&ids=ral_late&lang=en', HISTORY)
    expect(one.text).toBe('Train 90002 of line C4a: 9 min late.')
    expect(await ids('from=2026-08-25T05:00:00Z&to=2026-08-25T06:00:00Z', HISTORY)).toEqual(['ral_station'])
    const wide = await service.get(`${HISTORY}?from=2026-06-01&to=2026-08-01`)
    expect(await wide.json()).toMatchObject({ code: 'range-too-large', errors: [{ parameter: 'from' }] })
  })

  test('an alert that the log has forgotten is in the lake; another nowhere', async () => {
    await service.land(railAlerts, [exampleTableRow(railAlerts, { source_id: 'old', alert_id: 'ral_old', observed_at: T0 - 9 * HOUR })], T0)
    expect(await service.json('/api/trenes/alertas/ral_old')).toMatchObject({ status: 'ENDED', ended_at: null, last_seen_at: null })
    expect((await service.get('/api/trenes/alertas/ral_never')).status).toBe(404)
  })
})
