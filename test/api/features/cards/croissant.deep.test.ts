import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { datasets } from '../../../../lake/catalog.ts'
import { mirror } from '../../../../scripts/commands/mirror/mirror.ts'
import { skipWithout } from '../../../helpers/missing.ts'
import { tempFolder } from '../../../helpers/temp.ts'
import { fillWithExamples, startService, type TestService } from '../../service.ts'

const run = promisify(execFile)
/** A Python with the required packages mlcroissant[parquet] and rdflib. */
const PYTHON = process.env['CROISSANT_PYTHON'] ?? 'python3'
const READ = `
import json, sys
import mlcroissant as mlc
for folder in json.load(sys.stdin):
    dataset = mlc.Dataset(jsonld=folder + "/croissant.json")
    errors = list(dataset.metadata.issues.errors) + list(dataset.metadata.issues.warnings)
    rows = [record for record in dataset.records("rows")]
    print(json.dumps({"errors": errors, "rows": len(rows), "columns": len(rows[0]) if rows else 0}), flush=True)
`
const SAME = `
import sys
from rdflib import Graph
from rdflib.compare import isomorphic
turtle, jsonld = sys.argv[1:]
one, other = Graph().parse(turtle, format="turtle"), Graph().parse(jsonld, format="json-ld")
print(len(one), isomorphic(one, other))
`
const hasPackages = await run(PYTHON, ['-c', 'import mlcroissant, rdflib, pyarrow']).then(
  () => true,
  () => false,
)
if (!hasPackages)
  skipWithout('python', `${PYTHON} has no mlcroissant: pip install 'mlcroissant[parquet]' and name it by CROISSANT_PYTHON to check cards`)

let service: TestService
beforeAll(async () => {
  service = await startService()
  await fillWithExamples(service)
})
afterAll(() => service?.close())

const python = async (text: string, args: readonly string[], input = ''): Promise<string> => {
  const running = run(PYTHON, ['-W', 'ignore', '-c', text, ...args], { maxBuffer: 1 << 26 })
  running.child.stdin?.end(input)
  return (await running).stdout
}

test.skipIf(!hasPackages)('mlcroissant reads every card without an error, and all rows of a mirror', async () => {
  const folder = tempFolder()
  const key = await service.key('ENTERPRISE')
  const shown = datasets.filter(({ visibility }) => visibility === 'public')
  const asked: string[] = []
  const rows: number[] = []
  for (const { id } of shown) {
    const to = join(folder, id)
    await mirror({ remote: { url: service.url, key }, dataset: id, folder: to, jobs: 2, verify: false })
    asked.push(to)
    rows.push((await service.json(`/api/datasets/${id}`)).rows)
  }
  const found = (await python(READ, [], JSON.stringify(asked)))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  for (const [at, { id }] of shown.entries()) {
    const { columns } = await service.json(`/api/datasets/${id}/schema`)
    expect({ id, ...found[at] }).toEqual({ id, errors: [], rows: rows[at], columns: columns.length })
  }
})

test.skipIf(!hasPackages)('the catalogue in JSON-LD is the same graph as in Turtle', async () => {
  const folder = tempFolder()
  const files = await Promise.all(
    (['text/turtle', 'application/ld+json'] as const).map(async (type, at) => {
      const path = join(folder, `${at}`)
      writeFileSync(path, await (await service.open('/api/datasets', { Accept: type })).text())
      return path
    }),
  )
  const [triples, isSame] = (await python(SAME, files)).trim().split(' ')
  expect([Number(triples) > 1000, isSame]).toEqual([true, 'True'])
})
