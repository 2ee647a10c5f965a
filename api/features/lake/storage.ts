import type { TableMetadata } from '../../../lake/iceberg/metadata.ts'
import { type TableState, versionKey } from '../../../lake/iceberg/table.ts'
import type { Cursors } from '../../engine/request/cursor.ts'
import type { ServedFiles } from './served-files.ts'

/** Credentials change once per step of this many ms, and work for twice as long. */
export const GRANT_STEP_MS = 1_800_000

/** What a client reads a table's files with: settings of its S3 client, by their names in the Iceberg REST specification. */
export interface Grant {
  /** The location of the table: the settings are for the files below it. */
  readonly prefix: string
  readonly config: Readonly<Record<string, string>>
}

/** How clients read the files of tables. */
export interface Storage {
  /** Returns a table's metadata, and the location of its file, as clients read them. */
  describe(state: TableState): { readonly location: string; readonly metadata: TableMetadata }
  /** Returns what a client may read the files of a table with. `delegation` is how it asks to; `now` is in ms. */
  grant(state: TableState, options: { readonly delegation: ReadonlySet<string>; readonly now: number }): Promise<Grant>
}

/** Text of a token: what it is for, the key of a table and its end, in ms. */
const TOKEN = /^lake-files (\S+) (\d+)$/
/** Region that clients sign for; S3 clients need some. */
const REGION = 'us-east-1'

type Stamps = Pick<Cursors, 'stamp' | 'stamped'>

/** The files are served by the API, which speaks enough of S3's protocol for all clients. */
export function servedStorage(options: { readonly files: ServedFiles; readonly stamps: Stamps; readonly baseUrl: () => string }): Storage {
  const { files, stamps, baseUrl } = options
  return {
    describe: (state) => ({ location: files.location(versionKey(state.table.key, state.version)), metadata: files.metadata(state) }),
    async grant({ table: { key } }, { now }) {
      const expires_at = (Math.floor(now / GRANT_STEP_MS) + 2) * GRANT_STEP_MS
      const token = Buffer.from(stamps.stamp(`lake-files ${key} ${expires_at}`)).toString('base64url')
      return {
        prefix: files.location(key),
        config: {
          's3.endpoint': baseUrl(),
          's3.path-style-access': 'true',
          's3.region': REGION,
          'client.region': REGION,
          's3.access-key-id': 'tia-lake',
          's3.secret-access-key': secretOf(token, stamps),
          's3.session-token': token,
          's3.session-token-expires-at-ms': String(expires_at),
        },
      }
    },
  }
}

/** Returns the table and the end (ms) of a token that we gave, and the secret that goes with it; null for any other text. */
export function readToken(
  token: string,
  stamps: Stamps,
): { readonly key: string; readonly expires_at: number; readonly secret: string } | null {
  const [, key, end] = TOKEN.exec(stamps.stamped(Buffer.from(token, 'base64url').toString()) ?? '') ?? []
  return key === undefined ? null : { key, expires_at: Number(end), secret: secretOf(token, stamps) }
}

/** The secret of a token, which no client can derive: the signature of another text. */
function secretOf(token: string, { stamp }: Stamps): string {
  const text = `lake-secret ${token}`
  return stamp(text).slice(text.length + 1)
}
