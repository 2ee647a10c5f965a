import { tableKey } from '../../lake/iceberg/schema.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import type { ObjectStore } from '../../lake/store/store.ts'
import type { Cursors } from '../http/cursor.ts'

/** How long a signed URL works at least, in seconds. */
export const LINK_S = 900
/** Signed URLs are made in steps of the clock, so that the same request has the same answer for a while. */
export const LINK_STEP_S = 300

/** Makes and checks URLs that give one file of an export to whoever has them. */
export interface SignedLinks {
  /**
   * A URL of a file, and when it ends (ms): at least `LINK_S` seconds after `now`, which is the begin of a step of `LINK_STEP_S`.
   */
  link(dataset: Dataset, file: string, now: number): Promise<{ readonly url: string; readonly expires_at: number }>
  /** The store's own URL of a file; null if the store has none and the API sends the file itself. */
  storeUrl(dataset: Dataset, file: string): Promise<string | null>
  /** True for a signature of this file that has not expired at `now` (ms). */
  isValid(signature: string, of: { readonly dataset: string; readonly file: string; readonly now: number }): boolean
}

/** The key of a data file of a dataset's table. */
export function exportKey(dataset: Dataset, file: string): string {
  return `${tableKey(dataset)}/data/${file}`
}

/** URLs of a store that signs them itself (S3), else of the API, signed with the secret of cursors. */
export function signedLinks(options: {
  readonly store: ObjectStore
  readonly cursors: Pick<Cursors, 'stamp' | 'stamped'>
  readonly baseUrl: () => string
}): SignedLinks {
  const { store, cursors, baseUrl } = options
  const storeUrl = (dataset: Dataset, file: string, expires_s: number): Promise<string | null> =>
    store.signedUrl(exportKey(dataset, file), { expires_s, name: file })
  return {
    async link(dataset, file, now) {
      const expires_s = LINK_S + LINK_STEP_S
      const expires_at = now + 1000 * expires_s
      const own = (): string => {
        const signature = cursors.stamp(`${dataset.id}/${file} ${expires_at}`)
        return `${baseUrl()}/api/export/${dataset.id}/${encodeURIComponent(file)}?${new URLSearchParams({ signature })}`
      }
      return { url: (await storeUrl(dataset, file, expires_s)) ?? own(), expires_at }
    },
    storeUrl: (dataset, file) => storeUrl(dataset, file, LINK_S),
    isValid(signature, { dataset, file, now }) {
      const [name, expires_at] = cursors.stamped(signature)?.split(' ') ?? []
      return name === `${dataset}/${file}` && now < Number(expires_at)
    },
  }
}
