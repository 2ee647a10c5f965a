import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import type { LiveKey } from '../../../api/auth/keys/key-index.ts'
import { openRequestLog, type RequestLog } from '../../../api/auth/usage/request-log.ts'
import { readLog } from '../../../lake/requests/log.ts'
import { unitsReader } from '../../../lake/requests/usage.ts'
import { s3Store } from '../../../lake/store/s3.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { startS3 } from '../../helpers/s3-server.ts'

const s3 = await startS3()
afterAll(() => s3?.stop())

const T0 = Date.UTC(2026, 10, 22, 9, 57, 30)
const MINUTE_MS = 60_000
const SLOT = `${'a'.repeat(64)}.1`
const KEY: LiveKey = { id: 'key_00000000000000000001', plan: 'PRO', slot: SLOT, status: 'ACTIVE', account: 'a'.repeat(64), ends_at: null }

describe.skipIf(!s3)('usage on S3', () => {
  test('is written each minute, in one object for each hour, and equals the counted usage at every step', async () => {
    const store = s3Store((s3 as NonNullable<typeof s3>).fresh())
    onTestFinished(() => store.close())
    let now = T0
    const errors: Error[] = []
    const open = (): RequestLog =>
      openRequestLog({
        store,
        clock: () => now,
        every_ms: null,
        onError: (error) => errors.push(error),
        onLost: () => errors.push(new Error('lost')),
      })
    const [one, other] = [open(), open()]
    const counts = [one, other].map((log) => log.usageOf('/api/incidents'))
    for (let minute = 1; minute <= 5; minute++) {
      for (const count of counts) count(KEY, 200, 1)
      now += MINUTE_MS
      await Promise.all([one.flush(), other.flush()])
      expect(await answered(store), `minute ${minute}`).toBe(2 * minute)
    }
    expect((await namesIn(store)).map((name) => name.replace(/[0-9a-f]{16}/, '…')).sort()).toEqual([
      ...Array<string>(2).fill('requests/2026-11-22T09/…-1.jsonl'),
      ...Array<string>(2).fill('requests/2026-11-22T10/…-2.jsonl'),
    ])
    for (const count of counts) count(KEY, 404, 1)
    await Promise.all([one.close(), other.close()])
    expect(await answered(store)).toBe(10)
    expect((await unitsReader({ store }, other)(T0 - 86_400_000)).get(SLOT)).toBe(12)
    expect(errors).toEqual([])
  })
})

async function namesIn(store: ObjectStore): Promise<string[]> {
  const names: string[] = []
  for await (const { key } of store.list('requests/')) names.push(key)
  return names
}

async function answered(store: ObjectStore): Promise<number> {
  const rows = await readLog(store, {
    from: 0,
    to: Number.POSITIVE_INFINITY,
    take: ({ minutes }) => minutes.flatMap((minute) => minute.usage),
  })
  return [...rows.values()].flat().reduce((sum, row) => sum + row.answered, 0)
}
