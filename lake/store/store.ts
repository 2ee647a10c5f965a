/** An object's entry in a store. Keys are `/`-separated, without leading slash, `.` or `..` parts. */
export interface ObjectInfo {
  readonly key: string
  readonly bytes: number
  /** Last modification by the store's clock, ms since the epoch. */
  readonly modified_at: number
}

/** The durable store: a folder or an S3 bucket. Every implementation passes `test/lake/store/contract.ts`. */
export interface ObjectStore {
  /** `file:///…` or `s3://bucket/prefix`, without trailing slash. */
  readonly url: string
  /** Bytes of an object, or of its range [start, end); null if there is none. */
  get(key: string, range?: { readonly start: number; readonly end: number }): Promise<Buffer | null>
  /**
   * Bytes of an object as they arrive, all of one version; null if there is none. Keeps a file or connection open until fully
   * iterated or stopped.
   */
  getStream(key: string): Promise<AsyncIterable<Buffer> | null>
  head(key: string): Promise<ObjectInfo | null>
  /** Writes or replaces an object; whole and durable on return. Streams above 16 MB are uploaded in parts. */
  put(key: string, body: Buffer | AsyncIterable<Buffer>): Promise<void>
  /** Stores a finished local file, without copying if a file store is on the same disk. The file may be gone afterwards. */
  putFile(key: string, path: string): Promise<void>
  /**
   * Writes an object only if it does not exist; false if it does. Throws for an unknown outcome (code `unknown-outcome`). Give
   * each attempt a unique body (an id, a time): on servers without metadata, only the bytes show after a lost reply whether the
   * object is this call's. Streams above 16 MB are uploaded in parts.
   */
  putIfAbsent(key: string, body: Buffer | AsyncIterable<Buffer>): Promise<boolean>
  /** Objects with a prefix in key order (byte order), after `startAfter`. */
  list(prefix: string, options?: { readonly startAfter?: string }): AsyncIterable<ObjectInfo>
  /** Deletes an object; a missing one is not an error. */
  delete(key: string): Promise<void>
  /** Deletes objects in no order, with as few requests as the store needs; what was not deleted is an error. */
  deleteMany(keys: readonly string[]): Promise<void>
  /** Location for other readers: an absolute path (file store) or an s3:// URL. */
  location(key: string): string
  /**
   * A URL that gives access to the object for `expires_s` seconds; null if the store cannot sign. `name` is the download's file
   * name.
   */
  signedUrl(key: string, options: { readonly expires_s: number; readonly name: string }): Promise<string | null>
  /** The store's own clock, ms since the epoch: grace periods use it. */
  now(): Promise<number>
  close(): Promise<void>
}
