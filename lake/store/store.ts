/** What a store says of an object. Keys are `/`-separated, without leading slash, `.` or `..` parts. */
export interface ObjectInfo {
  readonly key: string
  readonly bytes: number
  /** Last modification by the store's clock, ms since the epoch. */
  readonly modified_at: number
}

/** The one durable store: a folder or an S3 bucket. Every implementation passes `test/lake/store/contract.ts`. */
export interface ObjectStore {
  /** `file:///…` or `s3://bucket/prefix`, without trailing slash. */
  readonly url: string
  /** Bytes of an object, or of its range [start, end); null where there is none. */
  get(key: string, range?: { readonly start: number; readonly end: number }): Promise<Buffer | null>
  /** Bytes of an object as they arrive, all of one version; null where there is none. Holds a file or connection until iterated to the end or broken off. */
  getStream(key: string): Promise<AsyncIterable<Buffer> | null>
  head(key: string): Promise<ObjectInfo | null>
  /** Writes or replaces an object, whole and durable when it returns. Streams go in parts above 16 MB. */
  put(key: string, body: Buffer | AsyncIterable<Buffer>): Promise<void>
  /** Stores a finished local file; on a file store of the same disk without copying. The file may be gone afterwards. */
  putFile(key: string, path: string): Promise<void>
  /**
   * Writes an object only where there is none; false where there was one. Throws where the outcome is not known (code `unknown-outcome`).
   * Give each attempt a body of its own (an id, a time): a server that keeps no metadata leaves only the bytes to tell, after a lost
   * reply, whether what is there is this call's.
   */
  putIfAbsent(key: string, body: Buffer): Promise<boolean>
  /** Objects under a prefix in key order (byte order), from after `startAfter`. */
  list(prefix: string, options?: { readonly startAfter?: string }): AsyncIterable<ObjectInfo>
  /** Deletes an object; one that is not there is no error. */
  delete(key: string): Promise<void>
  /** Where foreign readers find it: an absolute path (file store) or an s3:// URL. */
  location(key: string): string
  /**
   * A URL that gives the object to whoever has it, until `expires_s` seconds from now; null if the store cannot sign. `name` is
   * what browsers save it as.
   */
  signedUrl(key: string, options: { readonly expires_s: number; readonly name: string }): Promise<string | null>
  /** The store's own clock, ms since the epoch: grace periods are measured by it. */
  now(): Promise<number>
  close(): Promise<void>
}
