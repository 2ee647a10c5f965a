import { expect, test } from 'vitest'
import { failureIn } from '../../scripts/commands/spark/session.ts'

const REFUSED = 'org.apache.hc.client5.http.HttpHostConnectException: Connect to http://127.0.0.1:9 failed: Connection refused'
const UNREACHABLE = `An error occurred while calling o42.sql.
: org.apache.iceberg.exceptions.RESTException: Error occurred while processing GET request
\tat org.apache.iceberg.rest.HTTPClient.execute(HTTPClient.java:335)
Caused by: ${REFUSED}
\tat java.base/sun.nio.ch.Net.pollConnect(Native Method)
\t... 22 more
`
const NO_KEY = 'org.apache.iceberg.exceptions.NotAuthorizedException: Not authorized: There is no such key.'

test('an error of Spark is one line: the innermost cause, or the exception', () => {
  expect(failureIn(UNREACHABLE)).toBe(REFUSED)
  expect(failureIn(`An error occurred while calling o42.sql.\n: ${NO_KEY}\n\tat org.apache.iceberg.rest.X.y(X.java:1)\n`)).toBe(NO_KEY)
  expect(failureIn("[TABLE_OR_VIEW_NOT_FOUND] The table is unknown; line 1 pos 14;\n'Project [*]\n")).toBe(
    '[TABLE_OR_VIEW_NOT_FOUND] The table is unknown; line 1 pos 14;',
  )
})

test('a log is one line: the error of its trace, or its last line', () => {
  const trace = 'Traceback (most recent call last):\n  File "run_queries.py", line 6, in <module>\n'
  const missing = "ModuleNotFoundError: No module named 'pyspark'"
  expect(failureIn(`${trace}${missing}\n`, { isLog: true })).toBe(missing)
  expect(failureIn(`WARN Utils: a name\n${trace}py4j.protocol.Py4JJavaError: ${UNREACHABLE}`, { isLog: true })).toBe(REFUSED)
  expect(failureIn('WARN Utils: a name\nspawn nothing ENOENT', { isLog: true })).toBe('spawn nothing ENOENT')
})
