/** Waits until something holds; fails after `within_ms`, naming it. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, within_ms = 5000): Promise<number> {
  const began = performance.now()
  while (!(await holds())) {
    if (performance.now() - began > within_ms) throw new Error(`not within ${within_ms} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return performance.now() - began
}
