import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../jobs/feeds/define.ts'
import type { Measure } from '../../../jobs/feeds/road/incident-measure.ts'
import { CAUSES, readHeading, sctIncidentsFeed } from '../../../jobs/feeds/road/sct-incidents.ts'
import { judge } from '../../../jobs/ingest/guard.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import { INCIDENT_TYPES } from '../../../lake/datasets/road/codes.ts'
import { INCIDENT_CAUSES } from '../../../lake/datasets/road/incident-codes.ts'
import type { incidents } from '../../../lake/datasets/road/incidents.ts'
import type { AcceptedFetch } from '../../../lake/raw/archive.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { changed, counts } from './dgt-documents.ts'

type Incident = FeedRow<typeof incidents> & { readonly measures: readonly Measure[] }

const FETCHED = Date.parse('2026-02-03T19:36:00Z')
const shared = sharedFolder()
const capture = shared && readFileSync(`${shared}/feeds/sct-incidencies/incidenciesGML_20260203T19GMT.xml`)
const fixture = readFileSync(fileURLToPath(new URL('../../fixtures/sct_incidents/incidents.xml', import.meta.url)), 'utf8')

async function readSct(
  document: string | Buffer,
): Promise<{ publication: Publication; rows: Incident[]; warnings: Record<string, number> }> {
  const publication = await parsePublication(sctIncidentsFeed, [{ name: 'incidents', bytes: Buffer.from(document) }], FETCHED)
  const rows = publication.rows.get('incidents') as unknown as Incident[]
  return { publication, rows, warnings: Object.fromEntries(publication.report.warnings) }
}

const byId = (rows: readonly Incident[], end: string): Incident | undefined => rows.find(({ source_id }) => source_id.endsWith(end))
/** The same document with another text of one element of the first incident. */
const withField = (name: string, to: string): string => changed(fixture, [new RegExp(`<cite:${name}>[^<]*<`), `<cite:${name}>${to}<`])

