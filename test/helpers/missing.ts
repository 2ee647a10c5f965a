/** Optional requirements of tests: `REQUIRE=s3,browser,shared,httpfs,python,R,registry` makes those that it names mandatory. */
type Optional = 's3' | 'browser' | 'shared' | 'httpfs' | 'python' | 'R' | 'registry'

const said = new Set<Optional>()

/** Prints once, on standard error, that tests are skipped because something is missing; throws instead if `REQUIRE` names it. */
export function skipWithout(what: Optional, why: string): void {
  if ((process.env['REQUIRE'] ?? '').split(',').includes(what)) throw new Error(`REQUIRE names ${what}, which is missing: ${why}`)
  if (!said.has(what)) process.stderr.write(`skipped: ${why}\n`)
  said.add(what)
}
