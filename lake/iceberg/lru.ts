/** A least-recently-used cache with a weight limit; the newest entry always stays. */
export interface Lru<T> {
  get(key: string): T | undefined
  set(key: string, value: T, weight: number): void
}

/** Makes an empty one; `limit` is in the unit of the weights. */
export function createLru<T>(limit: number): Lru<T> {
  const held = new Map<string, { value: T; weight: number }>()
  let total = 0
  const remove = (key: string): void => {
    total -= held.get(key)?.weight ?? 0
    held.delete(key)
  }
  return {
    get(key) {
      const found = held.get(key)
      if (!found) return undefined
      held.delete(key)
      held.set(key, found)
      return found.value
    },
    set(key, value, weight) {
      remove(key)
      held.set(key, { value, weight })
      total += weight
      for (const oldest of held.keys()) {
        if (total <= limit || oldest === key) break
        remove(oldest)
      }
    },
  }
}