describe('one incident a feature', () => {
  test('an accident that delays traffic', async () => {
    const { rows, publication } = await readSct(fixture)
    expect(publication.data_time).toBe(FETCHED)
    expect(rows).toHaveLength(11)
    const [accident] = rows
    expect(accident).toEqual({
      source: 'sct',
      source_id: '900000101',
      type: 'ACCIDENT',
      source_type: 'Retenció/Accident',
      severity: 'HIGH',
      road: 'C-58',
      km: 12.5,
      km_to: 10,
      direction: 'NEGATIVE',
      destination: 'BARCELONA',
      province_code: '08',
      municipality_code: '08238',
      municipality: 'Sant Quirze del Vallès',
      position: { lat: 41.5119, lon: 2.0812 },
      to: null,
      description: 'Accidente en la C-58, km 12,5 a 10, sentido Barcelona, Sant Quirze del Vallès (Barcelona): tráfico detenido.',
      description_en: 'Accident on C-58, km 12.5 to 10, towards Barcelona, Sant Quirze del Vallès (Barcelona): stationary traffic.',
      // 2.5 km at a tenth of 90 km/h, less what they take at 90.
      delay_minutes: 15,
      delay_source: 'estimated',
      measures: [
        expect.objectContaining({
          record_id: '900000101',
          kind: 'STATIONARY_TRAFFIC',
          cause: 'ACCIDENT',
          reported_by: 'SCT',
          from_km: 12.5,
        }),
      ],
      created_at: null,
      starts_at: null,
      expected_end_at: null,
      remark: 'UN CARRIL TALLAT',
      reported_at: Date.parse('2026-03-11T07:21:09Z'),
    })
  })

  test('the cause and the kind of incident follow from the text, not from its heading', async () => {
    const { rows } = await readSct(fixture)
    expect(
      rows.slice(0, 7).map(({ type, measures, severity }) => [type, measures.map(({ kind, cause }) => `${kind} ${cause}`), severity]),
    ).toEqual([
      ['ACCIDENT', ['STATIONARY_TRAFFIC ACCIDENT'], 'HIGH'],
      ['CONGESTION', ['QUEUING_TRAFFIC QUEUING_TRAFFIC'], 'MEDIUM'],
      ['ROADWORKS', ['ROAD_CLOSED ROADWORKS'], 'CRITICAL'],
      ['OBSTACLE', ['CARRIAGEWAY_RESTRICTED LANDSLIDE', 'DIVERSION LANDSLIDE'], 'MEDIUM'],
      ['WEATHER', ['ROAD_CLOSED SNOW'], 'CRITICAL'],
      ['ROADWORKS', ['INCIDENT MAINTENANCE'], 'LOW'],
      ['RESTRICTION', ['CARRIAGEWAY_RESTRICTED TRAFFIC_MANAGEMENT'], 'LOW'],
    ])
    expect(byId(rows, '103')).toMatchObject({ source_type: 'Obres/Col·locació o substitució barrera', destination: null, remark: null })
    expect(byId(rows, '104')).toMatchObject({ km: 0, km_to: 2.7, remark: 'HORARI: 7:30 a 18h', destination: null })
    expect(byId(rows, '105')).toMatchObject({ remark: 'COLL DE PAL', destination: null })
    expect(byId(rows, '106')).toMatchObject({
      km: 2,
      km_to: 0,
      destination: 'FRANÇA',
      remark: 'DESVIAMENT PER SORTIDA 6 I REINCORPORACIÓ P',
    })
    expect(byId(rows, '106')?.description).toBe('Trabajos de conservación en la AP-7, km 2 a 0, sentido França, La Jonquera (Girona).')
    expect(byId(rows, '107')?.description_en).toBe(
      'Restriction on B-20, km 8 to 11, towards increasing km, Barcelona: carriageway restricted.',
    )
  })

  test.each([
    ['Avaria', 'BREAKDOWN', 'BROKEN_DOWN_VEHICLE'],
    ['Retirada de vehicle', 'BREAKDOWN', 'STOPPED_VEHICLE'],
    ['Obres', 'ROADWORKS', 'ROADWORKS'],
    ['Neu', 'WEATHER', 'SNOW'],
    ['Inundacions', 'OBSTACLE', 'FLOODING'],
    ['Regulació trànsit', 'CONGESTION', 'TRAFFIC_MANAGEMENT'],
    ['Circulació', 'CONGESTION', 'STATIONARY_TRAFFIC'],
  ])('a retention because of %s is %s', async (causa, type, cause) => {
    const [row] = (await readSct(withField('causa', causa))).rows
    expect([row?.type, row?.measures[0]?.cause]).toEqual([type, cause])
  })

  test('a closed carriageway closes the road only where both directions are affected', async () => {
    const closed = withField('descripcio', 'Calçada tallada')
    expect((await readSct(closed)).rows[0]?.measures[0]?.kind).toBe('CARRIAGEWAY_CLOSED')
    const both = changed(closed, ['<cite:sentit>Decreixent<', '<cite:sentit>Ambdos sentits<'])
    expect((await readSct(both)).rows[0]?.measures[0]?.kind).toBe('ROAD_CLOSED')
  })

  test('every cause and type of the tables is in our lists', () => {
    for (const [cause, type] of Object.values(CAUSES)) {
      expect(Object.keys(INCIDENT_CAUSES.codes)).toContain(cause)
      if (type) expect(Object.keys(INCIDENT_TYPES.codes)).toContain(type)
    }
  })

  test.each([
    ['Despreniments', 'OBSTACLE', 'ROCKFALL'],
    ["Treballs d'enllumenat", 'ROADWORKS', 'MAINTENANCE'],
    ['Ampliació calçada', 'ROADWORKS', 'CONSTRUCTION'],
    ['Reparació de ferm', 'ROADWORKS', 'REPAIR'],
    ['Insatal·lació i/o desmuntatge de pòrtics', 'ROADWORKS', 'ROADWORKS'],
    ['Inundacions', 'OBSTACLE', 'FLOODING'],
  ])('%s is %s under each heading', async (causa, type, cause) => {
    for (const tipus of ['3', '4', '5']) {
      const document = changed(withField('causa', causa), [/<cite:tipus>[^<]*</, `<cite:tipus>${tipus}<`])
      const { rows, publication } = await readSct(document)
      expect([rows[0]?.type, rows[0]?.measures[0]?.cause, publication.report.unknownCodes]).toEqual([type, cause, {}])
    }
  })

  test('a cause that the table lacks is works by its first word, else of no kind, and counted', async () => {
    for (const [causa, type] of [
      ['Reparació de sifons', 'ROADWORKS'],
      ['Instal·lació de càmeres', 'ROADWORKS'],
      ['Caiguda de meteorit', 'OTHER'],
    ] as const) {
      const { rows, publication } = await readSct(withField('causa', causa))
      expect([rows[0]?.type, rows[0]?.measures[0]?.cause, rows[0]?.source_type]).toEqual([type, null, `Retenció/${causa}`])
      expect(publication.report.unknownCodes).toEqual({ sct_causa: { [causa]: 1 } })
    }
  })

  test.skipIf(!shared)('the small document of other months: every cause is known', async () => {
    const { rows, publication } = await readSct(readFileSync(`${shared}/cases/sct-causes-of-other-months.xml`))
    expect([rows.length, publication.report.unknownCodes]).toEqual([24, {}])
    expect(counts(rows.map(({ type }) => type))).toEqual({ OBSTACLE: 2, ROADWORKS: 19, BREAKDOWN: 1, RESTRICTION: 2 })
  })
})

