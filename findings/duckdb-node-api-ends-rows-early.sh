#!/usr/bin/env bash
# Expected: a query of DuckDB that fails after its first rows fails for the caller of @duckdb/node-api too.
# So it is: a streamed result ends as if it were complete; neither fetchChunk nor the rows tell of the error. A caller gets a
# short answer. The same query read at once (run) throws. Seen with @duckdb/node-api 1.5.5-r.5, DuckDB 1.5.5, Node 20 and 24.
set -eu
VERSION=1.5.5-r.5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent "@duckdb/node-api@$VERSION"
cat > look.mjs <<'JS'
import { DuckDBInstance, version } from '@duckdb/node-api'
const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect()
// Row 300,000 of 300,000 cannot be computed.
const query = "SELECT CASE WHEN i = 299999 THEN error('late') ELSE i END AS n FROM range(300000) t(i)"
console.log(`DuckDB ${version()}`)
const whole = await connection.run(query).then(() => 'no error', (error) => `error: ${error.message}`)
console.log(`run: ${whole}`)
const result = await connection.stream(query)
let rows = 0
let ended = 'no error'
try {
  for (;;) {
    const chunk = await result.fetchChunk()
    if (!chunk || chunk.rowCount === 0) break
    rows += chunk.rowCount
  }
} catch (error) {
  ended = `error: ${error.message}`
}
console.log(`stream: ${rows} of 300000 rows, ${ended}`)
process.exit(/^error: .*late/.test(whole) && rows > 0 && rows < 300000 && ended === 'no error' ? 0 : 1)
JS
node look.mjs && echo "as described" || { echo "this has changed"; exit 1; }
