import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { SECTION_KM } from '../../models/risk/accidents.ts'
import { evaluateFuel, evaluateFuelDaily } from '../../scripts/checks/evaluations/fuel.ts'
import { evaluateRisk } from '../../scripts/checks/evaluations/risk.ts'
import { evaluateTraffic } from '../../scripts/checks/evaluations/traffic.ts'
import { figures } from '../helpers/figures.ts'
import { tempFolder } from '../helpers/temp.ts'
import { openTestLake } from '../lake/query/fixtures.ts'

const run = promisify(execFile)
const MAIN = new URL('../../scripts/checks/evaluations/main.ts', import.meta.url).pathname
const HEADER =
  'ID_NUM,IND_ACCDA,IND_ACCIV,TOTAL_MU30DF,TOTAL_HG30DF,TOTAL_HL30DF,FECHA_ACCIDENTE,HORA_ACCIDENTE,MES_1F,ANYO,CCAA_1F,PROVINCIA_1F,COD_MUNICIPIO,CARRETERA,KM,SENTIDO_1F,TIPO_VIA_3F,TITULARIDAD_VIA_2F,TIPO_ANIMAL_1F,TIPO_ANIMAL_2F'

/** A folder with a file of accidents with animals in Cuenca in some months of 2024, in the publisher's format. */
function accidents(months: number, { cut = Number.POSITIVE_INFINITY } = {}): string {
  const next = figures(months)
  const lines = Array.from({ length: 150 * months }, (_, at) => {
    const month = 1 + (at % months)
    const [day, hour, km] = [1 + Math.floor(28 * next()), Math.floor(24 * next()), Math.floor(8 * SECTION_KM * next() ** 2)]
    return `${202400000000 + at},1,0,0,0,0,${day}/${month}/2024,${hour}:30,${month},2024,8,16,00000,N-${1 + (at % 3)},"${km},1",1,2,2,8,1`
  })
  const data = tempFolder()
  mkdirSync(join(data, 'dgt-accidentes'))
  writeFileSync(join(data, 'dgt-accidentes/ACC_ANIMALES_2024.csv.gz'), gzipSync([HEADER, ...lines, ''].join('\n')).subarray(0, cut))
  return data
}

/** The figures of an evaluation, and its messages. */
async function evaluated(of: typeof evaluateRisk, data: string, window: { from: string; to: string } | null = null) {
  const said: string[] = []
  const lake = await openTestLake(tempFolder())
  try {
    return { found: await of(lake, { data, window, say: (line) => said.push(line) }), said: said.join('\n') }
  } finally {
    await lake.close()
  }
}

test.each([
  [['fuel', '--test', '2024-02-30:2024-03-01'], '--test 2024-02-30:2024-03-01: expected two valid days'],
  [['fuel', '--test', '2024-03-01'], '--test 2024-03-01: expected two valid days'],
  [['risk', '--test', '2024-03-02:2024-03-01'], 'the second day is before the first'],
  [['oil'], 'no model oil; the models are fuel, traffic, risk'],
  [[], 'name a model: fuel'],
  [['fuel', '--data', '/nowhere/at/all'], '--data /nowhere/at/all: no such folder'],
  [['fuel', '--data', tempFolder(), '--json'], 'fuel: nothing to measure'],
])('wrong arguments of scripts/evaluate are named, and fail: %j', { timeout: 60_000 }, async (args, text) => {
  await expect(run(process.execPath, [MAIN, ...args])).rejects.toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(text) })
})

test('a missing capture of a folder is reported by name', async () => {
  const data = tempFolder()
  for (const [of, names] of [
    [evaluateFuel, ['eu-oil-bulletin: no file of fuel_bulletin']],
    [evaluateTraffic, ['madrid-historico/permanentes: no file of madrid_counts']],
    [evaluateRisk, ['dgt-accidentes: no file of dgt_animal_accidents', 'madrid-accidentes: no file of madrid_accidents']],
  ] as const) {
    const { found, said } = await evaluated(of, data)
    expect(found).toEqual([])
    for (const name of names) expect(said).toContain(name)
  }
})

