import { type S3Options, s3Client } from './s3-client.ts'

/** Keys of a bucket, as found by the AWS SDK. */
export interface StoreCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | null
  /** When they expire, ms since the epoch; null if they do not. */
  readonly expires_at: number | null
}

/**
 * Returns the current keys, renewed five minutes before they expire. `isForced` renews them at once, for keys withdrawn early.
 */
export type CredentialSource = (options?: { readonly isForced?: boolean }) => Promise<StoreCredentials>

/** The keys of a bucket: from the options, else found the AWS way (environment, profile, container, role). */
export function s3Credentials(options: S3Options): CredentialSource {
  const { config } = s3Client(options)
  return async ({ isForced = false } = {}) => {
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = await config.credentials({ forceRefresh: isForced })
    return { accessKeyId, secretAccessKey, sessionToken: sessionToken ?? null, expires_at: expiration?.getTime() ?? null }
  }
}
