import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { PROJECT } from './sources.ts'

const pages = ['README.md', ...readdirSync(join(PROJECT, 'docs')).map((name) => `docs/${name}`)]

test('every file that a page of the documentation links to is there, and every page is linked from the README', () => {
  const linked = pages.flatMap((page) =>
    [...readFileSync(join(PROJECT, page), 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(([, to = '']) => ({
      page,
      to: join(dirname(page), to),
    })),
  )
  expect(linked.filter(({ to }) => !existsSync(join(PROJECT, to)))).toEqual([])
  expect(linked.flatMap(({ page, to }) => (page === 'README.md' ? [to] : [])).sort()).toEqual(pages.slice(1).sort())
})

test('the README is about a page', () => {
  expect(readFileSync(join(PROJECT, 'README.md'), 'utf8').split('\n').length).toBeLessThan(120)
})
