import type { ObjectStore } from './store.ts'

/** Objects named by growing numbers: keys sort like the numbers. The oldest are deleted first. */
export interface Sequence {
  readonly prefix: string
  readonly keyOf: (number: number) => string
  readonly numberOf: (key: string) => number
}

/** The first and last number of a sequence, or null if it is empty. A copied store may have gaps. */
export async function sequenceEnds(store: ObjectStore, sequence: Sequence): Promise<{ first: number; last: number } | null> {
  const { keyOf } = sequence
  const first = await nextNumber(store, sequence, 0)
  if (first === null) return null
  let last = first
  for (let next: number | null = first; next !== null; next = await nextNumber(store, sequence, last)) {
    let step = 1
    while ((await store.head(keyOf(next + step))) !== null) step *= 2
    const [from, to] = [next + Math.floor(step / 2), next + step]
    last = (await firstWhere(from, to, async (number) => number > from && (await store.head(keyOf(number))) === null)) - 1
  }
  return { first, last }
}

/** The first number of a sequence after another, or null if there is none. */
export async function nextNumber(store: ObjectStore, { prefix, keyOf, numberOf }: Sequence, number: number): Promise<number | null> {
  for await (const { key } of store.list(prefix, { startAfter: keyOf(number) })) return numberOf(key)
  return null
}

/** The first integer in [from, to) at which a condition becomes true and stays true; `to` if there is none. */
export async function firstWhere(from: number, to: number, isMet: (at: number) => Promise<boolean>): Promise<number> {
  let [low, high] = [from, to]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (await isMet(middle)) high = middle
    else low = middle + 1
  }
  return low
}
