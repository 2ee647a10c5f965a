import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { codeBlocks, section } from '../helpers/markdown.ts'
import { PROJECT, ROOMS, walk } from './sources.ts'

const MAX_LINES = 120
const MAX_COLUMNS = 120
const pages = ['README.md', ...ROOMS.flatMap((room) => walk(join(PROJECT, room)).map((path) => relative(PROJECT, path)))].filter((path) =>
  path.endsWith('.md'),
)
const read = (page: string): string => readFileSync(join(PROJECT, page), 'utf8')

/** Phrases of the former private dialect of this project, and sentences that begin with "Of". */
const DIALECT = [
  /\bthat there (?:is|are|was|were)\b/i,
  /\b(?:is|are|was|were|be) told\b/i,
  /\btells?\b/i,
  /\bunless told\b/i,
  /\b(?:who asks|what is asked of|be it|by heart|at hand)\b/i,
  /\blies\b/i,
  /(?:^|[.!?:]\**\s|- )Of (?!course)/m,
]

/** The prose of a page: without code blocks, code in backticks and the targets of links. */
function prose(page: string): string {
  return read(page)
    .replace(/^ *```[\s\S]*?^ *```/gm, '')
    .replace(/`[^`\n]*`/g, '')
    .replace(/\]\([^)]*\)/g, ']')
}

/** The pages and files that a page links to, by their path in the project. A leading slash means a link of the service. */
const linksOf = (page: string): string[] =>
  [...read(page).matchAll(/\]\((?!https?:|[#/])([^)#]+)[^)]*\)/g)].map(([, to = '']) => join(dirname(page), to))

test('the top level has the rooms and a few files, and no folder of documentation', () => {
  const shown = readdirSync(PROJECT).filter((name) => !name.startsWith('.') && name !== 'node_modules')
  expect(shown.sort()).toEqual([...ROOMS, 'findings', 'README.md', 'package.json', 'package-lock.json', 'tsconfig.json'].sort())
})

test('the page about commands lists every command', () => {
  const commands = readdirSync(join(PROJECT, 'scripts'), { withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.includes('.'),
  )
  expect(commands.length).toBeGreaterThan(10)
  const page = read('scripts/README.md')
  expect(commands.map(({ name }) => name).filter((name) => !page.includes(`| \`scripts/${name}\` |`))).toEqual([])
})

test('test runs that pages name have tests', () => {
  const tests = walk(join(PROJECT, 'test')).map((path) => relative(PROJECT, path))
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/scripts\/test(?: --\w+)*((?: +[\w-]+\/[\w./-]+)+)/g)].flatMap(([, parts = '']) =>
      parts
        .trim()
        .split(/ +/)
        .map((part) => `${page}: ${part.replace(/\.$/, '')}`),
    ),
  )
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter((one) => !tests.some((path) => path.includes(one.split(': ')[1] as string)))).toEqual([])
})

test('the README is short and narrow', () => {
  const lines = read('README.md').trimEnd().split('\n')
  expect(lines.length).toBeLessThanOrEqual(MAX_LINES)
  expect(lines.filter(({ length }) => length > MAX_COLUMNS)).toEqual([])
})

test('every README can be reached from the first one', () => {
  const reached = new Set<string>()
  const visit = (page: string): void => {
    if (reached.has(page) || !pages.includes(page)) return
    reached.add(page)
    for (const to of linksOf(page)) visit(to)
  }
  visit('README.md')
  expect(pages.filter((page) => page.endsWith('README.md') && !reached.has(page))).toEqual([])
})

describe.each(pages)('%s', (page) => {
  test('links to files that exist', () => {
    expect(linksOf(page).filter((to) => !existsSync(join(PROJECT, to)))).toEqual([])
  })

  test('shows commands without a comment behind them', () => {
    const commands = codeBlocks(read(page)).flatMap(({ language, code }) => (language === 'sh' ? code.split('\n') : []))
    expect(commands.filter((line) => /\s#\s/.test(line))).toEqual([])
  })

  test('is in plain English', () => {
    const text = prose(page)
    const found = DIALECT.flatMap((sign) =>
      [...text.matchAll(new RegExp(sign, `${sign.flags}g`))].map(({ index }) => text.slice(index, index + 60)),
    )
    expect(found).toEqual([])
  })

  test('gives a reason and a cost for each decision', () => {
    const decisions = read(page)
      .split(/\n\n|\n(?=- )/)
      .filter((paragraph) => paragraph.includes('**Decision.**'))
    for (const decision of decisions) expect(decision).toMatch(/^(?:- )?\*\*Decision\.\*\*\s[^]+\*\*Why\.\*\*\s[^]+\*\*Cost\.\*\*\s\S/)
    if (page !== 'README.md' && read(page).includes('\n## Decisions\n')) expect(decisions.length).toBeGreaterThan(0)
  })
})

describe.each(ROOMS)('%s/README.md', (room) => {
  test('says what lives here, how data passes through, how to add to it, and what was decided', () => {
    const page = read(`${room}/README.md`)
    const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading)
    const wanted = [/^What lives here$/, /^How data passes through$/, /^How to add /, /^Decisions$/]
    const at = wanted.map((heading) => headings.findIndex((one) => heading.test(one)))
    expect(at).not.toContain(-1)
    expect(at).toEqual([...at].sort((one, other) => one - other))
    expect(codeBlocks(section(page, '## How data passes through')).length).toBeGreaterThan(0)
    expect(section(page, `## ${headings[at[2] as number]}`)).toMatch(/^1\. /m)
  })
})
