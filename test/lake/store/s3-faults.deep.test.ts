import { randomBytes, randomUUID } from 'node:crypto'
import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3'
import { afterAll, afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { s3Store } from '../../../lake/store/s3.ts'
import { type S3Options, s3Client } from '../../../lake/store/s3-client.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { type Fault, type ProxiedRequest, startFaultProxy } from '../../helpers/fault-proxy.ts'
import { startS3 } from '../../helpers/s3-server.ts'
import { chunked, digest, keysOf, sha256 } from './contract.ts'

const MB = 1 << 20
// Where the fault is `slow`, patience ends before it does: a slow reply is one that never comes in time.
const PATIENCE_MS = 10_000
const IMPATIENCE_MS = 500

const s3 = await startS3()
const proxy = s3?.endpoint ? await startFaultProxy(s3.endpoint) : null
afterEach(() => proxy?.clear())
afterAll(async () => {
  await proxy?.close()
  await s3?.stop()
})

const FAULTS: readonly (readonly [string, Fault])[] = [
  ['500', { kind: 'status', status: 500 }],
  ['503', { kind: 'status', status: 503 }],
  ['slow', { kind: 'slow', ms: 1000 }],
  ['cut before the body', { kind: 'cut-request', bytes: 0 }],
  ['cut in the body', { kind: 'cut-request', bytes: 3000 }],
  ['cut reply', { kind: 'cut-reply', bytes: 0 }],
  ['lost reply', { kind: 'lost' }],
  ['502 in place of the reply', { kind: 'lost', status: 502 }],
]

const isPut = ({ method }: ProxiedRequest): boolean => method === 'PUT'
const isGet = ({ method }: ProxiedRequest): boolean => method === 'GET'
const isPart = ({ method, url }: ProxiedRequest): boolean => method === 'PUT' && url.includes('partNumber=')
const isCreate = ({ method, url }: ProxiedRequest): boolean => method === 'POST' && url.includes('uploads')
const isComplete = ({ method, url }: ProxiedRequest): boolean => method === 'POST' && url.includes('uploadId=')

describe.skipIf(!s3 || !proxy)('s3 store behind a faulty network', () => {
  /** A store behind the proxy, and one of the same objects without it. */
  function stores(fault?: Fault): { faulty: ObjectStore; direct: ObjectStore; options: S3Options } {
    const options = s3?.fresh() as S3Options
    const direct = s3Store(options)
    const faulty = s3Store({ ...options, endpoint: proxy?.url ?? '', silence_ms: fault?.kind === 'slow' ? IMPATIENCE_MS : PATIENCE_MS })
    onTestFinished(async () => {
      await faulty.close()
      await direct.close()
    })
    return { faulty, direct, options }
  }

  describe('put-if-absent', () => {
    test.each(FAULTS)('%s: the first still wins, the second is still refused', async (_, fault) => {
      const { faulty, direct } = stores(fault)
      const [mine, other] = [Buffer.from(`${randomUUID()}${'m'.repeat(5000)}`), Buffer.from(`${randomUUID()}${'o'.repeat(5000)}`)]
      proxy?.inject(fault, { when: isPut, times: 2 })
      expect(await faulty.putIfAbsent('v1', mine)).toBe(true)
      proxy?.clear()
      proxy?.inject(fault, { when: isPut, times: 2 })
      expect(await faulty.putIfAbsent('v1', other)).toBe(false)
      expect((await direct.get('v1'))?.equals(mine)).toBe(true)
      // Equal bytes belong to another writer too, where the server says who wrote them.
      expect(await faulty.putIfAbsent('v1', mine)).toBe(false)
      expect(await keysOf(direct, '')).toEqual(['v1'])
    })

    test('every reply lost: knows its own object, and another’s', async () => {
      const { faulty, direct } = stores()
      proxy?.inject({ kind: 'lost' }, { when: isPut })
      expect(await faulty.putIfAbsent('v1', Buffer.from('mine'))).toBe(true)
      expect((await direct.get('v1'))?.toString()).toBe('mine')
      await direct.putIfAbsent('v2', Buffer.from('another’s'))
      expect(await faulty.putIfAbsent('v2', Buffer.from('mine'))).toBe(false)
      expect((await direct.get('v2'))?.toString()).toBe('another’s')
    })

    test('nothing gets through: says that the outcome is unknown, and never false', async () => {
      const { faulty, direct } = stores()
      const unknown = expect.objectContaining({ name: 'StoreError', code: 'unknown-outcome', message: expect.stringContaining('"v1"') })
      for (const fault of [
        { kind: 'status', status: 500 },
        { kind: 'cut-request', bytes: 0 },
      ] as const) {
        proxy?.inject(fault, { when: isPut })
        await expect(faulty.putIfAbsent('v1', Buffer.from('mine'))).rejects.toEqual(unknown)
        proxy?.clear()
      }
      proxy?.inject({ kind: 'lost' })
      await expect(faulty.putIfAbsent('v1', Buffer.from('mine'))).rejects.toEqual(unknown)
      // It was written, completely, but the store could not be asked.
      expect((await direct.get('v1'))?.toString()).toBe('mine')
    })

    test('of 50 racing writers one wins while replies are lost, cut and refused', async () => {
      const { faulty, direct } = stores()
      let count = 0
      for (const [, fault] of FAULTS.filter(([name]) => name !== 'slow'))
        proxy?.inject(fault, { when: (request) => isPut(request) && ++count % 8 === 0, times: 12 })
      for (let round = 0; round < 3; round++) {
        const bodies = Array.from({ length: 50 }, () => Buffer.from(`${randomUUID()}${'x'.repeat(5000)}`))
        const won = await Promise.all(bodies.map((body) => faulty.putIfAbsent(`race/${round}`, body)))
        const winners = bodies.filter((_, at) => won[at])
        expect(winners).toHaveLength(1)
        expect(await direct.get(`race/${round}`)).toEqual(winners[0])
      }
      expect(proxy?.seen.filter(({ fault }) => fault !== null).length).toBeGreaterThan(30)
    })
  })

  describe('put', () => {
    test.each(FAULTS)('%s: a small object arrives whole', async (_, fault) => {
      const { faulty, direct } = stores(fault)
      const body = randomBytes(200_000)
      proxy?.inject(fault, { when: isPut, times: 2 })
      await faulty.put('small', body)
      expect((await direct.get('small'))?.equals(body)).toBe(true)
    })

    const STEPS = [
      ['create', isCreate],
      ['part', isPart],
      ['complete', isComplete],
    ] as const
    test.each(FAULTS.flatMap(([name, fault]) => STEPS.map(([step, when]) => [name, step, { fault, when }] as const)))(
      '%s at %s: 17 MB in parts arrive whole',
      async (_, step, { fault, when }) => {
        const { faulty, direct, options } = stores(fault)
        const body = randomBytes(17 * MB + 1)
        proxy?.inject(fault, { when, times: 2 })
        await faulty.put('big', chunked(body, MB))
        expect(await digest(direct, 'big')).toBe(sha256(body))
        expect(await keysOf(direct, '')).toEqual(['big'])
        // Only an upload whose very beginning got no reply can be left over: it has no parts.
        if (step !== 'create') expect(await uploads(options)).toBe(0)
      },
    )

    test('parts that never arrive: fails, keeps the old object, leaves no upload', async () => {
      const { faulty, direct, options } = stores()
      await direct.put('big', Buffer.from('old'))
      proxy?.inject({ kind: 'status', status: 500 }, { when: (request) => isPart(request) && request.url.includes('partNumber=3') })
      await expect(faulty.put('big', randomBytes(40 * MB))).rejects.toMatchObject({
        name: 'StoreError',
        message: expect.stringContaining('"big"'),
      })
      await expect(faulty.put('new', chunked(randomBytes(40 * MB), MB))).rejects.toMatchObject({ name: 'StoreError' })
      expect((await direct.get('big'))?.toString()).toBe('old')
      expect(await keysOf(direct, '')).toEqual(['big'])
      expect(await uploads(options)).toBe(0)
    })

    // Some servers answer a repeated completion with 404: they have forgotten the upload.
    test.each([{ kind: 'lost' }, { kind: 'lost', status: 404 }] as const)(
      'a completion whose every reply is %o is known to be done',
      async (fault) => {
        const { faulty, direct, options } = stores()
        const body = randomBytes(20 * MB)
        proxy?.inject(fault, { when: isComplete })
        await faulty.put('big', body)
        expect(await digest(direct, 'big')).toBe(sha256(body))
        expect(await uploads(options)).toBe(0)
      },
    )

    test('a completion that never arrives fails, and leaves nothing', async () => {
      const { faulty, direct, options } = stores()
      proxy?.inject({ kind: 'status', status: 503 }, { when: isComplete })
      await expect(faulty.put('big', randomBytes(20 * MB))).rejects.toMatchObject({ name: 'StoreError' })
      expect(await keysOf(direct, '')).toEqual([])
      expect(await uploads(options)).toBe(0)
    })
  })

  describe('reading', () => {
    test('a body that is cut goes on where it stopped', async () => {
      const { faulty, direct } = stores()
      const body = randomBytes(20 * MB)
      await direct.put('big', body)
      proxy?.inject({ kind: 'cut-reply', bytes: 5 * MB }, { when: isGet, times: 3 })
      expect(await digest(faulty, 'big')).toBe(sha256(body))
      proxy?.clear()
      proxy?.inject({ kind: 'cut-reply', bytes: 300_000 }, { when: isGet, times: 2 })
      expect((await faulty.get('big', { start: 1000, end: 2 * MB }))?.equals(body.subarray(1000, 2 * MB))).toBe(true)
    })

    test.each(FAULTS)('%s: small reads, heads, lists and deletes are repeated', async (_, fault) => {
      const { faulty, direct } = stores(fault)
      const keys = Array.from({ length: 20 }, (_unused, at) => `k/${String(at).padStart(2, '0')}`)
      await Promise.all(keys.map((key) => direct.put(key, Buffer.from(`${key}${'.'.repeat(5000)}`))))
      proxy?.inject(fault, { times: 2 })
      expect((await faulty.get('k/07'))?.length).toBe(5004)
      proxy?.inject(fault, { times: 2 })
      expect((await faulty.head('k/07'))?.bytes).toBe(5004)
      proxy?.inject(fault, { times: 2 })
      expect(await keysOf(faulty, 'k/')).toEqual(keys)
      proxy?.inject(fault, { times: 2 })
      await faulty.delete('k/07')
      expect(await keysOf(direct, 'k/')).toEqual(keys.filter((key) => key !== 'k/07'))
    })

    test('never mixes two versions of an object', async () => {
      const { faulty, direct } = stores()
      await direct.put('big', Buffer.alloc(4 * MB, 'a'))
      proxy?.inject({ kind: 'cut-reply', bytes: MB }, { when: isGet, times: 1 })
      const stream = (await faulty.getStream('big')) as AsyncIterable<Buffer>
      await direct.put('big', Buffer.alloc(4 * MB, 'b'))
      const read = async (): Promise<void> => {
        for await (const chunk of stream) expect(chunk.every((byte) => byte === 97)).toBe(true)
      }
      await expect(read()).rejects.toMatchObject({ name: 'StoreError', message: expect.stringContaining('"big"') })
    })

    test('a server that answers no more is an error, not an absence', async () => {
      const { faulty } = stores()
      proxy?.inject({ kind: 'status', status: 503 })
      const { get, getStream, head, now } = faulty
      for (const read of [
        () => get('x'),
        () => getStream('x'),
        () => head('x'),
        () => keysOf(faulty, ''),
        () => now(),
        () => faulty.delete('x'),
      ]) {
        await expect(read()).rejects.toMatchObject({ name: 'StoreError', message: expect.stringContaining('503') })
      }
      const nobody = s3Store({ ...(s3?.fresh() as S3Options), endpoint: 'http://127.0.0.1:1', attempts: 2 })
      await expect(nobody.get('x')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
      await nobody.close()
    })
  })
})

async function uploads({ url, ...options }: S3Options): Promise<number> {
  const client = s3Client({ url, ...options })
  const [, bucket = '', prefix = ''] = /^s3:\/\/([^/]+)\/(.*)$/.exec(url) ?? []
  const found = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix }))
  client.destroy()
  return found.Uploads?.length ?? 0
}
