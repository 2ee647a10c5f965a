import { type CredentialSource, s3Credentials } from './credentials.ts'
import { StoreError } from './errors.ts'
import { parseS3Url, type S3Options } from './s3-client.ts'

/** Keys that a client may use, and when they end (ms); null if they do not. */
export interface ReaderKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | null
  readonly expires_at: number | null
}

/** How others read a lake's bucket themselves. */
export interface ReaderAccess {
  readonly bucket: string
  /** Prefix of all keys in the bucket: empty, or ending with a slash. */
  readonly prefix: string
  /** Address of the server for clients; null for AWS. */
  readonly endpoint: string | null
  readonly region: string
  readonly pathStyle: boolean
  /** Keys of the operator that read the whole lake; null if there are none. */
  readonly keys: ReaderKeys | null
  /** Returns keys that read only the objects below a key; null if there is no role for it. Throws what STS answers. */
  readonly session: ((key: string) => Promise<ReaderKeys>) | null
  /** The store's own keys, to sign requests of clients with. */
  readonly own: CredentialSource
}

/** Validity of the keys of a session, in s: the longest that a role with default settings admits. */
const SESSION_S = 3600

/**
 * The access to a bucket for others: by keys of the operator (`id:secret`), or by the role that is assumed for each table (throws
 * `StoreError` where STS refuses). STS is AWS's, or at `AWS_ENDPOINT_URL_STS`.
 */
export function readerAccess(
  options: S3Options & { readonly region: string },
  { keys, role }: { readonly keys: string | null; readonly role: string | null },
): ReaderAccess {
  const { bucket, prefix } = parseS3Url(options.url)
  const [accessKeyId = '', secretAccessKey = ''] = keys?.split(':', 2) ?? []
  return {
    ...{ bucket, prefix, region: options.region, pathStyle: options.pathStyle ?? false },
    endpoint: options.publicEndpoint ?? options.endpoint ?? null,
    keys: keys === null ? null : { accessKeyId, secretAccessKey, sessionToken: null, expires_at: null },
    session: role === null ? null : (key) => assumed(role, { options, bucket, prefix: `${prefix}${key}/` }),
    own: s3Credentials(options),
  }
}

/** Keys of a role that read one prefix of a bucket ("AssumeRole", session policies). */
async function assumed(
  role: string,
  of: { readonly options: S3Options & { readonly region: string }; readonly bucket: string; readonly prefix: string },
): Promise<ReaderKeys> {
  const { AssumeRoleCommand, STSClient } = await import('@aws-sdk/client-sts')
  const { region, credentials } = of.options
  const client = new STSClient({ region, ...(credentials === undefined ? {} : { credentials }) })
  try {
    const { Credentials: given } = await client.send(
      new AssumeRoleCommand({ RoleArn: role, RoleSessionName: 'lake-reader', DurationSeconds: SESSION_S, Policy: readingOnly(of) }),
    )
    const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, SessionToken: sessionToken, Expiration: end } = given ?? {}
    if (!accessKeyId || !secretAccessKey || !sessionToken || !end) throw new Error('the reply of STS lacks keys or their end')
    return { accessKeyId, secretAccessKey, sessionToken, expires_at: end.getTime() }
  } catch (cause) {
    throw new StoreError(`no keys of the role ${role}: ${(cause as Error).message}`, { code: 'no-session', cause })
  } finally {
    client.destroy()
  }
}

/** The policy of a session that reads the objects below a prefix. */
function readingOnly({ bucket, prefix }: { readonly bucket: string; readonly prefix: string }): string {
  return JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      { Effect: 'Allow', Action: 's3:GetObject', Resource: `arn:aws:s3:::${bucket}/${prefix}*` },
      {
        Effect: 'Allow',
        Action: 's3:ListBucket',
        Resource: `arn:aws:s3:::${bucket}`,
        Condition: { StringLike: { 's3:prefix': `${prefix}*` } },
      },
    ],
  })
}
