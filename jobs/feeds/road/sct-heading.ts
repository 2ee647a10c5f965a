/** The content of `cap_a` ("towards"): the destination of the affected direction, a remark, or both in this order. */
export interface Heading {
  readonly destination: string | null
  /** In the source's own words, truncated where the source did. */
  readonly remark: string | null
}

/** First words of remarks: working hours, days, closures, reasons. With accents as published, and as correct. */
const REMARK =
  /^(?:HORARI|PER|SORTID(?:A|ES)|ACC[ÉE]S(?:SOS)?|RESTRICCI(?:Ó|O|ONS)|TALL(?:S|AT|ADA|ATS|ADES)?|TANCA(?:T|DA|TS|DES)|DESVIAMENTS?|CIRCULACI[ÓO]|T[ÚU]NEL|CARRILS?|CAL[ÇC]ADA|PAS|OBRES|TREBALLS|NOCTURN|DI[ÜU]RN|NOM[ÉE]S|EXCLUSIU|DILLUNS|DIMARTS|DIMECRES|DIJOUS|DIVENDRES|DISSABTES?|DIUMENGES?|FESTIUS|FEINERS|CAPS? DE SETMANA|UN|DOS|TRES|\d)(?![\p{L}'’])/iu

/** The hyphen between destination and remark; the hyphen of a road (`A-2`, `N-II`) does not count. */
const HYPHEN = /(?<!(?<!\p{L})\p{Lu}{1,3})-|-(?!\d|[IVX]+(?!\p{L}))/u

/**
 * Parses `cap_a`. If one direction is affected, it is a place or a road, then possibly a hyphen and a remark. If both are, or
 * if it begins with a remark's words, the whole text is a remark.
 */
export function readHeading(text: string | null, direction: string): Heading {
  const whole = text?.trim() || null
  if (whole === null) return { destination: null, remark: null }
  const isOneWay = direction === 'POSITIVE' || direction === 'NEGATIVE'
  if (!isOneWay || REMARK.test(whole)) return { destination: null, remark: whole }
  const at = HYPHEN.exec(whole)?.index ?? whole.length
  return { destination: whole.slice(0, at).trim() || null, remark: whole.slice(at + 1).trim() || null }
}
