import type { Vessel, VesselFix } from '../world/vessels.ts'

/** A position in aisstream's frame format. */
export function positionFrame(vessel: Vessel, fix: VesselFix, now: number): string {
  const isA = vessel.aisClass === 'A'
  const type = isA ? 'PositionReport' : 'StandardClassBPositionReport'
  const report = {
    ...{ MessageID: isA ? 1 : 18, RepeatIndicator: 0, UserID: vessel.mmsi, Valid: true },
    ...(isA ? { NavigationalStatus: fix.status, RateOfTurn: fix.status === 5 ? -128 : 0 } : {}),
    ...{ Sog: fix.speed_kn, PositionAccuracy: true, Longitude: fix.lon, Latitude: fix.lat, Cog: fix.course_deg },
    ...{ TrueHeading: isA ? Math.floor(fix.course_deg) : 511, Timestamp: new Date(now).getUTCSeconds(), Raim: false },
  }
  return frame(type, report, { vessel, fix, now })
}

/** Static data in aisstream's frame format: one frame for class A, two for class B. */
export function staticFrames(vessel: Vessel, fix: VesselFix, now: number): string[] {
  const { mmsi, name, callsign, imo, shipType, sizes, draught_m } = vessel
  const [A, B, C, D] = sizes
  const about = { vessel, fix, now }
  const begin = { RepeatIndicator: 0, UserID: mmsi, Valid: true }
  if (vessel.aisClass === 'A')
    return [
      frame(
        'ShipStaticData',
        {
          ...{ MessageID: 5, ...begin, AisVersion: 0, ImoNumber: imo, CallSign: callsign.padEnd(7), Name: name.padEnd(20), Type: shipType },
          ...{ Dimension: { A, B, C, D }, FixType: 1, Eta: { Month: 0, Day: 0, Hour: 24, Minute: 60 } },
          ...{ MaximumStaticDraught: draught_m, Destination: fix.destination.padEnd(20, '@'), Dte: false, Spare: false },
        },
        about,
      ),
    ]
  const none = { Valid: false, ShipType: 0, CallSign: '', Dimension: { A: 0, B: 0, C: 0, D: 0 }, FixType: 0 }
  const described = { Valid: true, ShipType: shipType, CallSign: callsign.padEnd(7), Dimension: { A, B, C, D }, FixType: 1 }
  const report = { MessageID: 24, ...begin, Reserved: 0 }
  return [
    frame('StaticDataReport', { ...report, PartNumber: false, ReportA: { Valid: true, Name: name.padEnd(20) }, ReportB: none }, about),
    frame('StaticDataReport', { ...report, PartNumber: true, ReportA: { Valid: false, Name: '' }, ReportB: described }, about),
  ]
}

function frame(
  type: string,
  report: object,
  { vessel, fix, now }: { readonly vessel: Vessel; readonly fix: VesselFix; readonly now: number },
): string {
  const [date, time = ''] = new Date(now).toISOString().split('T')
  return JSON.stringify({
    Message: { [type]: report },
    MessageType: type,
    MetaData: {
      ...{ MMSI: vessel.mmsi, MMSI_String: vessel.mmsi, ShipName: vessel.name.padEnd(20), latitude: fix.lat, longitude: fix.lon },
      time_utc: `${date} ${time.replace('Z', '178000')} +0000 UTC`,
    },
  })
}
