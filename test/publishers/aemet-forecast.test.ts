import { expect, test } from 'vitest'
import { feedById } from '../../jobs/feeds/catalog.ts'
import { parsePublication } from '../../jobs/ingest/parse.ts'
import type { AnyRow } from '../../lake/schema/dataset.ts'
import type { Publishers } from '../../scripts/stand-in/server.ts'
import { bytesOf, PATHS, RUSH_HOUR, standIn } from './helpers.ts'

const HOUR = 3_600_000
const API = '/opendata.aemet.es/opendata/api/prediccion/especifica/municipio'
const RETIRO = '3195'

async function rowsOf(publishers: Publishers, kind: 'horaria' | 'diaria', code: string): Promise<readonly AnyRow[]> {
  const feed = feedById(kind === 'horaria' ? 'aemet_forecast_hourly' : 'aemet_forecast_daily')
  const bytes = await bytesOf(publishers, `/opendata.aemet.es/opendata/sh/${kind}-${code}`)
  const { rows, report } = await parsePublication(feed, [{ name: code, bytes }], publishers.now(), { keeps: () => true })
  expect([report.quarantined, report.unknownCodes]).toEqual([{}, {}])
  return rows.get(feed.into[0]?.id as string) as AnyRow[]
}

test('two steps; every value is text; wind and gust are consecutive; 48 hours from the hour of issue', async () => {
  await using publishers = await standIn({ scale: 'small' })
  const slip = (await (await fetch(`${publishers.url}${API}/horaria/28079`)).json()) as Record<string, unknown>
  expect(slip).toMatchObject({ estado: 200, datos: 'https://opendata.aemet.es/opendata/sh/horaria-28079' })
  expect(await (await fetch(`${publishers.url}${API}/horaria/99999`)).json()).toMatchObject({ estado: 404 })
  const text = (await bytesOf(publishers, '/opendata.aemet.es/opendata/sh/horaria-28079')).toString('latin1')
  expect(text).toContain('Agencia Estatal de Meteorología')
  const [{ prediccion, id }] = JSON.parse(text) as [{ prediccion: { dia: Record<string, readonly object[]>[] }; id: string }]
  expect(id).toBe('28079')
  const wind = prediccion.dia.flatMap(({ vientoAndRachaMax }) => vientoAndRachaMax ?? [])
  expect(wind.map((one) => 'velocidad' in one)).toEqual(Array.from({ length: 96 }, (_, at) => at % 2 === 0))
  const rows = await rowsOf(publishers, 'horaria', '28079')
  expect([rows.length, rows[0]?.['valid_from']]).toEqual([48, Math.floor((rows[0]?.['issued_at'] as number) / HOUR) * HOUR])
})

test('the forecast equals the weather that stations observe later', async () => {
  await using publishers = await standIn({ scale: 'small' })
  const forecast = new Map((await rowsOf(publishers, 'horaria', '28079')).map((row) => [row['valid_to'], row]))
  publishers.advance(6 * HOUR)
  const records = JSON.parse((await bytesOf(publishers, PATHS.observations)).toString('latin1')) as Record<string, number | string>[]
  const observed = records.filter(({ idema, fint }) => idema === RETIRO && Date.parse(`${String(fint).slice(0, 19)}Z`) > RUSH_HOUR)
  expect(observed.length).toBeGreaterThan(2)
  for (const { fint, ta, vv } of observed) {
    const { temp_c, wind_mean_m_s } = forecast.get(Date.parse(`${String(fint).slice(0, 19)}Z`)) as AnyRow
    expect(Math.abs(Number(temp_c) - Number(ta))).toBeLessThanOrEqual(0.5)
    expect(Math.abs(Number(wind_mean_m_s) - Number(vv))).toBeLessThan(0.3)
  }
})

test('the clock of the Canaries is an hour earlier, and seven days begin at its midnight', async () => {
  await using publishers = await standIn({ scale: 'small' })
  for (const code of ['28079', '35016']) {
    const [first] = await rowsOf(publishers, 'horaria', code)
    expect([code, (first?.['issued_at'] as number) <= publishers.now()]).toEqual([code, true])
  }
  const days = (await rowsOf(publishers, 'diaria', '35016')).filter(({ period_h }) => period_h === 24)
  expect(days.map(({ valid_from }) => new Date(valid_from as number).toISOString().slice(11, 16))).toEqual(Array(7).fill('00:00'))
  const madrid = (await rowsOf(publishers, 'diaria', '28079')).filter(({ period_h }) => period_h === 24)
  expect(new Date(madrid[0]?.['valid_from'] as number).toISOString().slice(11, 16)).toBe('23:00')
  // As a number, a code of the first provinces loses its leading 0.
  expect((await rowsOf(publishers, 'diaria', '01059'))[0]?.['municipality_code']).toBe('01059')
})
