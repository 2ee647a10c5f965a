import { isFull } from './errors.ts'
import type { ObjectStore } from './store.ts'

/** A store that says whether its last write found no room: a full S3 bucket can be read, and only a write notices it. */
export function noticingFull(store: ObjectStore): { readonly store: ObjectStore; readonly isFull: () => boolean } {
  let full = false
  const noticed = async <T>(write: Promise<T>): Promise<T> => {
    try {
      const result = await write
      full = false
      return result
    } catch (error) {
      if (isFull(error)) full = true
      throw error
    }
  }
  return {
    store: {
      ...store,
      put: (key, body) => noticed(store.put(key, body)),
      putFile: (key, path) => noticed(store.putFile(key, path)),
      putIfAbsent: (key, body) => noticed(store.putIfAbsent(key, body)),
    },
    isFull: () => full,
  }
}
