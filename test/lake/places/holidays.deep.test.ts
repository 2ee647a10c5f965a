import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { cityHolidays, HOLIDAYS_UNTIL } from '../../../lake/places/holidays.ts'
import { skipWithout } from '../../helpers/missing.ts'
import { tempFolder } from '../../helpers/temp.ts'

/** Lists of PyPI's `holidays`, which cites the BOE's relations; it has local holidays of Barcelona only. */
const PACKAGE = 'holidays==0.109'
const SUBDIVISIONS = { madrid: 'MD', barcelona: 'Barcelona', valencia: 'VC', bilbao: 'PV' } as const
const FIRST = 2015

const SCRIPT = `
import json, sys
sys.path.insert(0, sys.argv[1])
import holidays
print(json.dumps({city: [str(day) for year in range(${FIRST}, ${HOLIDAYS_UNTIL + 1}) for day in holidays.Spain(subdiv=subdiv, years=year)]
                  for city, subdiv in json.loads(sys.argv[2]).items()}))
`

/** Days of ours that the package lacks: local holidays, and San Ignacio, of Bizkaia alone. */
const LOCAL: Readonly<Record<keyof typeof SUBDIVISIONS, RegExp>> = {
  madrid: /-(?:05-1[56]|06-04|11-(?:09|10))$/,
  barcelona: /^$/,
  // San Vicente Mártir, and San Vicente Ferrer on the Monday after Easter week.
  valencia: /-01-22$|-04-(?:0[4-9]|1\d|2\d)$|-03-30$/,
  bilbao: /-07-31$|-08-2[1-8]$/,
}

/** Days of the package that ours lack, with the decree. */
const THEIRS: readonly string[] = [
  // The Consell's decree of 2027 has twelve days without San Juan; the package assumes it for years it has not checked.
  'valencia 2027-06-24',
]

const isSunday = (day: string): boolean => new Date(day).getUTCDay() === 0

test('the days off of four cities are those of an independent list', (context) => {
  const folder = tempFolder()
  const python = (args: readonly string[]): ReturnType<typeof spawnSync> =>
    spawnSync('python3', args, { encoding: 'utf8', timeout: 120_000 })
  const installed = python(['-m', 'pip', 'install', '-q', '--disable-pip-version-check', '--target', folder, PACKAGE])
  if (installed.error) skipWithout('python', `no python3 (${installed.error.message}), so holidays are not compared`)
  else if (installed.status !== 0) skipWithout('registry', `pip gave no ${PACKAGE}, so holidays are not compared`)
  if (installed.error || installed.status !== 0) return context.skip()
  const listed = python(['-c', SCRIPT, folder, JSON.stringify(SUBDIVISIONS)])
  expect(listed.stderr).toBe('')
  const theirs = JSON.parse(String(listed.stdout)) as Record<keyof typeof SUBDIVISIONS, string[]>
  const years = Array.from({ length: HOLIDAYS_UNTIL - FIRST + 1 }, (_, at) => FIRST + at)
  const [missing, added] = [[] as string[], [] as string[]]
  for (const city of Object.keys(SUBDIVISIONS) as (keyof typeof SUBDIVISIONS)[]) {
    const ours = years.flatMap((year) => cityHolidays(city, year))
    const outside = (days: readonly string[], others: readonly string[]): string[] =>
      days.filter((day) => !isSunday(day) && !others.includes(day))
    missing.push(...outside(theirs[city], ours).map((day) => `${city} ${day}`))
    added.push(
      ...outside(ours, theirs[city])
        .filter((day) => !LOCAL[city].test(day))
        .map((day) => `${city} ${day}`),
    )
  }
  expect(missing).toEqual(THEIRS)
  expect(added).toEqual([])
}, 180_000)
