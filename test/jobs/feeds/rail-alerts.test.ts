import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { renfeAlerts } from '../../../jobs/feeds/rail/renfe-alerts.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { asProtobuf, capture, parseBytes, realtimeJson, rowsOf, tallyOf } from './rail-messages.ts'

const shared = sharedFolder()
const FIXTURE = readFileSync(new URL('../../fixtures/renfe_alerts/alerts.json', import.meta.url))

const alert = (id: string, translation: readonly object[], informedEntity: readonly object[] = []): object => ({
  id,
  alert: { informedEntity, descriptionText: { translation } },
})

test("reads an alert's text, its hashtags, and its ids by rule", async () => {
  const publication = await parseBytes(renfeAlerts, FIXTURE)
  expect(publication.data_time).toBe(1_794_909_600_000)
  expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
  const [works, strike, station] = rowsOf(publication, 'rail_alerts')
  expect(works).toEqual({
    source: 'renfe',
    source_id: 'AVISO_600101',
    kind: 'NOTICE',
    derived: false,
    network: 'CERCANIAS',
    nucleo_codes: ['10'],
    lines: ['C3', 'C4a', 'C4b'],
    hashtags: [
      { tag: '#MadC3', word: 'Mad', nucleo_code: '10', line: 'C3' },
      { tag: '#MadC4', word: 'Mad', nucleo_code: '10', line: 'C4' },
    ],
    route_ids: ['10T0007C4a', '10T0008C4b', '10T0021C3'],
    stop_ids: [],
    trip_ids: [],
    train_number: null,
    service_date: null,
    delay_s: null,
    effect: null,
    cause: null,
    active_from: (1_794_909_600 - 86_400) * 1000,
    active_until: null,
    text_es: '#MadC3 #MadC4 Por obras, los trenes no paran en Recoletos.',
    translations: [{ language: 'es', text: '#MadC3 #MadC4 Por obras, los trenes no paran en Recoletos.' }],
  })
  expect(strike).toMatchObject({
    nucleo_codes: ['51', '60'],
    lines: ['C1', 'R2N'],
    text_es: 'Huelga: servicios mínimos.',
    translations: [
      { language: 'ca', text: 'Huelga: serveis mínims.' },
      { language: 'es', text: 'Huelga: servicios mínimos.' },
    ],
  })
  expect(station).toMatchObject({ kind: 'INFORMATION', nucleo_codes: [], lines: [], stop_ids: ['99001'], hashtags: [] })
})

test('the order of translations and of routes, and blanks, are no difference', async () => {
  const routes = [{ routeId: '60T0001C1' }, { routeId: '60T0002C1' }]
  const es = { text: 'Obras en la línea. ', language: 'es' }
  const eu = { text: 'Lanak  linean.', language: 'eu' }
  const one = await parseBytes(renfeAlerts, realtimeJson([alert('AVISO_1', [es, eu], routes)]))
  const other = await parseBytes(renfeAlerts, realtimeJson([alert('AVISO_1', [eu, es, es], routes.toReversed())]))
  expect(rowsOf(one, 'rail_alerts')).toEqual(rowsOf(other, 'rail_alerts'))
  expect(rowsOf(one, 'rail_alerts')[0]).toMatchObject({ text_es: 'Obras en la línea.', translations: [{ text: 'Obras en la línea.' }, {}] })
})

test('hashtags name the núcleo and lines where no route does; an unknown word is kept and counted', async () => {
  const publication = await parseBytes(
    renfeAlerts,
    realtimeJson([
      alert('AVISO_1', [{ text: '#MadC10 #MadC4a Aviso de #Renfe', language: 'es' }]),
      alert('AVISO_2', [{ text: '#ValC6, retrasos', language: 'es' }]),
    ]),
  )
  expect(rowsOf(publication, 'rail_alerts')).toMatchObject([
    { nucleo_codes: ['10'], lines: ['C10', 'C4a'] },
    { nucleo_codes: [], lines: ['C6'], hashtags: [{ tag: '#ValC6', word: 'Val', nucleo_code: null, line: 'C6' }] },
  ])
  expect(publication.report.unknownCodes).toEqual({ renfe_hashtag: { Val: 1 } })
})

test('the default of an enumeration states nothing', async () => {
  const odd = { id: 'AVISO_8', alert: { effect: 'UNKNOWN_EFFECT', cause: 'UNKNOWN_CAUSE' } }
  expect(rowsOf(await parseBytes(renfeAlerts, realtimeJson([odd])), 'rail_alerts')).toMatchObject([{ effect: null, cause: null }])
})

test('an unknown kind, effect or cause is kept and counted; an invalid alert is a bad row', async () => {
  const odd = { id: 'AVERIA_7', alert: { effect: 'LEVITATION', cause: 'STRIKE' } }
  const publication = await parseBytes(renfeAlerts, realtimeJson([odd, { id: 'constructor', alert: {} }, { id: 'VP_1', vehicle: {} }]))
  expect(rowsOf(publication, 'rail_alerts')).toMatchObject([
    { kind: 'AVERIA', effect: 'LEVITATION', cause: 'STRIKE', text_es: null, translations: [] },
    { kind: 'constructor' },
  ])
  expect(publication.report.unknownCodes).toEqual({ rail_alert_kind: { AVERIA: 1, constructor: 1 }, gtfs_alert_effect: { LEVITATION: 1 } })
  expect(publication.report.quarantined).toEqual({ rail_alerts: { 'an entity that is no alert': 1 } })
})

test('a text without a language is Spanish where no other is; of several Spanish ones the longest', async () => {
  const texts = [{ text: 'Corto', language: 'es' }, { text: 'El más largo', language: 'es-ES' }, { text: 'Sin idioma, y más largo' }]
  const publication = await parseBytes(renfeAlerts, realtimeJson([alert('AVISO_1', texts), alert('AVISO_2', texts.slice(2))]))
  expect(rowsOf(publication, 'rail_alerts').map((row) => row['text_es'])).toEqual(['El más largo', 'Sin idioma, y más largo'])
})

test.skipIf(!shared)('the captured 6 alerts, the same as JSON and as protobuf', async () => {
  const bytes = capture('renfe-gtfsrt/alerts_20260825T132516Z.trimmed.json')
  const publication = await parseBytes(renfeAlerts, bytes)
  const rows = rowsOf(publication, 'rail_alerts')
  expect([rows.length, publication.report.quarantined, publication.report.unknownCodes]).toEqual([6, {}, {}])
  expect(new Date(publication.data_time).toISOString()).toBe('2026-08-25T13:25:16.000Z')
  expect(tallyOf(rows, 'kind')).toEqual({ NOTICE: 5, INFORMATION: 1 })
  expect(rows.map((row) => (row['lines'] as string[]).join(' '))).toEqual(['C3 C4a C4b', 'C8', 'C10 C2 C7 C8', 'C9', 'C8 C9', ''])
  expect(rows.map((row) => (row['hashtags'] as { line: string }[]).map(({ line }) => line).join(' '))).toEqual([
    'C3 C4',
    'C8',
    'C2 C7 C8 C10',
    'C9',
    'C9',
    '',
  ])
  expect(rows[5]).toMatchObject({ stop_ids: ['37010'], route_ids: [] })
  expect(rows.every((row) => row['active_from'] !== null && row['active_until'] === null && row['effect'] === null)).toBe(true)
  expect(rowsOf(await parseBytes(renfeAlerts, asProtobuf(bytes)), 'rail_alerts')).toEqual(rows)
})
