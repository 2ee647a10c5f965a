const POST = /^(\d{1,4})\s*\+\s*(\d{1,4})$/

/**
 * Kilometres of a post as road maps write it: `154+330` is 330 m after post 154. Posts may be more than a kilometre apart:
 * `191+2980` is 193.98. NaN for any other text.
 */
export function kmOfPost(text: string): number {
  const [, post, metres] = POST.exec(text.trim()) ?? []
  return post === undefined ? Number.NaN : (1000 * Number(post) + Number(metres)) / 1000
}
