import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { GUIDES } from '../../../../api/features/docs/documents.ts'
import { codeBlocks } from '../../../helpers/markdown.ts'
import { skipWithout } from '../../../helpers/missing.ts'
import { tempFolder } from '../../../helpers/temp.ts'
import { fillWithExamples, startService, type TestService } from '../../service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
  await fillWithExamples(service)
})
afterAll(() => service?.close())

/** The way to run the code of a language, in a file with an extension. */
const RUNNERS: Readonly<Record<string, readonly [extension: string, command: string, ...args: string[]]>> = {
  sh: ['sh', 'bash', '-eu'],
  python: ['py', 'python3'],
  ts: ['mts', process.execPath],
  r: ['R', 'Rscript'],
}
/** True where R with the package of the guide is installed (r-base-core, r-cran-httr2). */
const hasR = existsSync('/usr/lib/R/site-library/httr2')
if (!hasR) skipWithout('R', 'no R with httr2 (apt-get install r-base-core r-cran-httr2), so the code in R does not run')

/** The blocks of all guides in languages that run here, equal ones once; others show messages, settings and SQL. */
const blocks = [...GUIDES].flatMap(([name, { file, spanish }]) => {
  const runs = [file, spanish].flatMap((one) =>
    codeBlocks(readFileSync(one, 'utf8')).filter(({ language }) => Object.hasOwn(RUNNERS, language)),
  )
  return [...new Map(runs.map((one) => [one.code, one])).values()].map(({ language, code }, at) => ({ name, at, language, code }))
})

test('the quick start has code in three languages', () => {
  const languages = blocks.filter(({ name }) => name === 'quick-start').map(({ language }) => language)
  expect(new Set(languages)).toEqual(new Set(['sh', 'python', 'ts']))
})

test.each(blocks.filter(({ language }) => language !== 'r' || hasR))(
  '$name: block $at in $language runs and its requests succeed',
  async ({ name, language, code }) => {
    const [extension, command, ...args] = RUNNERS[language] as (typeof RUNNERS)[string]
    const folder = tempFolder()
    const file = join(folder, `block.${extension}`)
    // A request that is refused fails the command, but where the guide is of refusals.
    const strict = language === 'sh' && name !== 'errors' ? 'curl() { command curl --fail-with-body "$@"; }\n' : ''
    writeFileSync(file, strict + code)
    const env = { ...process.env, API: service.url, KEY: await service.key('ENTERPRISE') }
    const { stdout } = await promisify(execFile)(command, [...args, file], { cwd: folder, env })
    if (name === 'caching' && code.includes('If-None-Match')) expect(stdout.trim()).toBe('304')
    if (name === 'errors' && language === 'sh') expect(JSON.parse(stdout)).toMatchObject({ status: 400, code: 'unknown-parameter' })
  },
)
