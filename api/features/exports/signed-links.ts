import { tableKey } from '../../../lake/iceberg/schema.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import type { Cursors } from '../../engine/request/cursor.ts'
import { LINK_STEP_S } from '../../engine/request/snapshots.ts'

/** Minimum validity of a signed URL, in seconds. */
export const LINK_S = 900

/** A file that may be downloaded. */
export interface Downloadable {
  /** Its path below the API's address. */
  readonly path: string
  /** Its key in the store. */
  readonly key: string
  /** The name that it is saved under. */
  readonly name: string
  /** Which file it is if several had the same path. */
  readonly version?: string
}

/** Makes and verifies URLs that give access to one file. */
export interface SignedLinks {
  /** Returns a URL of a file and its expiry (ms): at least `LINK_S` seconds after `now`, the start of a `LINK_STEP_S` step. */
  link(file: Downloadable, now: number): Promise<{ readonly url: string; readonly expires_at: number }>
  /** Returns the store's own URL of a file; null if the store has none and the API sends the file itself. */
  storeUrl(file: Downloadable): Promise<string | null>
  /** Returns the version in a signature of a path's file; null if the signature is invalid or has expired at `now` (ms). */
  read(signature: string, of: { readonly path: string; readonly now: number }): { readonly version: string | null } | null
}

/** A data file of a dataset's table. */
export function datasetFile(dataset: Dataset, name: string): Downloadable {
  return {
    path: `/api/export/${dataset.id}/${encodeURIComponent(name)}`,
    key: `${tableKey(dataset)}/data/${name}`,
    name: `${dataset.id}-${name}`,
  }
}

/** Makes URLs of a store that signs them itself (S3), otherwise of the API, signed with the secret of cursors. */
export function signedLinks(options: {
  readonly store: ObjectStore
  readonly cursors: Pick<Cursors, 'stamp' | 'stamped'>
  readonly baseUrl: () => string
}): SignedLinks {
  const { store, cursors, baseUrl } = options
  const storeUrl = ({ key, name }: Downloadable, expires_s: number): Promise<string | null> => store.signedUrl(key, { expires_s, name })
  return {
    async link(file, now) {
      const expires_s = LINK_S + LINK_STEP_S
      const expires_at = now + 1000 * expires_s
      const text = [file.path, expires_at, ...(file.version === undefined ? [] : [file.version])].join(' ')
      const own = (): string => `${baseUrl()}${file.path}?${new URLSearchParams({ signature: cursors.stamp(text) })}`
      return { url: (await storeUrl(file, expires_s)) ?? own(), expires_at }
    },
    storeUrl: (file) => storeUrl(file, LINK_S),
    read(signature, { path, now }) {
      const [name, expires_at, version = null] = cursors.stamped(signature)?.split(' ') ?? []
      return name === path && now < Number(expires_at) ? { version } : null
    },
  }
}