describe('cap_a', () => {
  test.each([
    ['BARCELONA', 'BARCELONA', null],
    ['NUS TRINITAT', 'NUS TRINITAT', null],
    ['VILANOVA I LA GELTRÚ-HORARI: 8 a 16h', 'VILANOVA I LA GELTRÚ', 'HORARI: 8 a 16h'],
    ['BARCELONA-DOS CARRILS TALLATS', 'BARCELONA', 'DOS CARRILS TALLATS'],
    ['IGUALADA-TALLAT ACCES A A-2', 'IGUALADA', 'TALLAT ACCES A A-2'],
    ['TARRAGONA-DESVIAMENTS PER  A-2 / TANCATS ACCESSOS ', 'TARRAGONA', 'DESVIAMENTS PER  A-2 / TANCATS ACCESSOS'],
    ['AP-7', 'AP-7', null],
    ['N-II-UN CARRIL TALLAT', 'N-II', 'UN CARRIL TALLAT'],
    ['PERPINYÀ', 'PERPINYÀ', null],
    ['TALLADELL', 'TALLADELL', null],
    ['LA SEU D’URGELL - HORARI: 7 a 15h', 'LA SEU D’URGELL', 'HORARI: 7 a 15h'],
    ['SORTIDA  A N-II', null, 'SORTIDA  A N-II'],
    ["PER TALL DE L' AP-7", null, "PER TALL DE L' AP-7"],
    ['ACCÉS A-2/AP-7', null, 'ACCÉS A-2/AP-7'],
    ['HORARI: 7 a 15h', null, 'HORARI: 7 a 15h'],
    ['RESTRICCIÓ A CAMIONS ', null, 'RESTRICCIÓ A CAMIONS'],
    ['TÚNEL DE PARPERS - HORARI: 22 a 6h', null, 'TÚNEL DE PARPERS - HORARI: 22 a 6h'],
    ['DIVENDRES i DISSABTE: ACCÉS EXCLUSIU VEÏNS', null, 'DIVENDRES i DISSABTE: ACCÉS EXCLUSIU VEÏNS'],
    ['-', null, null],
    ['  ', null, null],
    [null, null, null],
  ])('%s leads to %s, and remarks %s', (text, destination, remark) => {
    expect(readHeading(text, 'POSITIVE')).toEqual({ destination, remark })
    expect(readHeading(text, 'BOTH')).toEqual({ destination: null, remark: text?.trim() || null })
  })
})

