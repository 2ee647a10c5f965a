import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { compareKeys } from '../../../lake/store/keys.ts'
import { selfTest } from '../../../lake/store/open.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { byTier } from '../../helpers/tier.ts'

const MB = 1 << 20

/** The behaviour of every store; `open` returns a new, empty one each time. */
export function testObjectStore(name: string, open: () => Promise<ObjectStore>): void {
  describe(`object store: ${name}`, () => {
    let store: ObjectStore
    beforeEach(async () => {
      store = await open()
    })
    afterEach(() => store.close())

    test('returns the stored bytes, and null for missing ones', async () => {
      await store.put('a/b/one.bin', Buffer.from('hello'))
      expect((await store.get('a/b/one.bin'))?.toString()).toBe('hello')
      expect(await store.get('a/b/two.bin')).toBeNull()
      expect(await store.get('a/b')).toBeNull()
      expect(await store.get('a/c/one.bin')).toBeNull()
      expect(await store.getStream('a/b/two.bin')).toBeNull()
      expect(await store.head('a/b/two.bin')).toBeNull()
      expect(await store.head('a')).toBeNull()
      expect(await store.head('a/b/one.bin/x')).toBeNull()
    })

    test('keeps empty objects', async () => {
      await store.put('empty', Buffer.alloc(0))
      await store.put('empty-stream', chunked(Buffer.alloc(0), 10))
      for (const key of ['empty', 'empty-stream']) {
        expect(await store.get(key)).toEqual(Buffer.alloc(0))
        expect(await store.get(key, { start: 0, end: 10 })).toEqual(Buffer.alloc(0))
        expect((await collect(await store.getStream(key))).length).toBe(0)
        expect((await store.head(key))?.bytes).toBe(0)
      }
    })

    test('reads ranges, cut at the end of the object', async () => {
      await store.put('digits', Buffer.from('0123456789'))
      const read = async (start: number, end: number) => (await store.get('digits', { start, end }))?.toString()
      expect(await read(0, 10)).toBe('0123456789')
      expect(await read(0, 1)).toBe('0')
      expect(await read(3, 7)).toBe('3456')
      expect(await read(7, 100)).toBe('789')
      expect(await read(4, 4)).toBe('')
      expect(await read(10, 12)).toBe('')
      expect(await read(50, 60)).toBe('')
      expect(await store.get('nothing', { start: 0, end: 1 })).toBeNull()
      expect(await store.get('nothing', { start: 1, end: 1 })).toBeNull()
      for (const [start, end] of [
        [-1, 2],
        [3, 2],
        [0.5, 2],
        [0, Number.NaN],
      ] as const) {
        await expect(store.get('digits', { start, end })).rejects.toMatchObject({ code: 'invalid-range' })
      }
    })

    test('says size and time of an object by the store’s own clock', async () => {
      const before = await store.now()
      await store.put('timed', Buffer.alloc(1234))
      const after = await store.now()
      const info = await store.head('timed')
      expect(info).toMatchObject({ key: 'timed', bytes: 1234 })
      // S3 servers report whole seconds.
      expect(info?.modified_at).toBeGreaterThanOrEqual(Math.floor(before / 1000) * 1000)
      expect(info?.modified_at).toBeLessThanOrEqual(after + 1000)
      expect(Math.abs(after - Date.now())).toBeLessThan(60_000)
      const [listed] = await all(store, '')
      expect(listed).toMatchObject({ key: 'timed', bytes: 1234 })
      expect(Math.abs((listed?.modified_at ?? 0) - (info?.modified_at ?? 0))).toBeLessThan(1000)
    })

    test('replaces an object whole, while readers see the one or the other', async () => {
      const bodies = [Buffer.alloc(300_000, 'a'), Buffer.alloc(200_000, 'b')]
      await store.put('replaced', bodies[0] as Buffer)
      let writing = true
      const reading = (async () => {
        let reads = 0
        while (writing) {
          const found = await store.get('replaced')
          expect(bodies.some((body) => found?.equals(body))).toBe(true)
          reads++
        }
        return reads
      })()
      for (let round = 1; round <= byTier(4, 20); round++) await store.put('replaced', bodies[round % 2] as Buffer)
      writing = false
      expect(await reading).toBeGreaterThan(0)
      expect((await store.get('replaced'))?.equals(bodies[0] as Buffer)).toBe(true)
    })

    test('put-if-absent writes once', async () => {
      expect(await store.putIfAbsent('once', Buffer.from('first'))).toBe(true)
      expect(await store.putIfAbsent('once', Buffer.from('second'))).toBe(false)
      expect(await store.putIfAbsent('once', Buffer.from('third, of another length'))).toBe(false)
      expect((await store.get('once'))?.toString()).toBe('first')
      await store.put('put', Buffer.from('plain'))
      expect(await store.putIfAbsent('put', Buffer.from('conditional'))).toBe(false)
      expect((await store.get('put'))?.toString()).toBe('plain')
      await store.delete('once')
      expect(await store.putIfAbsent('once', Buffer.from('again'))).toBe(true)
    })

    test.each([1000, 17 * MB])('put-if-absent takes a stream of %i bytes once', async (bytes) => {
      const bodies = [1, 2, 3].map(() => randomBytes(bytes))
      const won = await Promise.all(bodies.map((body) => store.putIfAbsent('once', chunked(body, MB)).catch(() => false)))
      expect([won.filter(Boolean).length, await store.putIfAbsent('once', chunked(randomBytes(bytes), MB))]).toEqual([1, false])
      expect(await digest(store, 'once')).toBe(sha256(bodies[won.indexOf(true)] as Buffer))
      await expect(store.putIfAbsent('new', chunked(Buffer.alloc(bytes), MB, new Error('broke')))).rejects.toThrow('broke')
    })

    test('of 50 racing writers one wins, and its bytes are there', async () => {
      for (let round = 0; round < 5; round++) {
        const key = `race/${round}/v1.metadata.json`
        const bodies = Array.from({ length: 50 }, () => Buffer.from(`${randomUUID()} ${'x'.repeat(20_000)}`))
        const won = await Promise.all(bodies.map((body) => store.putIfAbsent(key, body)))
        const winners = bodies.filter((_, at) => won[at])
        expect(winners).toHaveLength(1)
        expect(await store.get(key)).toEqual(winners[0])
      }
    })

    test('lists in byte order of whole keys', async () => {
      const keys = [
        'a',
        'a-b',
        'a.b',
        'ab/c',
        'ab/c-d',
        'a+/x',
        'a0',
        'B/z',
        'b/a/a',
        'b/a!',
        'b/b',
        'z/\ue000',
        'z/\u{1f6e3}',
        'z/é',
        'z/e',
      ]
      await Promise.all(keys.map((key) => store.put(key, Buffer.from(key))))
      const sorted = [...keys].sort((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y)))
      expect(await keysOf(store, '')).toEqual(sorted)
      expect([...keys].sort(compareKeys)).toEqual(sorted)
      expect(await keysOf(store, 'a')).toEqual(sorted.filter((key) => key.startsWith('a')))
      expect(await keysOf(store, 'ab/')).toEqual(['ab/c', 'ab/c-d'])
      expect(await keysOf(store, 'ab/c')).toEqual(['ab/c', 'ab/c-d'])
      expect(await keysOf(store, 'b/a/')).toEqual(['b/a/a'])
      expect(await keysOf(store, 'nothing/')).toEqual([])
      expect(await keysOf(store, 'a/')).toEqual([])
      for (const startAfter of ['', 'a', 'a-', 'a-b', 'ab', 'ab/', 'ab/c', 'b/a', 'b/a/a', 'z/z', '\u{1f6e3}', 'Z']) {
        const expected = sorted.filter((key) => Buffer.compare(Buffer.from(key), Buffer.from(startAfter)) > 0)
        expect(await keysOf(store, '', startAfter), startAfter).toEqual(expected)
      }
      expect(await keysOf(store, 'b/', 'b/a/a')).toEqual(['b/b'])
    })

    test('lists more than a page, from any place in it', async () => {
      const keys = Array.from({ length: 1203 }, (_, at) => `log/${at % 2 ? 'x' : 'y'}/${String(at).padStart(10, '0')}.json`)
      for (let at = 0; at < keys.length; at += 40) await Promise.all(keys.slice(at, at + 40).map((key) => store.put(key, Buffer.from(key))))
      keys.sort()
      expect(await keysOf(store, 'log/')).toEqual(keys)
      expect(await keysOf(store, 'log/', keys[99])).toEqual(keys.slice(100))
      expect(await keysOf(store, 'log/', keys[1201])).toEqual([keys[1202]])
      expect(await keysOf(store, 'log/y/', keys[1202])).toEqual([])
      // A reader of the beginning alone may stop there.
      for await (const { key } of store.list('log/')) {
        expect(key).toBe(keys[0])
        break
      }
    })

    test('deletes, also missing objects', async () => {
      await store.put('d/one', Buffer.from('1'))
      await store.put('d/two', Buffer.from('2'))
      await store.delete('d/one')
      await store.delete('d/one')
      await store.delete('nowhere/at/all')
      expect(await keysOf(store, '')).toEqual(['d/two'])
      await store.delete('d')
      expect(await store.get('d/one')).toBeNull()
      expect((await store.get('d/two'))?.toString()).toBe('2')
    })

    test('deletes many, also missing objects and more than a request takes', async () => {
      const keys = Array.from({ length: 1003 }, (_, at) => `m/${at}`)
      for (const key of [...keys.slice(0, 3), ...keys.slice(-2), 'kept']) await store.put(key, Buffer.from(key))
      await store.deleteMany(keys)
      await store.deleteMany(keys.slice(0, 2))
      await store.deleteMany([])
      expect(await keysOf(store, '')).toEqual(['kept'])
    })

    test('refuses keys that are not plain, in every operation', async () => {
      const bad = [
        '',
        '/',
        '/etc/passwd',
        '..',
        '../x',
        'a/../x',
        'a/..',
        'a/./b',
        '.',
        './a',
        'a//b',
        'a/',
        '.hidden',
        'a/.tmp/b',
        'a\0b',
        'a\\b',
        'a\nb',
        '\ud800',
      ]
      bad.push('x'.repeat(256), `${'long/'.repeat(210)}x`)
      const path = join(tempFolder(), 'file')
      await writeFile(path, 'x')
      for (const key of bad) {
        const refused = expect.objectContaining({ name: 'StoreError', code: 'invalid-key' })
        await expect(store.get(key), key).rejects.toEqual(refused)
        await expect(store.getStream(key), key).rejects.toEqual(refused)
        await expect(store.head(key), key).rejects.toEqual(refused)
        await expect(store.put(key, Buffer.from('x')), key).rejects.toEqual(refused)
        await expect(store.putFile(key, path), key).rejects.toEqual(refused)
        await expect(store.putIfAbsent(key, Buffer.from('x')), key).rejects.toEqual(refused)
        await expect(store.delete(key), key).rejects.toEqual(refused)
        await expect(store.deleteMany(['plain', key]), key).rejects.toEqual(refused)
        expect(() => store.location(key), key).toThrow(refused)
      }
      for (const prefix of ['/', '../', 'a/../', 'a//', '.tmp/', 'a/.', 'a\\']) {
        await expect(all(store, prefix), prefix).rejects.toMatchObject({ code: 'invalid-key' })
      }
      expect(await keysOf(store, '')).toEqual([])
    })

    test('takes any other name', async () => {
      const keys = [
        'áéíñü/Ávila.json',
        '漢字/データ',
        '🛣️/🚗',
        'a b/c  d',
        ' lead',
        'trail ',
        'plus+plus',
        '50%',
        '%2e%2e',
        'q?x=1&y=2#z',
        `"<'>"&amp;`,
        'a=b/c:d;e,f@g',
        '~x/(y)[z]{w}|^`$!*',
        'month=2026-03/part-0.parquet',
        '-dash',
        '__',
        `${'d'.repeat(255)}`,
      ]
      await Promise.all(keys.map((key) => store.put(key, Buffer.from(key))))
      expect(await keysOf(store, '')).toEqual([...keys].sort(compareKeys))
      for (const key of keys) {
        expect((await store.get(key))?.toString(), key).toBe(key)
        expect(await keysOf(store, key), key).toEqual([key])
        expect(await store.putIfAbsent(key, Buffer.from('other')), key).toBe(false)
        await store.delete(key)
        expect(await store.head(key), key).toBeNull()
      }
    })

    test('streams 40 MB in and out', async () => {
      const body = randomBytes(40 * MB + 12_345)
      // Chunks that do not fit parts.
      await store.put('big/stream.bin', chunked(body, 777_777))
      expect(await digest(store, 'big/stream.bin')).toBe(sha256(body))
      expect((await store.head('big/stream.bin'))?.bytes).toBe(body.length)
      expect(
        (await store.get('big/stream.bin', { start: 16 * MB - 5, end: 16 * MB + 5 }))?.equals(body.subarray(16 * MB - 5, 16 * MB + 5)),
      ).toBe(true)
      await store.put('big/buffer.bin', body)
      expect(await digest(store, 'big/buffer.bin')).toBe(sha256(body))
      const other = randomBytes(17 * MB)
      await store.put('big/stream.bin', chunked(other, 5 * MB))
      expect(await digest(store, 'big/stream.bin')).toBe(sha256(other))
    })

    test('streams of every size about a part arrive whole', async () => {
      const body = randomBytes(24 * MB + 1)
      for (const bytes of [8 * MB, 16 * MB - 1, 16 * MB, 16 * MB + 1, 24 * MB, 24 * MB + 1]) {
        await store.put('edge', chunked(body.subarray(0, bytes), MB))
        expect(await digest(store, 'edge'), `${bytes} bytes`).toBe(sha256(body.subarray(0, bytes)))
      }
    })

    test('a stream that breaks off leaves nothing, and the former object stays', async () => {
      await store.put('kept', Buffer.from('old'))
      const broken = new Error('source broke')
      for (const bytes of [10, 20 * MB]) {
        for (const key of ['kept', 'new']) await expect(store.put(key, chunked(Buffer.alloc(bytes), MB, broken))).rejects.toBe(broken)
      }
      expect((await store.get('kept'))?.toString()).toBe('old')
      expect(await keysOf(store, '')).toEqual(['kept'])
    })

    test('closes the stream of a reader that stops', async () => {
      await store.put('half', randomBytes(20 * MB))
      for (let round = 0; round < 5; round++) {
        for await (const chunk of (await store.getStream('half')) ?? []) {
          expect(chunk.length).toBeGreaterThan(0)
          break
        }
      }
      expect((await store.head('half'))?.bytes).toBe(20 * MB)
    })

    test('stores finished files, small and large', async () => {
      const folder = tempFolder()
      for (const bytes of [100, 20 * MB]) {
        const body = randomBytes(bytes)
        const path = join(folder, `file-${bytes}`)
        await writeFile(path, body)
        await store.put(`files/${bytes}`, Buffer.from('replaced'))
        await store.putFile(`files/${bytes}`, path)
        expect(await digest(store, `files/${bytes}`)).toBe(sha256(body))
        const info = await store.head(`files/${bytes}`)
        expect(Math.abs((info?.modified_at ?? 0) - (await store.now()))).toBeLessThan(10_000)
        expect(existsSync(path)).toBe(false)
      }
      await expect(store.putFile('files/none', join(folder, 'none'))).rejects.toThrow('none')
      expect(await store.head('files/none')).toBeNull()
    })

    test('does many things at once', async () => {
      const work = Array.from({ length: 200 }, async (_, at) => {
        const key = `many/${at % 10}/${at}`
        const body = randomBytes(at * 100)
        await store.put(key, body)
        expect((await store.get(key))?.equals(body)).toBe(true)
        if (at % 3 === 0) await store.delete(key)
      })
      await Promise.all(work)
      expect(await keysOf(store, 'many/')).toHaveLength(200 - 67)
    })

    test('says where foreign readers find an object', async () => {
      expect(store.location('lake/road/incidents')).toMatch(/^(\/|s3:\/\/).*\/lake\/road\/incidents$/)
      expect(store.url).toMatch(/^(file:\/\/\/|s3:\/\/).*[^/]$/)
    })

    test('passes the self-test and is as empty afterwards', async () => {
      await selfTest(store)
      expect(await keysOf(store, '')).toEqual([])
    })
  })
}

/** A body in chunks of a size, which at its end throws where an error is given. */
export async function* chunked(body: Buffer, size: number, error?: Error): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size)
  if (error) throw error
}

/** Keys under a prefix, as listed. */
export async function keysOf(store: ObjectStore, prefix: string, startAfter?: string): Promise<string[]> {
  return (await all(store, prefix, startAfter)).map(({ key }) => key)
}

/** SHA-256 of a buffer, in hex. */
export function sha256(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex')
}

/** SHA-256 of an object's bytes as they stream. */
export async function digest(store: ObjectStore, key: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of (await store.getStream(key)) ?? []) hash.update(chunk)
  return hash.digest('hex')
}

async function collect(stream: AsyncIterable<Buffer> | null): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream ?? []) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function all(
  store: ObjectStore,
  prefix: string,
  startAfter?: string,
): Promise<{ key: string; bytes: number; modified_at: number }[]> {
  const found = []
  for await (const info of store.list(prefix, startAfter === undefined ? {} : { startAfter })) found.push(info)
  return found
}
