import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { FormatError } from '../../../jobs/feeds/define.ts'
import { openZip, type Zip } from '../../../jobs/formats/zip.ts'
import { zipOf } from '../../helpers/zip.ts'

const LIMITS = { maxBytes: 10_000_000 }
const STOPS = Buffer.from(`stop_id,stop_name${' '.repeat(133)}\n`.repeat(200))

async function textOf(zip: Zip, name: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of zip.read(name)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function refusal(bytes: Buffer, limits: Parameters<typeof openZip>[1] = LIMITS): Promise<string> {
  const error = await openZip(bytes, limits)
    .then(
      async (zip) => {
        for (const name of zip.names) await textOf(zip, name)
      },
      (reason: unknown) => reason,
    )
    .catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(FormatError)
  return (error as Error).message
}

test('members are found by name, in any order and again, packed and stored; folders are left out', async () => {
  const noise = randomBytes(300_000)
  const zip = await openZip(
    zipOf(
      { name: 'gtfs/', bytes: Buffer.alloc(0), isStored: true },
      { name: 'stops.txt', bytes: STOPS },
      { name: 'año.txt', bytes: Buffer.from('2026') },
      { name: 'noise.bin', bytes: noise, isStored: true },
      { name: 'empty.txt', bytes: Buffer.alloc(0) },
    ),
    LIMITS,
  )
  expect(zip.names).toEqual(['stops.txt', 'año.txt', 'noise.bin', 'empty.txt'])
  expect((await textOf(zip, 'noise.bin')).equals(noise)).toBe(true)
  for (let times = 0; times < 2; times++) expect((await textOf(zip, 'stops.txt')).equals(STOPS)).toBe(true)
  expect(String(await textOf(zip, 'año.txt'))).toBe('2026')
  expect(await textOf(zip, 'empty.txt')).toHaveLength(0)
  await expect(textOf(zip, 'trips.txt')).rejects.toThrow('the zip has no trips.txt; it has gtfs/, stops.txt')
})

test('a member is unpacked piece by piece, and only as far as it is read', async () => {
  const zip = await openZip(zipOf({ name: 'stop_times.txt', bytes: Buffer.alloc(8_000_000, STOPS) }), LIMITS)
  let largest = 0
  let pieces = 0
  for await (const chunk of zip.read('stop_times.txt')) {
    largest = Math.max(largest, chunk.length)
    if (++pieces === 3) break
  }
  expect(largest).toBeLessThanOrEqual(65_536)
  expect((await textOf(zip, 'stop_times.txt')).length).toBe(8_000_000)
})

test('bombs are refused by the statements of their directory, before anything is unpacked', async () => {
  const bomb = zipOf({ name: 'bomb', bytes: Buffer.alloc(9_000_000) })
  expect(bomb.length).toBeLessThan(20_000)
  expect(await refusal(bomb)).toMatch(/^bomb in the zip unpacks to 9000000 bytes of \d+, at most 250 to 1 are read$/)
  expect(await refusal(bomb, { maxBytes: 8_999_999 })).toBe('the zip unpacks to more than 8999999 bytes')
  const parts = Array.from({ length: 5 }, (_, at) => ({ name: `part ${at}`, bytes: Buffer.alloc(900_000) }))
  expect(await refusal(zipOf(...parts), { maxBytes: 4_000_000 })).toBe('the zip unpacks to more than 4000000 bytes')
  const many = Array.from({ length: 1001 }, (_, at) => ({ name: `${at}`, bytes: Buffer.alloc(1), isStored: true }))
  expect(await refusal(zipOf(...many))).toBe('a zip of 1001 members, at most 1000 are read')
  expect((await openZip(zipOf(...many), { ...LIMITS, maxEntries: 1001 })).names).toHaveLength(1001)
})

test('a bomb that states a small size ends where that size does', async () => {
  const bomb = zipOf({ name: 'bomb', bytes: Buffer.alloc(50_000_000), statedSize: 900_000 })
  const zip = await openZip(bomb, LIMITS)
  let read = 0
  const reading = (async () => {
    for await (const chunk of zip.read('bomb')) read += chunk.length
  })()
  await expect(reading).rejects.toThrow(FormatError)
  expect(read).toBeLessThanOrEqual(900_000)
})

test('an archive that was cut, is no zip, or differs from its statements, is refused', async () => {
  const whole = zipOf({ name: 'stops.txt', bytes: STOPS }, { name: 'trips.txt', bytes: STOPS })
  for (const share of [0, 0.2, 0.5, 0.9, 0.999])
    expect(await refusal(whole.subarray(0, Math.floor(whole.length * share)))).toMatch(/^not a whole zip: /)
  expect(await refusal(Buffer.from('<!DOCTYPE html>'))).toMatch(/^not a whole zip: /)
  // The middle is missing, the end is there.
  expect(await refusal(Buffer.concat([whole.subarray(0, 40), whole.subarray(80)]))).toMatch(
    /^(not a whole zip|stops\.txt in the zip is damaged): /,
  )
  const damaged = Buffer.from(whole)
  damaged[60] = (damaged[60] as number) ^ 0xff
  expect(await refusal(damaged)).toMatch(/^stops\.txt in the zip is damaged: /)
  expect(await refusal(zipOf({ name: 'a', bytes: STOPS, statedSum: 1 }))).toBe('a in the zip is damaged: its checksum differs')
  expect(await refusal(zipOf({ name: 'a', bytes: STOPS, statedSize: STOPS.length + 1 }))).toMatch(/^a in the zip is damaged: /)
})

test('two members of one name, encrypted ones and paths that lead out are refused', async () => {
  const twice = { name: 'stops.txt', bytes: STOPS }
  expect(await refusal(zipOf(twice, twice))).toBe('the zip has two members named stops.txt')
  expect(await refusal(zipOf({ name: 'a', bytes: STOPS, flags: 0x801 }))).toBe('a in the zip is encrypted')
  expect(await refusal(zipOf({ name: '../a', bytes: STOPS }))).toMatch(/^not a whole zip: /)
})
