import { expect, test } from 'vitest'
import { patched } from './followed.ts'

const TEXT = 'one\ntwo\nthree\n'

test('a diff adds and removes lines at the position of its context lines', () => {
  expect(patched(TEXT, ' one\n+and a half\n@@\n-two\n+2\n three')).toBe('one\nand a half\n2\nthree\n')
})

test.each([' four\n+five', ' one\n three\n+five', '-one\n-\n+five'])('a diff of missing lines is refused: %j', (diff) => {
  expect(() => patched(TEXT, diff)).toThrow('found 0 times')
})

test('a diff that fits two places is refused', () => {
  expect(() => patched(`${TEXT}${TEXT}`, ' two\n+and a half')).toThrow('found 2 times')
})
