/** Provinces (INE) by the digits that AEMET's zones of the islands have in their place. */
const ISLANDS: Readonly<Record<string, string>> = {
  ...{ '53': '07', '54': '07', '55': '07' },
  ...{ '90': '35', '91': '35', '92': '35' },
  ...{ '93': '38', '94': '38', '95': '38', '96': '38' },
}
/** Autonomous community, province, number in it; coastal waters end in `C`. */
const ZONE = /^[67]\d(\d\d)\d\d(C?)$/
const MAX_PROVINCE = 52

/** What the code of a zone of AEMET's plan Meteoalerta states (`774602`, `610403C`); null for a code of another form. */
export function alertZone(code: string): { readonly province_code: string; readonly is_coastal: boolean } | null {
  const [, digits, mark] = ZONE.exec(code) ?? []
  if (digits === undefined) return null
  const province_code = ISLANDS[digits] ?? digits
  return Number(province_code) >= 1 && Number(province_code) <= MAX_PROVINCE ? { province_code, is_coastal: mark === 'C' } : null
}
