/** INE province codes, by the digits that AEMET's island zones have instead. */
const ISLANDS: Readonly<Record<string, string>> = {
  ...{ '53': '07', '54': '07', '55': '07' },
  ...{ '90': '35', '91': '35', '92': '35' },
  ...{ '93': '38', '94': '38', '95': '38', '96': '38' },
}
/** Autonomous community, province, number in the province; coastal waters end in `C`. */
const ZONE = /^[67]\d(\d\d)\d\d(C?)$/
const MAX_PROVINCE = 52

/** Parses a zone code of AEMET's Meteoalerta plan (`774602`, `610403C`); null for any other form. */
export function alertZone(code: string): { readonly province_code: string; readonly is_coastal: boolean } | null {
  const [, digits, mark] = ZONE.exec(code) ?? []
  if (digits === undefined) return null
  const province_code = ISLANDS[digits] ?? digits
  return Number(province_code) >= 1 && Number(province_code) <= MAX_PROVINCE ? { province_code, is_coastal: mark === 'C' } : null
}
