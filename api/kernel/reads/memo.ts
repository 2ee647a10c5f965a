/** Values compared instead of a function's arguments: an object first, then anything. */
type Parts = readonly [object, ...unknown[]]

/**
 * Remembers one result for each first argument: the last one, while that object lives and the other arguments are the same. It is
 * for what is computed once per version of a state. `partsOf` returns what to compare if arguments are created for each call.
 */
export function memo<A extends Parts, T>(make: (...args: A) => T): (...args: A) => T
export function memo<A extends readonly unknown[], T>(make: (...args: A) => T, partsOf: (...args: A) => Parts): (...args: A) => T
export function memo<A extends readonly unknown[], T>(
  make: (...args: A) => T,
  partsOf: (...args: A) => Parts = (...args) => args as unknown as Parts,
): (...args: A) => T {
  const known = new WeakMap<object, { readonly parts: Parts; readonly made: T }>()
  return (...args) => {
    const parts = partsOf(...args)
    const there = known.get(parts[0])
    if (there && there.parts.length === parts.length && there.parts.every((one, at) => one === parts[at])) return there.made
    const made = make(...args)
    known.set(parts[0], { parts, made })
    return made
  }
}