describe('the errors of the source', () => {
  test('unknown codes are counted, and stand in no coded column', async () => {
    const strange = [
      ['tipus', '9'],
      ['causa', ' Caiguda de meteorit '],
      ['nivell', '7'],
      ['sentit', 'Amunt'],
      ['descripcio', 'Calçada fosa. Ponts'],
      ['font', 'NASA'],
    ] as const
    const document = strange.reduce(
      (text, [name, to]) => changed(text, [new RegExp(`<cite:${name}>[^<]*<`), `<cite:${name}>${to}<`]),
      fixture,
    )
    const { rows, publication } = await readSct(document)
    expect(rows[0]).toMatchObject({ type: 'OTHER', source_type: 'Retenció/Caiguda de meteorit', severity: 'UNKNOWN', direction: 'UNKNOWN' })
    expect(rows[0]?.measures).toMatchObject([{ kind: 'INCIDENT', cause: null, reported_by: 'NASA' }])
    expect(publication.report.unknownCodes).toEqual({
      sct_tipus: { '9': 1 },
      sct_causa: { 'Caiguda de meteorit': 1 },
      sct_nivell: { '7': 1 },
      sct_sentit: { Amunt: 1 },
      sct_descripcio: { Ponts: 1, 'Calçada fosa': 1 },
      sct_font: { NASA: 1 },
    })
    for (const code of ['constructor', '__proto__', 'toString']) {
      const odd = await readSct(withField('causa', code))
      expect(odd.rows[0]).toMatchObject({ type: 'OTHER', source_type: `Retenció/${code}` })
      expect(odd.publication.report.unknownCodes).toEqual({ sct_causa: { [code]: 1 } })
    }
  })

  test('two zeros are no kilometres, one is; an invalid number is null', async () => {
    const zeros = changed(withField('pk_inici', '0.00'), [/<cite:pk_fi>[^<]*</, '<cite:pk_fi>0.00<'])
    expect(await readSct(zeros)).toMatchObject({
      rows: expect.arrayContaining([expect.objectContaining({ source_id: '900000101', km: null, km_to: null })]),
      warnings: { 'kilometres 0 to 0 taken as unknown': 1 },
    })
    const odd = await readSct(changed(withField('pk_inici', '-1.00'), [/<cite:pk_fi>[^<]*</, '<cite:pk_fi>?<']))
    expect([odd.rows[0]?.km, odd.rows[0]?.km_to]).toEqual([null, null])
    expect(odd.warnings).toEqual({ 'kilometre below 0 taken as unknown': 1, 'pk_fi is no number': 1 })
  })

  test('an invalid or foreign position is null and counted; an invalid time too', async () => {
    const abroad = await readSct(changed(fixture, ['>2.0812,41.5119<', '>12.5,41.9<']))
    expect(abroad.rows[0]).toMatchObject({ position: null, province_code: null, municipality_code: null })
    expect(abroad.warnings).toEqual({ 'position lies outside Spain': 1 })
    expect((await readSct(changed(fixture, ['>2.0812,41.5119<', '>2.0812<']))).warnings).toEqual({ 'point_lat is no number': 1 })
    const late = await readSct(withField('data', 'ahir'))
    expect([late.rows[0]?.reported_at, late.warnings]).toEqual([null, { 'data is no time': 1 }])
  })

  test('a feature without its id is quarantined, the others stay', async () => {
    const { rows, publication } = await readSct(changed(fixture, [/<cite:identificador>[^<]*<\/cite:identificador>/, '']))
    expect(rows).toHaveLength(10)
    expect(publication.report.quarantined).toEqual({ incidents: { 'no identificador': 1 } })
  })

  test('fields that are absent are unknown', async () => {
    const bare = changed(fixture, [/<cite:tipus>.*?<\/cite:font>/, ''])
    const { rows, publication } = await readSct(bare)
    expect(rows[0]).toMatchObject({
      type: 'OTHER',
      source_type: 'unknown',
      severity: 'UNKNOWN',
      direction: 'UNKNOWN',
      road: null,
      km: null,
    })
    expect(rows[0]?.description).toBe('Otro, Sant Quirze del Vallès (Barcelona).')
    expect(publication.report.unknownCodes).toEqual({})
  })

  test('a document cut anywhere is refused', async () => {
    for (let cut = 100; cut < fixture.length; cut += 997) await expect(readSct(fixture.slice(0, cut))).rejects.toThrow(FormatError)
  })

  test('the same incidents under other feature ids are the same rows', async () => {
    const renamed = fixture.replaceAll('19cdb6f2a72', '19cdb6ff000')
    expect(renamed).not.toBe(fixture)
    expect((await readSct(renamed)).rows).toEqual((await readSct(fixture)).rows)
  })
})

