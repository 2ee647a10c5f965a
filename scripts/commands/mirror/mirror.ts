import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { sha256OfFile } from '../../../lake/iceberg/checksums.ts'
import { attributionText } from '../../../lake/schema/attribution.ts'
import { fetchAbout, fetchManifest, type Manifest, type Remote, type RemoteFile, ReplyError, request } from './client.ts'

/** The dataset and the folder of a mirror. */
export interface MirrorOptions {
  readonly remote: Remote
  readonly dataset: string
  /** The folder of the mirror: `data/*.parquet`, `manifest.json`, `schema.json`,
   * `croissant.json`, `ATTRIBUTION.md`. */
  readonly folder: string
  /** Concurrent downloads. */
  readonly jobs: number
  /** Computes the checksums of existing files too. */
  readonly verify: boolean
  /** Called before the first download, with the bytes to download. */
  readonly onStart?: (bytes: number) => void
  /** Called with the size of each received piece, or with the negative size of bytes that have to be fetched again. */
  readonly onBytes?: (bytes: number) => void
}

/** The result of a run. */
export interface Mirrored {
  readonly files: number
  readonly downloaded: number
  readonly downloaded_bytes: number
  readonly kept: number
  readonly removed: number
  readonly snapshot: string | null
}

const FILE = /^[A-Za-z0-9_.-]{1,200}\.parquet$/
const PART = '.part'
/** Statuses of the API and S3 for an expired signed URL. */
const EXPIRED: readonly number[] = [410, 403]
/** Tries of a file whose bytes differ from the manifest. */
const TRIES = 3

/**
 * Makes a folder equal to the current snapshot of a dataset: downloads missing files, resumes unfinished ones, checks sizes and
 * SHA-256, and removes files that left the snapshot. Throws if a file cannot be downloaded; finished downloads stay.
 */
export async function mirror(options: MirrorOptions): Promise<Mirrored> {
  const { remote, dataset, folder, jobs, verify, onStart, onBytes = () => {} } = options
  const manifest = await fetchManifest(remote, dataset)
  for (const { file } of manifest.files) if (!FILE.test(file)) throw new Error(`the manifest names a file ${JSON.stringify(file)}`)
  const data = join(folder, 'data')
  await mkdir(data, { recursive: true })
  const verified = await verifiedFiles(folder)
  const missing: RemoteFile[] = []
  for (const file of manifest.files) if (!(await isThere(data, file, verify ? new Map() : verified))) missing.push(file)
  onStart?.(missing.reduce((sum, { bytes }) => sum + bytes, 0))
  const fresh = freshUrls(remote, dataset, manifest)
  const limit = pLimit(jobs)
  const results = await Promise.allSettled(missing.map((file) => limit(() => download({ remote, data, file, fresh, onBytes }))))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
  const removed = await removeOthers(data, manifest.files)
  await writeFile(join(folder, 'schema.json'), `${JSON.stringify(await fetchAbout(remote, dataset, '/schema'), null, 2)}\n`)
  await writeFile(join(folder, 'croissant.json'), `${JSON.stringify(await fetchAbout(remote, dataset, ''), null, 2)}\n`)
  await writeFile(join(folder, 'ATTRIBUTION.md'), attributionText(dataset, manifest.sources))
  // Last, and atomically: every file that it names has been verified.
  const named = manifest.files.map(({ file, bytes, rows, sha256 }) => ({ file, bytes, rows, sha256 }))
  const text = JSON.stringify({ dataset, snapshot: manifest.snapshot, files: named }, null, 2)
  await writeFile(join(folder, `manifest.json${PART}`), `${text}\n`)
  await rename(join(folder, `manifest.json${PART}`), join(folder, 'manifest.json'))
  return {
    files: manifest.files.length,
    downloaded: missing.length,
    downloaded_bytes: missing.reduce((sum, { bytes }) => sum + bytes, 0),
    kept: manifest.files.length - missing.length,
    removed,
    snapshot: manifest.snapshot,
  }
}

