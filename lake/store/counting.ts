import type { ObjectStore } from './store.ts'

/** The operations of a store that are requests to a server. */
export const STORE_OPERATIONS = ['get', 'head', 'put', 'putIfAbsent', 'list', 'delete'] as const
export type StoreOperation = (typeof STORE_OPERATIONS)[number]

/** Keys that S3 lists or deletes in one request. */
const PAGE_KEYS = 1000

/**
 * A store that reports each request: to list or delete many, one per 1,000 keys; for a large object one, although it is put in
 * parts. What DuckDB reads by itself (httpfs) is not reported.
 */
export function countingStore(store: ObjectStore, onRequest: (operation: StoreOperation) => void): ObjectStore {
  const counted =
    <A extends readonly unknown[], T>(operation: StoreOperation, run: (...args: A) => T) =>
    (...args: A): T => {
      onRequest(operation)
      return run(...args)
    }
  return {
    ...store,
    get: counted('get', store.get),
    getStream: counted('get', store.getStream),
    head: counted('head', store.head),
    put: counted('put', store.put),
    putFile: counted('put', store.putFile),
    putIfAbsent: counted('putIfAbsent', store.putIfAbsent),
    delete: counted('delete', store.delete),
    deleteMany: (keys) => {
      for (let from = 0; from < keys.length; from += PAGE_KEYS) onRequest('delete')
      return store.deleteMany(keys)
    },
    async *list(prefix, options) {
      let keys = 0
      onRequest('list')
      for await (const object of store.list(prefix, options)) {
        if (++keys % PAGE_KEYS === 1 && keys > 1) onRequest('list')
        yield object
      }
    },
  }
}
