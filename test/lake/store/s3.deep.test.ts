import { afterAll, expect, test } from 'vitest'
import { selfTest } from '../../../lake/store/open.ts'
import { s3Store } from '../../../lake/store/s3.ts'
import type { S3Options } from '../../../lake/store/s3-client.ts'
import { startS3 } from '../../helpers/s3-server.ts'
import { testObjectStore } from './contract.ts'

const s3 = await startS3()
afterAll(() => s3?.stop())

if (s3) testObjectStore('s3', async () => s3Store(s3.fresh()))
else test.skip('object store: s3')

test.skipIf(!s3)('a bucket that is not there is an error, not an empty store', async () => {
  const store = s3Store({ ...(s3?.fresh() as S3Options), url: 's3://no-such-bucket-here/p' })
  const missing = expect.objectContaining({
    name: 'StoreError',
    code: 'NoSuchBucket',
    message: expect.stringContaining('s3://no-such-bucket-here/p'),
  })
  await expect(store.get('x')).rejects.toEqual(missing)
  await expect(store.put('x', Buffer.from('x'))).rejects.toEqual(missing)
  await expect(store.putIfAbsent('x', Buffer.from('x'))).rejects.toEqual(missing)
  await expect(selfTest(store)).rejects.toEqual(missing)
  await store.close()
})

test.skipIf(!s3)('a signed URL gives the object to every client that has it, until it expires', async () => {
  const store = s3Store(s3?.fresh() as S3Options)
  await store.put('lake/a.parquet', Buffer.from('0123456789'))
  const url = (await store.signedUrl('lake/a.parquet', { expires_s: 900, name: 'a.parquet' })) as string
  const part = await fetch(url, { headers: { Range: 'bytes=3-' } })
  expect([part.status, await part.text()]).toEqual([206, '3456789'])
  expect(part.headers.get('content-disposition')).toBe('attachment; filename="a.parquet"')
  expect((await fetch(url.replace('a.parquet', 'b.parquet'))).status).toBe(403)
  await store.close()
  const elsewhere = s3Store({ ...(s3?.fresh() as S3Options), publicEndpoint: 'https://files.example.org' })
  expect(await elsewhere.signedUrl('x', { expires_s: 60, name: 'x' })).toMatch(/^https:\/\/files\.example\.org\//)
  await elsewhere.close()
})

test.skipIf(!s3)('wrong credentials are an error that says so', async () => {
  for (const accessKeyId of ['test', 'nobody']) {
    const store = s3Store({ ...(s3?.fresh() as S3Options), credentials: { accessKeyId, secretAccessKey: 'nothing' } })
    const refused = expect.objectContaining({ name: 'StoreError', message: expect.stringMatching(/(signature|access key).*HTTP 40[34]/i) })
    for (const call of [
      () => store.get('x'),
      () => store.put('x', Buffer.from('x')),
      () => store.putIfAbsent('x', Buffer.from('x')),
      () => store.now(),
    ]) {
      await expect(call()).rejects.toEqual(refused)
    }
    await store.close()
  }
})
