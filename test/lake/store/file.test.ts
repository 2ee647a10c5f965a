import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmdirSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { fileStore } from '../../../lake/store/file.ts'
import { noticingFull } from '../../../lake/store/fullness.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { deepTest } from '../../helpers/tier.ts'
import { chunked, keysOf, testObjectStore } from './contract.ts'
import { isWhole } from './writer.ts'

const MB = 1 << 20
const HOUR_S = 3600
const WRITER = fileURLToPath(new URL('./writer.ts', import.meta.url))

testObjectStore('file', () => fileStore(join(tempFolder(), 'a', 'store')))

deepTest('kill -9 of a writer leaves whole objects or none, and its temporary files go once they are old', async () => {
  const root = join(tempFolder(), 'store')
  let objects = 0
  for (let round = 0; round < 12; round++) {
    const child = spawn(process.execPath, [WRITER, 'write', root], { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    await new Promise((resolve) => child.stdout.once('data', resolve))
    await delay(10 + Math.random() * 120)
    child.kill('SIGKILL')
    await ended(child)
    const store = await fileStore(root)
    for (const key of await keysOf(store, '')) {
      expect(isWhole((await store.get(key)) as Buffer), key).toBe(true)
      objects++
    }
  }
  expect(objects).toBeGreaterThan(12)

  const temps = await readdir(join(root, '.tmp'))
  expect(temps.length).toBeGreaterThan(0)
  await fileStore(root)
  // Young ones may be a living process's on another machine.
  expect(await readdir(join(root, '.tmp'))).toEqual(temps)
  await Promise.all(temps.map((name) => age(join(root, '.tmp', name), 2)))
  await fileStore(root)
  expect(await readdir(join(root, '.tmp'))).toEqual([])
})

test('temporary files of living processes stay for a day', async () => {
  const root = tempFolder()
  await mkdir(join(root, '.tmp'))
  const name = join(root, '.tmp', `${process.ppid}-slow`)
  await writeFile(name, 'x')
  await age(name, 23)
  await fileStore(root)
  expect(existsSync(name)).toBe(true)
  await age(name, 25)
  await fileStore(root)
  expect(existsSync(name)).toBe(false)
})

deepTest('of several processes one wins each key', async () => {
  const root = tempFolder()
  const racers = Array.from({ length: 4 }, () =>
    spawn(process.execPath, [WRITER, 'race', root, '300'], { stdio: ['ignore', 'pipe', 'inherit'] }),
  )
  const won = await Promise.all(racers.map(async (child) => ({ pid: child.pid, keys: (await output(child)).split('\n').filter(Boolean) })))
  expect(won.flatMap(({ keys }) => keys).sort()).toEqual(Array.from({ length: 300 }, (_, at) => `metadata/v${at}.json`).sort())
  for (const { pid, keys } of won) for (const key of keys) expect(await readFile(join(root, key), 'utf8')).toBe(String(pid))
  expect(await readdir(join(root, '.tmp'))).toEqual([])
})

const mountable = canMount()
test.skipIf(!mountable)('a full disk gives a clear error and leaves nothing behind', async () => {
  const root = join(smallDisk(), 'store')
  const store = await fileStore(root)
  await store.put('kept', Buffer.from('old'))
  const big = randomBytes(20 * MB)
  const source = join(tempFolder(), 'source')
  await writeFile(source, big)
  const full = expect.objectContaining({
    name: 'StoreError',
    code: 'ENOSPC',
    message: expect.stringMatching(/"(kept|new)".*no space left on its disk/),
  })
  for (const key of ['kept', 'new']) {
    await expect(store.put(key, big)).rejects.toEqual(full)
    await expect(store.put(key, chunked(big, MB))).rejects.toEqual(full)
    await expect(store.putIfAbsent(key, big)).rejects.toEqual(full)
    await expect(store.putFile(key, source)).rejects.toEqual(full)
  }
  const noticing = noticingFull(store)
  await expect(noticing.store.put('new', big)).rejects.toEqual(full)
  expect(noticing.isFull()).toBe(true)
  await noticing.store.put('kept', Buffer.from('old'))
  expect(noticing.isFull()).toBe(false)
  expect(existsSync(source)).toBe(true)
  expect(await keysOf(store, '')).toEqual(['kept'])
  expect((await store.get('kept'))?.toString()).toBe('old')
  expect(await readdir(join(root, '.tmp'))).toEqual([])
  await store.put('new', big.subarray(0, 5 * MB))
  expect((await store.head('new'))?.bytes).toBe(5 * MB)
})

test.skipIf(!mountable)('copies a finished file from another disk', async () => {
  const store = await fileStore(join(smallDisk(), 'other'))
  const source = join(tempFolder(), 'source')
  const body = randomBytes(2 * MB)
  await writeFile(source, body)
  await age(source, 100)
  await store.putFile('moved', source)
  expect((await store.get('moved'))?.equals(body)).toBe(true)
  expect(existsSync(source)).toBe(false)
  expect(Math.abs(((await store.head('moved'))?.modified_at ?? 0) - (await store.now()))).toBeLessThan(10_000)
})

test('moves a finished file of the same disk without copying, and dates it as stored now', async () => {
  const folder = tempFolder()
  const store = await fileStore(join(folder, 'store'))
  const source = join(folder, 'source')
  await writeFile(source, 'x')
  await age(source, 100)
  const { ino } = await stat(source)
  await store.putFile('data/moved', source)
  expect((await stat(store.location('data/moved'))).ino).toBe(ino)
  expect(Math.abs(((await store.head('data/moved'))?.modified_at ?? 0) - (await store.now()))).toBeLessThan(10_000)
})

test('does not follow symbolic links out of the root, nor take them for objects', async () => {
  const folder = tempFolder()
  await mkdir(join(folder, 'outside'))
  await writeFile(join(folder, 'outside', 'secret'), 'secret')
  const store = await fileStore(join(folder, 'store'))
  await symlink(join(folder, 'outside'), join(folder, 'store', 'way'))
  await symlink(join(folder, 'outside', 'secret'), join(folder, 'store', 'file'))
  const refused = expect.objectContaining({ name: 'StoreError', message: expect.stringMatching(/symbolic links|not a folder/) })
  await expect(store.get('way/secret')).rejects.toEqual(refused)
  await expect(store.getStream('way/secret')).rejects.toEqual(refused)
  await expect(store.head('way/secret')).rejects.toEqual(refused)
  await expect(store.put('way/new', Buffer.from('x'))).rejects.toEqual(refused)
  await expect(store.putIfAbsent('way/new', Buffer.from('x'))).rejects.toEqual(refused)
  await expect(store.delete('way/secret')).rejects.toEqual(refused)
  await expect(keysOf(store, 'way/')).rejects.toEqual(refused)
  expect(await store.get('file')).toBeNull()
  expect(await store.head('file')).toBeNull()
  await store.delete('file')
  expect(await keysOf(store, '')).toEqual([])
  await store.put('file', Buffer.from('own'))
  expect((await store.get('file'))?.toString()).toBe('own')
  expect(await readdir(join(folder, 'outside'))).toEqual(['secret'])
  expect(await readFile(join(folder, 'outside', 'secret'), 'utf8')).toBe('secret')
})

test('a root that is itself reached by a symbolic link is fine', async () => {
  const folder = tempFolder()
  await mkdir(join(folder, 'real'))
  await symlink(join(folder, 'real'), join(folder, 'link'))
  const store = await fileStore(join(folder, 'link'))
  await store.put('a/b', Buffer.from('x'))
  expect((await (await fileStore(join(folder, 'link'))).get('a/b'))?.toString()).toBe('x')
  expect(await keysOf(await fileStore(join(folder, 'real')), 'a/')).toEqual(['a/b'])
})

test('an object cannot be under an object, nor be a folder', async () => {
  const root = tempFolder()
  const store = await fileStore(root)
  await store.put('a', Buffer.from('x'))
  await store.put('f/b', Buffer.from('x'))
  await expect(store.put('a/b', Buffer.from('y'))).rejects.toThrow(/"a\/b".*a is not a folder/)
  await expect(store.put('f', Buffer.from('y'))).rejects.toThrow(/"f".*there is a folder of that name/)
  await expect(store.putIfAbsent('f', Buffer.from('y'))).rejects.toThrow(/"f".*f is not a file/)
  expect(await keysOf(store, '')).toEqual(['a', 'f/b'])
  expect(await readdir(join(root, '.tmp'))).toEqual([])
})

test('goes on where the folder was emptied under it', async () => {
  const root = tempFolder()
  const store = await fileStore(root)
  await store.put('a/b/c', Buffer.from('x'))
  await rm(join(root, 'a'), { recursive: true })
  await rm(join(root, '.tmp'), { recursive: true })
  expect(await store.get('a/b/c')).toBeNull()
  await store.put('a/b/c', Buffer.from('y'))
  await rm(join(root, 'a'), { recursive: true })
  expect(await store.putIfAbsent('a/b/c', Buffer.from('z'))).toBe(true)
  expect((await store.get('a/b/c'))?.toString()).toBe('z')
})

test('leaves out of listings files that are no objects', async () => {
  const root = tempFolder()
  const store = await fileStore(root)
  await store.put('a', Buffer.from('x'))
  await mkdir(join(root, '.git'))
  await writeFile(join(root, '.git', 'config'), 'x')
  await writeFile(join(root, '.DS_Store'), 'x')
  await writeFile(join(root, 'back\\slash'), 'x')
  await mkdir(join(root, 'empty', 'folder'), { recursive: true })
  const socket = createServer().listen(join(root, 'socket'))
  onTestFinished(() => void socket.close())
  await once(socket, 'listening')
  expect(await keysOf(store, '')).toEqual(['a'])
})

/** True where a small file system can be mounted; otherwise logs that tests are skipped. */
function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'traffic-mount-'))
  const can = mount(folder)
  if (can) spawnSync('sh', ['-c', 'umount "$0"', folder])
  else process.stderr.write('skipped: no right to mount a small tmpfs, so tests of the file store on a full disk do not run\n')
  rmdirSync(folder)
  return can
}

/** A file system of 8 MB until the test ends. */
function smallDisk(): string {
  const folder = tempFolder()
  expect(mount(folder)).toBe(true)
  onTestFinished(() => void spawnSync('sh', ['-c', 'umount "$0"', folder]))
  return folder
}

function mount(folder: string): boolean {
  return spawnSync('sh', ['-c', 'mount -t tmpfs -o size=8m tmpfs "$0"', folder]).status === 0
}

async function age(path: string, hours: number): Promise<void> {
  const at = Date.now() / 1000 - hours * HOUR_S
  await utimes(path, at, at)
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await new Promise((resolve) => child.once('exit', resolve))
}

async function output(child: ChildProcess): Promise<string> {
  let text = ''
  for await (const chunk of child.stdout ?? []) text += String(chunk)
  await ended(child)
  return text
}
