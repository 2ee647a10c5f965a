/** What tests may lack: `REQUIRE=s3,browser,shared,httpfs,python,registry` names what has to be there. */
type Optional = 's3' | 'browser' | 'shared' | 'httpfs' | 'python' | 'registry'

const said = new Set<Optional>()

/** Says once, on standard error, that tests are skipped for want of something; throws instead where `REQUIRE` names it. */
export function skipWithout(what: Optional, why: string): void {
  if ((process.env['REQUIRE'] ?? '').split(',').includes(what)) throw new Error(`REQUIRE names ${what}, which is missing: ${why}`)
  if (!said.has(what)) process.stderr.write(`skipped: ${why}\n`)
  said.add(what)
}
