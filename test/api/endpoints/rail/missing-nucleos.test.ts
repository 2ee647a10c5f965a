import { afterAll, beforeAll, expect, test } from 'vitest'
import { feeds } from '../../../../jobs/feeds/catalog.ts'
import { railAlerts } from '../../../../lake/datasets/rail/alerts.ts'
import { railPositions, railTripUpdates } from '../../../../lake/datasets/rail/trains.ts'
import { until } from '../../../helpers/until.ts'
import { startService, type TestService } from '../../service.ts'
import { landTimetable, NOON, position, type Run } from './train-rows.ts'

const LIST = '/api/trenes/posiciones'
const BOARD = '/api/trenes/estaciones/00001/salidas'
const RUN: Run = {
  trip_id: '1041M90001C3',
  train_number: '90001',
  service_id: 'S',
  stops: [
    ['00001', 11.5, 11.5],
    ['00002', 12, 12],
  ],
}

let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => NOON })
  await landTimetable(service, { network: 'CERCANIAS', from: '2026-11-16', route: { short_name: 'C3' } }, { S: ['2026-11-17'] }, [RUN])
  const fresh = { last_success_at: NOON, fresh_at: NOON, data_time: NOON }
  for (const { id } of feeds.filter(({ domain }) => domain === 'rail')) await service.tell({ feed: id, ...fresh })
  await publish('renfe_positions')
  await publish('renfe_trip_updates')
  await publish('renfe_alerts')
  const board = `${BOARD}?network=CERCANIAS`
  await until('fresh', async () => (await service.get(board)).status === 200 && !(await isStale(LIST)) && !(await isStale(board)))
})
afterAll(() => service?.close())

/** Publishes the rows of a feed, without some núcleos. */
async function publish(feed: 'renfe_positions' | 'renfe_trip_updates' | 'renfe_alerts', missing: readonly string[] = []): Promise<void> {
  if (feed === 'renfe_positions') await service.publish(railPositions, [position('90001')], { feed, missing })
  else await service.publish(feed === 'renfe_alerts' ? railAlerts : railTripUpdates, [], { feed, missing })
}

const isStale = async (path: string): Promise<boolean> => (await service.json(path)).meta.stale
const staleFlags = (path: string, queries: readonly string[]): Promise<boolean[]> =>
  Promise.all(queries.map((query) => isStale(`${path}?${query}`)))

test('trains that may be of a missing núcleo are marked stale, even without their núcleo; others are not', async () => {
  const asked = ['', 'nucleo=20', 'nucleo=10', 'nucleo=10,20', 'network=AVLDMD', 'network=CERCANIAS']
  const none = asked.map(() => false)
  expect(await staleFlags(LIST, asked)).toEqual(none)
  await publish('renfe_positions', ['20'])
  expect(await staleFlags(LIST, asked)).toEqual([true, true, false, true, false, true])
  await publish('renfe_positions')
  expect(await staleFlags(LIST, asked)).toEqual(none)
  await publish('renfe_trip_updates', ['10'])
  expect(await staleFlags(LIST, asked)).toEqual([true, false, true, true, false, true])
  await publish('renfe_trip_updates')
})

test('so are boards of a station of it, as far ahead as delays are published', async () => {
  const asked = ['network=CERCANIAS', 'network=CERCANIAS&at=2026-11-17T06:00:00Z']
  await publish('renfe_trip_updates', ['10'])
  expect(await staleFlags(BOARD, asked)).toEqual([true, false])
  await publish('renfe_trip_updates', ['20'])
  expect(await staleFlags(BOARD, asked)).toEqual([false, false])
  await publish('renfe_trip_updates')
})

test('and alerts', async () => {
  const asked = ['', 'nucleo=20', 'nucleo=10', 'network=AVLDMD']
  await publish('renfe_alerts', ['20'])
  expect(await staleFlags('/api/trenes/alertas', asked)).toEqual([true, true, false, false])
  await publish('renfe_alerts')
  expect(await staleFlags('/api/trenes/alertas', asked)).toEqual([false, false, false, false])
})
