/** The first integer in [from, to) at which a condition becomes true and stays true, by binary search; `to` if there is none. */
export function firstIndex(from: number, to: number, isMet: (at: number) => boolean): number {
  let [low, high] = [from, to]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (isMet(middle)) high = middle
    else low = middle + 1
  }
  return low
}
