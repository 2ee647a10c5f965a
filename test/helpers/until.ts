/** Waits until a condition is true and returns how long that took; fails with `what` after `within_ms`. */
export async function until(what: string, isTrue: () => boolean | Promise<boolean>, within_ms = 5000): Promise<number> {
  const began = performance.now()
  while (!(await isTrue())) {
    if (performance.now() - began > within_ms) throw new Error(`not within ${within_ms} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return performance.now() - began
}
