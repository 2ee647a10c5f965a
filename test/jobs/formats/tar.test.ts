import { buffer } from 'node:stream/consumers'
import { pack } from 'tar-stream'
import { expect, test } from 'vitest'
import { FormatError } from '../../../jobs/feeds/define.ts'
import { readTar } from '../../../jobs/formats/tar.ts'
import { packTar } from '../../../scripts/stand-in/formats/tar.ts'

const FILES = [
  { name: 'a.xml', bytes: Buffer.from('<alert/>') },
  { name: 'é.xml', bytes: Buffer.alloc(5000, 65) },
  { name: 'empty.xml', bytes: Buffer.alloc(0) },
]

async function refusal(bytes: Buffer): Promise<string> {
  const error = await readTar(bytes).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(FormatError)
  return (error as FormatError).message
}

test('files in their order; folders and links are left out', async () => {
  expect(await readTar(packTar(FILES, 0))).toEqual(FILES)
  const archive = pack()
  archive.entry({ name: 'folder/', type: 'directory' })
  archive.entry({ name: 'link.xml', type: 'symlink', linkname: '/etc/passwd' })
  archive.entry({ name: 'folder/a.xml' }, 'a')
  archive.finalize()
  expect(await readTar(await buffer(archive))).toEqual([{ name: 'folder/a.xml', bytes: Buffer.from('a') }])
})

test('an incomplete archive is refused wherever it was cut', async () => {
  const whole = packTar(FILES, 0)
  for (let length = 0; length < whole.length; length += 128) expect(await refusal(whole.subarray(0, length))).toMatch(/^not a whole tar/)
  expect(await refusal(Buffer.concat([whole.subarray(0, 6 * 512), Buffer.alloc(1024)]))).toBe('not a whole tar: Unexpected end of data')
  const damaged = Buffer.from(whole)
  damaged[3] = 9
  expect(await refusal(damaged)).toMatch(/^not a whole tar: Invalid tar header/)
})

test('too many entries, and two files of one name, are refused', async () => {
  const [first] = FILES as [(typeof FILES)[number]]
  const many = Array.from({ length: 10_001 }, (_, nth) => ({ name: `${nth}.xml`, bytes: Buffer.alloc(0) }))
  expect(await refusal(packTar(many, 0))).toBe('the tar has more than 10000 entries')
  expect(await readTar(packTar(many.slice(1), 0))).toHaveLength(10_000)
  expect(await refusal(packTar([first, first], 0))).toBe('the tar has two files named a.xml')
})
