import { commit } from '../../../lake/iceberg/commit.ts'
import { openTable, type TableState } from '../../../lake/iceberg/table.ts'
import { fileStore } from '../../../lake/store/file.ts'
import { fakeDataFile } from './fixtures.ts'

// A process that appends: writer.ts <store folder> <table key> <name> <appends>. Each append is one file of one row. It is
// counted in the property `landed.<name>` and printed on a line of standard output.
const [root = '', key = '', name = '', count = '0'] = process.argv.slice(2)
const table = openTable({ store: await fileStore(root), key })
for (let n = 1; n <= Number(count); n++) {
  const state = (await table.load()) as TableState
  const file = await fakeDataFile(state, { partition: [n % 3] })
  const result = await commit({
    table,
    operation: 'append',
    add: [file],
    unless: (current) => (current.properties[`landed.${name}`] === String(n - 1) || n === 1 ? null : 'another took its turn'),
    properties: () => ({ [`landed.${name}`]: String(n) }),
  })
  if (!result.committed) throw new Error(`append ${n} of ${name}: ${result.reason}`)
  process.stdout.write(`${file.key}\n`)
}
