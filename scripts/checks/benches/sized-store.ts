import type { ObjectStore } from '../../../lake/store/store.ts'

/** A store in memory with its own clock, which counts its bytes. */
export interface SizedStore extends ObjectStore {
  /** Bytes of the objects whose keys contain a text. */
  bytes(part: string): number
}

/** Opens an empty store; `clock` gives the modification time of its objects, ms. */
export function sizedStore(clock: () => number): SizedStore {
  const objects = new Map<string, { readonly body: Buffer; readonly modified_at: number }>()
  const info = (key: string, { body, modified_at }: { body: Buffer; modified_at: number }) => ({ key, bytes: body.length, modified_at })
  const write = (key: string, body: Buffer): void => void objects.set(key, { body, modified_at: clock() })
  const unused = (): never => {
    throw new Error('tables do not use this method')
  }
  return {
    url: 'file:///simulated',
    get: async (key) => objects.get(key)?.body ?? null,
    getStream: unused,
    head: async (key) => {
      const found = objects.get(key)
      return found ? info(key, found) : null
    },
    put: async (key, body) => (Buffer.isBuffer(body) ? write(key, body) : unused()),
    putFile: unused,
    putIfAbsent: async (key, body) => {
      if (objects.has(key)) return false
      write(key, body)
      return true
    },
    async *list(prefix) {
      const keys = [...objects.keys()].filter((key) => key.startsWith(prefix)).sort()
      for (const key of keys) yield info(key, objects.get(key) as { body: Buffer; modified_at: number })
    },
    delete: async (key) => void objects.delete(key),
    location: (key) => `/simulated/service/store/${key}`,
    signedUrl: async () => null,
    now: async () => clock(),
    close: async () => {},
    bytes: (part) => [...objects].reduce((sum, [key, { body }]) => sum + (key.includes(part) ? body.length : 0), 0),
  }
}
