/** The shortest of several tries of the same work, in ms: what it takes, without what else the machine did meanwhile. */
export async function bestOf(tries: number, work: (attempt: number) => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < tries; attempt++) {
    const began = performance.now()
    await work(attempt)
    best = Math.min(best, performance.now() - began)
  }
  return best
}