describe.skipIf(!capture)('the capture of February 2026', () => {
  test('gives the figures of its notes', async () => {
    const { rows, publication, warnings } = await readSct(capture as Buffer)
    expect([rows.length, publication.report.quarantined, publication.report.unknownCodes, warnings]).toEqual([152, {}, {}, {}])
    expect(judge(sctIncidentsFeed, publication, null).kind).toBe('accept')
    expect(counts(rows.map(({ type }) => type))).toEqual({
      ROADWORKS: 134,
      OBSTACLE: 6,
      CONGESTION: 8,
      BREAKDOWN: 2,
      ACCIDENT: 1,
      WEATHER: 1,
    })
    // By type of the source: 139 works, six of them floods and landslides, 12 retentions, 1 weather.
    expect(counts(rows.map(({ source_type }) => source_type.split('/')[0] as string))).toEqual({ Obres: 139, Retenció: 12, Meterologia: 1 })
    expect(new Set(rows.map(({ source_type }) => source_type.split('/')[1])).size).toBe(37)
    expect(counts(rows.map(({ severity }) => severity))).toEqual({ LOW: 125, CRITICAL: 16, MEDIUM: 7, HIGH: 4 })
    expect(counts(rows.map(({ direction }) => direction))).toEqual({ BOTH: 112, POSITIVE: 23, NEGATIVE: 17 })
    expect(counts(rows.map(({ measures }) => measures.map(({ kind }) => kind).join('+')))).toEqual({
      CARRIAGEWAY_RESTRICTED: 122,
      'CARRIAGEWAY_RESTRICTED+DIVERSION': 3,
      CARRIAGEWAY_CLOSED: 8,
      ROAD_CLOSED: 8,
      'ROAD_CLOSED+DIVERSION': 1,
      HEAVY_TRAFFIC: 3,
      QUEUING_TRAFFIC: 4,
      STATIONARY_TRAFFIC: 3,
    })
    expect(counts(rows.map(({ measures }) => measures[0]?.cause ?? null))).toEqual({
      MAINTENANCE: 43,
      ROADWORKS: 28,
      CONSTRUCTION: 25,
      RESURFACING: 16,
      REPAIR: 13,
      VEGETATION_CUTTING: 5,
      LANDSLIDE: 5,
      ROAD_MARKING: 4,
      QUEUING_TRAFFIC: 4,
      STATIONARY_TRAFFIC: 2,
      HEAVY_TRAFFIC: 1,
      ACCIDENT: 1,
      STOPPED_VEHICLE: 1,
      BROKEN_DOWN_VEHICLE: 1,
      TRAFFIC_MANAGEMENT: 1,
      FLOODING: 1,
      SNOW: 1,
    })
  })

  test('headings, kilometres, places and times', async () => {
    const { rows } = await readSct(capture as Buffer)
    const headed = rows.filter(({ destination, remark }) => destination !== null || remark !== null)
    expect([headed.length, rows.filter(({ destination }) => destination).length, rows.filter(({ remark }) => remark).length]).toEqual([
      65, 29, 50,
    ])
    expect(counts(rows.flatMap(({ destination }) => destination ?? []))).toEqual({
      BARCELONA: 8,
      TARRAGONA: 4,
      LLEIDA: 4,
      FRANÇA: 3,
      GIRONA: 3,
      'NUS TRINITAT': 1,
      IGUALADA: 1,
      'VILANOVA I LA GELTRÚ': 1,
      VIC: 1,
      TERRASSA: 1,
      VILADECANS: 1,
      RIPOLL: 1,
    })
    const zeros = [rows.filter(({ km }) => km === 0).length, rows.filter(({ km_to }) => km_to === 0).length]
    expect(zeros).toEqual([23, 1])
    // As published: all that go down in km are of the decreasing direction or of both.
    const down = rows.filter(({ km, km_to }) => (km_to ?? 0) < (km ?? 0))
    expect([down.length, down.filter(({ direction }) => direction === 'POSITIVE').length]).toEqual([18, 0])
    expect(counts(rows.map(({ province_code }) => province_code))).toEqual({ '08': 94, '17': 25, '43': 23, '25': 10 })
    for (const { municipality_code, position, source_id } of rows) {
      expect(municipality_code, source_id).toMatch(/^(08|17|25|43)\d{3}$/)
      expect(position, source_id).not.toBeNull()
    }
    const reports = rows.map(({ reported_at }) => reported_at as number)
    expect([Math.max(...reports), Math.min(...reports)].map((at) => new Date(at).toISOString())).toEqual([
      '2026-02-03T19:35:57.000Z',
      '2024-02-08T11:31:30.000Z',
    ])
    for (const { description, description_en } of rows) {
      expect(description).toMatch(/^\p{Lu}[^{}[\]]* en la \S+, km .*[^.]\.$/u)
      expect(`${description}${description_en}`).not.toMatch(/null|undefined|NaN|[A-Z]{2,}_|\s{2}| ,|: \.|[a-z][A-Z]|HORARI|TALL/)
    }
  })

  test('half of it is refused after the whole', async () => {
    const { publication } = await readSct(capture as Buffer)
    const last = {
      data_time: '2026-02-03T19:35:00.000Z',
      rows: { incidents: 152 },
      blocks: {},
    } as unknown as AcceptedFetch
    const left = (count: number): Publication => ({ ...publication, counts: new Map([['incidents', count]]) })
    expect(judge(sctIncidentsFeed, left(76), { last, missing: {} })).toMatchObject({
      kind: 'reject',
      reason: expect.stringContaining('76 rows after 152'),
    })
    expect(judge(sctIncidentsFeed, left(9), null).kind).toBe('reject')
    expect(judge(sctIncidentsFeed, left(110), { last, missing: {} }).kind).toBe('accept')
  })
})
