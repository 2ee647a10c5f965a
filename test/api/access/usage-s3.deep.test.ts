import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import type { LiveKey } from '../../../api/access/key-index.ts'
import { openUsage, type Usage } from '../../../api/access/usage/usage.ts'
import { s3Store } from '../../../lake/store/s3.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { readUsage } from '../../../lake/usage/objects.ts'
import { startS3 } from '../../helpers/s3-server.ts'

const s3 = await startS3()
afterAll(() => s3?.stop())

const T0 = Date.UTC(2026, 10, 22, 9, 57, 30)
const MINUTE_MS = 60_000
const SLOT = `${'a'.repeat(64)}.1`
const KEY: LiveKey = { id: 'key_00000000000000000001', plan: 'PRO', slot: SLOT, status: 'ACTIVE', account: 'a'.repeat(64), ends_at: null }

describe.skipIf(!s3)('usage on S3', () => {
  test('is written each minute, gathered each hour, and equals the counted usage at every step', async () => {
    const store = s3Store((s3 as NonNullable<typeof s3>).fresh())
    onTestFinished(() => store.close())
    let now = T0
    const errors: Error[] = []
    const open = (): Usage =>
      openUsage({
        store,
        clock: () => now,
        every_ms: null,
        onError: (error) => errors.push(error),
        onLost: () => errors.push(new Error('lost')),
      })
    const [one, other] = [open(), open()]
    const counts = [one, other].map((usage) => usage.counter('/api/incidents'))
    for (let minute = 1; minute <= 5; minute++) {
      for (const count of counts) count(KEY, 200, 1)
      now += MINUTE_MS
      await Promise.all([one.flush(), other.flush()])
      expect(await answered(store), `minute ${minute}`).toBe(2 * minute)
    }
    // The three minutes of the hour that is over are one object of each process.
    expect((await namesIn(store)).map((name) => name.replace(/[0-9a-f]{16}/, '…')).sort()).toEqual([
      ...Array<string>(2).fill('usage/hours/2026-11-22T09/….json'),
      ...[0, 0, 1, 1].map((minute) => `usage/minutes/2026-11-22T10/…-m0${minute}.json`),
    ])
    for (const count of counts) count(KEY, 404, 1)
    await Promise.all([one.close(), other.close()])
    expect(await answered(store)).toBe(10)
    expect((await other.recorded(SLOT)).reduce((sum, { count }) => sum + count, 0)).toBe(12)
    expect(errors).toEqual([])
  })
})

async function namesIn(store: ObjectStore): Promise<string[]> {
  const names: string[] = []
  for await (const { key } of store.list('usage/')) names.push(key)
  return names
}

async function answered(store: ObjectStore): Promise<number> {
  const rows = await readUsage(store, {
    from: 0,
    to: Number.POSITIVE_INFINITY,
    take: ({ minutes }) => minutes.flatMap((minute) => minute.rows),
  })
  return [...rows.values()].flat().reduce((sum, row) => sum + row.answered, 0)
}