/** Checksums of the files that a former run has verified, by name. */
async function verifiedFiles(folder: string): Promise<ReadonlyMap<string, string | null>> {
  const text = await readFile(join(folder, 'manifest.json'), 'utf8').catch(() => '{"files":[]}')
  const { files } = JSON.parse(text) as { readonly files: readonly Pick<RemoteFile, 'file' | 'sha256'>[] }
  return new Map(files.map(({ file, sha256 }) => [file, sha256]))
}

async function isThere(data: string, file: RemoteFile, verified: ReadonlyMap<string, string | null>): Promise<boolean> {
  const path = join(data, file.file)
  const found = await stat(path).catch(() => null)
  if (found?.size !== file.bytes) return false
  return file.sha256 === null || verified.get(file.file) === file.sha256 || (await sha256OfFile(path)) === file.sha256
}

/** The signed URL of a file; if URLs have expired, the manifest is fetched again, once for all files. */
function freshUrls(remote: Remote, dataset: string, first: Manifest): (file: RemoteFile, expired: string | null) => Promise<string> {
  let known = Promise.resolve(new Map(first.files.map(({ file, url }) => [file, url])))
  return async ({ file }, expired) => {
    const url = (await known).get(file)
    if (url !== undefined && url !== expired) return url
    known = fetchManifest(remote, dataset).then(({ files }) => new Map(files.map((one) => [one.file, one.url])))
    const renewed = (await known).get(file)
    if (renewed === undefined) throw new Error(`${file} left the snapshot during the download: run the command again`)
    return renewed
  }
}

interface Download {
  readonly remote: Remote
  readonly data: string
  readonly file: RemoteFile
  readonly fresh: ReturnType<typeof freshUrls>
  readonly onBytes: (bytes: number) => void
}

async function download(one: Download): Promise<void> {
  const { data, file, onBytes } = one
  const [path, part] = [join(data, file.file), join(data, file.file + PART)]
  onBytes(Math.min((await stat(part).catch(() => null))?.size ?? 0, file.bytes))
  for (let tries = 1; ; tries++) {
    await fetchRest(one, part)
    const found = await stat(part)
    if (found.size === file.bytes && (file.sha256 === null || (await sha256OfFile(part)) === file.sha256)) break
    // Any byte may be wrong: the whole file is fetched again.
    await rm(part)
    onBytes(-Math.min(found.size, file.bytes))
    if (tries >= TRIES) throw new Error(`${file.file} differed from the manifest ${TRIES} times`)
  }
  await rename(part, path)
}

/** Fetches the missing part of an unfinished file, again if the connection breaks, as long as there is progress. */
async function fetchRest({ remote, file, fresh, onBytes }: Download, part: string): Promise<void> {
  let expired: string | null = null
  const { attempts = 6 } = remote
  for (let tries = 1; ; tries++) {
    const handle = await open(part, 'a')
    const have = (await handle.stat()).size
    let received = 0
    try {
      if (have >= file.bytes) return
      const url = await fresh(file, expired)
      try {
        const response = await request(remote, url, have > 0 ? { Range: `bytes=${have}-` } : {})
        // A server that ignores ranges sends the whole file.
        if (response.status === 200 && have > 0) {
          await handle.truncate(0)
          onBytes(-have)
        }
        for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
          await handle.write(chunk)
          received += chunk.length
          onBytes(chunk.length)
        }
        await handle.sync()
        return
      } catch (error) {
        if (error instanceof ReplyError && EXPIRED.includes(error.status) && expired !== url) expired = url
        else if (error instanceof ReplyError || (received === 0 && tries >= attempts)) throw error
        // A connection that delivered bytes counts as progress.
        else if (received > 0) tries = 0
      }
    } finally {
      await handle.close()
    }
  }
}

/** Removes Parquet files and unfinished downloads that the snapshot does not have; returns how many. */
async function removeOthers(data: string, files: readonly RemoteFile[]): Promise<number> {
  const named = new Set(files.map(({ file }) => file))
  const others = (await readdir(data)).filter((name) => FILE.test(name.replace(PART, '')) && !named.has(name))
  for (const name of others) await rm(join(data, name))
  return others.length
}