test('daily fuel prices are evaluated one to seven days ahead, from two header layouts and from provinces, without invalid prices', () => {
  const data = tempFolder()
  const folder = join(data, 'miteco-eess-derived')
  mkdirSync(join(folder, 'mediana_diaria_por_provincia_1'), { recursive: true })
  const dates = Array.from({ length: 160 }, (_, day) => new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10))
  const priceOf = (day: number): number => 1.5 + 0.1 * Math.sin(day / 9)
  const lines = (from: number, to: number) => dates.slice(from, to).map((date, at) => `${date},${priceOf(from + at).toFixed(6)},1.400000`)
  writeFileSync(join(folder, 'media_nacional_diaria_1.csv'), ['fecha,gasolina_95_e5,gasoleo_a', ...lines(0, 90), ''].join('\n'))
  writeFileSync(
    join(folder, 'media_nacional_diaria_2.csv'),
    ['fecha,Gasolina 95 E5,Gasóleo A', ...lines(80, 160), '2026-07-30,,', ''].join('\r\n'),
  )
  const median = { '95': dates.map((date, day) => [date, Math.round(1000 * priceOf(day))]) }
  writeFileSync(join(folder, 'mediana_diaria_por_provincia_1/28.json'), JSON.stringify({ provincia_id: '28', median }))
  const said: string[] = []
  const found = evaluateFuelDaily({ data, window: null, say: (line) => said.push(line) })
  expect(said).toEqual([])
  const errors = found.filter(({ metric }) => metric === 'mae_eur_l')
  expect(errors.map(({ series, horizon }) => `${series} ${horizon}`)).toEqual(
    ['official_daily_mean.DIESEL_A', 'official_daily_mean.GASOLINE_95_E5', 'province_median.GASOLINE_95_E5'].flatMap((series) =>
      [1, 2, 3, 4, 5, 6, 7].map((ahead) => `${series} P${ahead}D`),
    ),
  )
  expect(new Set(errors.map(({ window }) => window))).toEqual(new Set([`${dates[70]}:${dates[159]}`]))
  // A wave continues; a constant series has no error, and so no relative error.
  const wave = errors.find(({ series, horizon }) => series === 'official_daily_mean.GASOLINE_95_E5' && horizon === 'P1D')
  expect(wave).toMatchObject({ points: 90, ok: true, limit: null })
  expect(wave?.value).toBeLessThan(0.5 * (wave?.baseline as number))
  expect(found.filter(({ series, metric }) => series.endsWith('DIESEL_A') && metric === 'mae_to_last_value')).toEqual([])
  const part = evaluateFuelDaily({ data, window: { from: '2026-06-01', to: '2026-12-31' }, say: () => undefined })
  expect(new Set(part.map(({ window }) => window))).toEqual(new Set([`2026-06-01:${dates[159]}`]))
  expect(evaluateFuelDaily({ data, window: { from: '2025-06-01', to: '2025-12-31' }, say: (line) => said.push(line) })).toEqual([])
  expect(said).toHaveLength(2)
  expect(said[0]).toContain(`no forecast with a known outcome from ${dates[0]} to ${dates[159]}`)
})

test('fewer months, and windows that are partly outside of them, are evaluated on the existing days', {
  timeout: 60_000,
}, async () => {
  const data = accidents(10)
  const whole = await evaluated(evaluateRisk, data)
  expect(new Set(whole.found.map(({ window }) => window)).size).toBe(1)
  const [first, last] = (whole.found[0]?.window ?? '').split(':') as [string, string]
  expect([first.slice(0, 7), last.slice(0, 7)]).toEqual(['2024-01', '2024-10'])
  // Days without any accident in the file would be expected to have some.
  const calibration = whole.found.find(({ metric }) => metric === 'calibration_on_seen_sections')?.value as number
  expect(calibration).toBeGreaterThan(0.85)
  expect(calibration).toBeLessThan(1.15)
  const part = await evaluated(evaluateRisk, data, { from: '2024-09-01', to: '2025-03-31' })
  expect(part.found[0]?.window).toBe(`2024-09-01:${last}`)
  expect(part.found[0]?.points).toBeLessThan(whole.found[0]?.points as number)
})

test('an evaluation that is impossible states the reason', { timeout: 60_000 }, async () => {
  const data = accidents(10)
  const outside = await evaluated(evaluateRisk, data, { from: '2030-01-01', to: '2030-02-01' })
  expect([outside.found, outside.said]).toEqual([[], expect.stringContaining('no accident from 2030-01-01 to 2030-02-01')])
  const between = await evaluated(evaluateRisk, data, { from: '2024-01-01', to: '2024-01-10' })
  expect([between.found, between.said]).toEqual([[], expect.stringContaining('in a held-out week')])
  const few = await evaluated(evaluateRisk, accidents(3))
  expect([few.found, few.said]).toEqual([[], expect.stringMatching(/\d+ weeks to fit to, 26 are needed/)])
  const cut = await evaluated(evaluateRisk, accidents(10, { cut: 500 }))
  expect([cut.found, cut.said]).toEqual([[], expect.stringContaining('ACC_ANIMALES_2024.csv.gz: left out')])
})
