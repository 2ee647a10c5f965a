/** The shortest time of several tries of the same work, ms: its duration with the least disturbance by other processes. */
export async function bestOf(tries: number, work: (attempt: number) => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < tries; attempt++) {
    const began = performance.now()
    await work(attempt)
    best = Math.min(best, performance.now() - began)
  }
  return best
}
