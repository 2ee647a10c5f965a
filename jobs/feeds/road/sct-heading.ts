/** What `cap_a` ("towards") holds: where the affected direction leads, a remark, or one after the other. */
export interface Heading {
  readonly destination: string | null
  /** In the source's own words, cut where the source cut it. */
  readonly remark: string | null
}

/** Words that begin a remark and no place: hours of work, days, what is closed, and why. Accents are as published, and as they should be. */
const REMARK =
  /^(?:HORARI|PER|SORTID(?:A|ES)|ACC[ÉE]S(?:SOS)?|RESTRICCI(?:Ó|O|ONS)|TALL(?:S|AT|ADA|ATS|ADES)?|TANCA(?:T|DA|TS|DES)|DESVIAMENTS?|CIRCULACI[ÓO]|T[ÚU]NEL|CARRILS?|CAL[ÇC]ADA|PAS|OBRES|TREBALLS|NOCTURN|DI[ÜU]RN|NOM[ÉE]S|EXCLUSIU|DILLUNS|DIMARTS|DIMECRES|DIJOUS|DIVENDRES|DISSABTES?|DIUMENGES?|FESTIUS|FEINERS|CAPS? DE SETMANA|UN|DOS|TRES|\d)(?![\p{L}'’])/iu

/** The hyphen between destination and remark; that of a road (`A-2`, `N-II`) parts nothing. */
const HYPHEN = /(?<!(?<!\p{L})\p{Lu}{1,3})-|-(?!\d|[IVX]+(?!\p{L}))/u

/**
 * Reads a `cap_a`. Only where one direction is affected can it say where that leads: a place or a road, then perhaps a hyphen and a remark.
 * With both directions, or where it begins with a remark's words, all of it is one.
 */
export function readHeading(text: string | null, direction: string): Heading {
  const whole = text?.trim() || null
  if (whole === null) return { destination: null, remark: null }
  const isOneWay = direction === 'POSITIVE' || direction === 'NEGATIVE'
  if (!isOneWay || REMARK.test(whole)) return { destination: null, remark: whole }
  const at = HYPHEN.exec(whole)?.index ?? whole.length
  return { destination: whole.slice(0, at).trim() || null, remark: whole.slice(at + 1).trim() || null }
}
