/** A fault of content: a fixture with one change, and the result. */
export interface ContentFault {
  /** The fixture, from the folder of fixtures. */
  readonly file: string
  /** The replacements, everywhere in the file, byte by byte (Latin-1). */
  readonly change: readonly (readonly [string | RegExp, string])[]
  /** The reason for refusing the whole file; or the good rows of the first dataset, the rejected records and the counts. */
  readonly expect:
    | string
    | {
        readonly rows: number
        readonly rejected?: Readonly<Record<string, number>>
        readonly unknown?: Readonly<Record<string, number>>
        readonly warnings?: readonly string[]
      }
}

const BASQUE = 'trafikoa_incidents/situations.xml'
const ENDLESS = 'overallEndTime is not after overallStartTime: end taken as unknown'
const NMEA = 'ais_receivers/minute.nmea'
const FRAMES = 'aisstream/minute.ndjson'
const NO_PLACE = 'position reports without a position'
const NOT_USED = ['not used, bad checksum: 2', 'not used, incomplete: 1', 'not used, private: 4']
const INVENTORY = 'aemet_stations/stations.json'
const DELAYS = 'eurocontrol_arrival_delays/2024.csv'
const METAR = 'metar/records.json'
const FLIGHTS = 'aena_flights/MAD-S.json'
const AIRPORTS = 'airports/ourairports.csv'
const DAILY = 'aemet_daily/2026-01-03.json'
const BARCELONA = 'barcelona_accidents/2025_accidents_gu_bcn.csv'
const PANELS = 'dgt_vms/messages.xml'
const DEVICES = 'dgt_vms_devices/devices.xml'
const CHARGERS = 'dgt_chargers/sites.xml'
const ZONES = 'dgt_zones/zones.xml'
const RINGS = ['a ring that is not closed: closed', 'a ring without an area: left out']
const UTM = 'a ring with a corner that is no place in Spain: left out'
const DETECTORS = 'dgt_detectors/measurements.xml'
const DETECTOR_SITES = 'dgt_detector_sites/sites.xml'
/** The reports of these two fixtures without changes. */
const STOOD_STILL = 'measurement is older than 30 minutes: reading left out (2 times)'
const SWAPPED = 'latitude and longitude were swapped'
const POSTS = 'marine_fuel/posts.json'
const SHEET = 'marine_fuel/spreadsheet.csv'
const TRAINS = 'fgc_trains/records.json'
const NO_FIX = 'implausible position of a train'
const MODELS = 'renfe_material/models.csv'
const PORTS = 'world_port_index/ports.csv'
const COUNTERS = 'madrid_count_stations/stations.csv'
const ICA = 'miteco_ica/ica.csv'
const MADRID_AIR = 'madrid_air/plain.csv'
const BARCELONA_AIR = 'barcelona_air/days.csv'
const BELOW_0 = 'air_measurements: value is below 0: stored as null'
const NO_VALUE = 'air_measurements: value is no number: stored as null'
const TRAMS = 'barcelona_traffic/sections.dat'
const AREAS = 'bilbao_traffic/sections.json'
const AREA_WARNINGS = [
  'a speed of 0 with vehicles: left out',
  'Intensidad is negative: left out',
  'a section whose report is more than 30 minutes old: no data',
]
const HOURLY = 'aemet_forecast_hourly/28005.json'
const SEVEN_DAYS = 'aemet_forecast_daily/01001.json'
/** Columns without a value in the fixture. */
const UNSAID = ['no record has PRESTACIONES', 'no record has FICHA TECNICA']
const TWICE = 'an accident that is in the file twice'

/** Faults of content by feed. A new one is a line here. */
export const FAULTS: readonly ContentFault[] = [
  { file: TRAINS, change: [['"results"', '"records"']], expect: 'trains has no total_count and results' },
  { file: TRAINS, change: [['geo_point_2d', 'posicio']], expect: 'none of the trains has a position' },
  {
    file: TRAINS,
    change: [['|aa00000002', '']],
    expect: { rows: 4, rejected: { 'id has no circulation after a |': 1 }, warnings: [NO_FIX] },
  },
  {
    file: TRAINS,
    change: [['aa00000002', 'aa00000001']],
    expect: { rows: 4, warnings: ['a circulation that is in the publication twice', NO_FIX] },
  },
  { file: TRAINS, change: [['"dir": "D"', '"dir": "X"']], expect: { rows: 5, unknown: { X: 2 }, warnings: [NO_FIX] } },
  { file: TRAINS, change: [['"tipus_unitat"', '"model"']], expect: { rows: 5, unknown: { model: 5 }, warnings: [NO_FIX] } },
  {
    file: TRAINS,
    change: [
      ['"True"', '"tal vez"'],
      ['"percent": 104', '"percent": -1'],
      ['{\\"parada\\": \\"MC\\"}', 'MC'],
    ],
    expect: { rows: 5, warnings: ['en_hora is no boolean', 'percent of m1 is no share', 'properes_parades is no list of stops', NO_FIX] },
  },
  { file: TRAMS, change: [['#', ';']], expect: 'has no line of the form id#yyyymmddHHMMSS#state#forecast' },
  {
    file: TRAMS,
    change: [
      ['1#20260824195056#3#2', '1#20260824195056#3#2#2'],
      // A line without its forecast has a state.
      ['2#20260824195056#5#5', '2#20260824195056#5'],
      ['8#20260824195056#7#3', 'x#20260824195056#2#3'],
      ['7#20260824101556', '7#20260832101556'],
    ],
    expect: {
      rows: 6,
      rejected: { 'another number of fields': 1, 'the id of the section is no number': 1, 'the time is no yyyymmddHHMMSS': 2 },
    },
  },
  { file: 'barcelona_sections/long.csv', change: [['Longitud', 'X']], expect: 'the header lacks Longitud' },
  { file: 'barcelona_sections/short-2020.csv', change: [['Coordenades', 'Coords']], expect: 'the header lacks Tram_Components' },
  { file: 'barcelona_history/2026-08.csv', change: [['estatActual', 'estat']], expect: 'the header lacks estatActual' },
  { file: 'barcelona_history/2026-08.csv', change: [['20260831', '20260901']], expect: 'a month other than the file: 20260901235557' },
  { file: 'valencia_traffic/sections.json', change: [['"features"', '"error"']], expect: 'has no features' },
  {
    file: 'valencia_traffic/sections.json',
    change: [
      ['"gid":1862', '"gid":null'],
      ['"estado":1,', '"estado":12,'],
      ['[-0.356922,39.472212]', '[-3.7,40.4]'],
    ],
    expect: {
      ...{ rows: 6, rejected: { 'no gid': 1 }, unknown: { 12: 1 } },
      warnings: [
        'a point of a line or area is unreadable or out of range: left out',
        'a line with fewer than two readable points: left out',
        'a section without a line',
      ],
    },
  },
  { file: AREAS, change: [['"914"', '"muchos"']], expect: { rows: 6, warnings: ['Intensidad is no whole number', ...AREA_WARNINGS] } },
  {
    file: AREAS,
    change: [
      ['"CodigoSeccion":"248"', '"CodigoSeccion":""'],
      ['2026-01-29 15:50:00.0', 'ayer'],
    ],
    expect: { rows: 4, rejected: { 'no CodigoSeccion': 1, 'FechaHora is no time': 1 }, warnings: AREA_WARNINGS },
  },
  { file: HOURLY, change: [['"28005"', '"28999"']], expect: 'id "28999" is no municipality' },
  { file: HOURLY, change: [['2026-01-09T21:47:45', '9/1/2026 21:47']], expect: 'elaborado is no local time' },
  { file: HOURLY, change: [['prediccion"', 'pronostico"']], expect: 'has no prediccion.dia' },
  { file: HOURLY, change: [['2026-01-10T00:00:00', 'mañana']], expect: 'fecha is no date' },
  { file: HOURLY, change: [['"temperatura"', '"temp"']], expect: 'none of the hours has temperatura' },
  { file: HOURLY, change: [['"36n"', '"99n"']], expect: { rows: 6, unknown: { '99n': 1 } } },
  { file: HOURLY, change: [['"SO"', '"SW"']], expect: { rows: 6, unknown: { SW: 1 } } },
  { file: HOURLY, change: [['"2.1"', '"mucha"']], expect: { rows: 6, warnings: ['precipitacion is no number'] } },
  { file: HOURLY, change: [['"periodo": "21"', '"periodo": "24"']], expect: { rows: 5, rejected: { 'periodo is no hour of the day': 1 } } },
  { file: HOURLY, change: [['"orto"', '"amanecer"']], expect: { rows: 6, unknown: { amanecer: 2 } } },
  { file: SEVEN_DAYS, change: [['"temperatura"', '"temp"']], expect: 'none of the days has temperatura' },
  { file: SEVEN_DAYS, change: [['18-24', '18:24']], expect: { rows: 8, rejected: { 'periodo is no part of a day': 1 } } },
  {
    file: NMEA,
    change: [[',0*5E', ',0*5F']],
    expect: { rows: 4, warnings: [NO_PLACE, 'not used, bad checksum: 2 (2 times)', ...NOT_USED.slice(1)] },
  },
  {
    file: NMEA,
    change: [[/\t!AIVDM,2,2,[^\n]*/g, '']],
    expect: { rows: 4, warnings: [NO_PLACE, NOT_USED[0] as string, 'not used, incomplete: 1 (2 times)', NOT_USED[2] as string] },
  },
  { file: NMEA, change: [['{"bad', '{bad']], expect: 'the counts of a minute file are no JSON' },
  {
    file: FRAMES,
    change: [['"Valid":true,"Sog"', '"Valid":false,"Sog"']],
    expect: { rows: 1, warnings: [NO_PLACE, 'not used, private: 3'] },
  },
  {
    file: FRAMES,
    change: [['{"MessageType":"PositionReport"', '"MessageType"']],
    expect: { rows: 1, warnings: ['frames that are no JSON (2 times)', 'not used, private: 3'] },
  },
  { file: ICA, change: [['cod_estacion', 'codigo']], expect: 'has no line that begins with cod_estacion' },
  { file: ICA, change: [['indice', 'ica']], expect: 'has no indice' },
  { file: ICA, change: [['debido_a', 'causa']], expect: 'has no debido_a' },
  { file: ICA, change: [['28079004', '280790004']], expect: { rows: 6, rejected: { 'cod_estacion is no number of 7 or 8 digits': 1 } } },
  { file: ICA, change: [['false', 'no']], expect: { rows: 6, rejected: { 'activa is neither true nor false': 1 } } },
  { file: ICA, change: [['FONDO', 'RURAL']], expect: { rows: 7, unknown: { RURAL: 1 } } },
  { file: ICA, change: [['"PM10,PM2.5"', 'C6H6']], expect: { rows: 7, unknown: { C6H6: 1 } } },
  { file: MADRID_AIR, change: [['MAGNITUD', 'MAGNITUDE']], expect: 'the header lacks MAGNITUD' },
  { file: MADRID_AIR, change: [[';20;', ';99;']], expect: { rows: 2, unknown: { '99': 1 } } },
  { file: MADRID_AIR, change: [['2026;3;9', '2026;2;30']], expect: { rows: 0, rejected: { 'a day that the calendar lacks': 2 } } },
  { file: MADRID_AIR, change: [[';51;V', ';51;T']], expect: { rows: 3, rejected: { 'V01 is neither V nor N': 1 } } },
  { file: MADRID_AIR, change: [[';51;V', ';alto;V']], expect: { rows: 4, warnings: [NO_VALUE] } },
  { file: BARCELONA_AIR, change: [['NA,"N"', '5,"N"']], expect: { rows: 8, warnings: [BELOW_0] } },
  { file: BARCELONA_AIR, change: [['12,"V"', 'NA,"V"']], expect: { rows: 8, warnings: [NO_VALUE, BELOW_0] } },
  { file: INVENTORY, change: [['"indicativo"', '"id"']], expect: 'has no indicativo' },
  { file: INVENTORY, change: [['"1387"', '" "']], expect: { rows: 3, rejected: { 'no indicativo': 1 } } },
  { file: INVENTORY, change: [['"altitud"', '"Altitud "']], expect: { rows: 4 } },
  { file: INVENTORY, change: [['"57"', '"alto"']], expect: { rows: 4, warnings: ['altitud is no number'] } },
  { file: INVENTORY, change: [['402443N', '402463N']], expect: { rows: 4, warnings: ['latitud is no ddmmss with N, S, E or W'] } },
  { file: INVENTORY, change: [['"altitud"', '"cota"']], expect: 'has altitud' },
  { file: INVENTORY, change: [['"nombre"', '"nombre_oficial"']], expect: 'has no nombre' },
  { file: BARCELONA, change: [['Numero_morts', 'Morts']], expect: 'has no Numero_morts' },
  { file: PANELS, change: [['customPictogramCode', 'pictogramCode']], expect: 'none of the panels has customPictogramCode' },
  { file: PANELS, change: [['timeLastSet', 'timeSet']], expect: 'none of the panels has timeLastSet' },
  {
    file: PANELS,
    change: [
      ['vmsMessage ', 'message '],
      ['vmsMessage>', 'message>'],
    ],
    expect: 'none of the panels has vmsMessage',
  },
  { file: PANELS, change: [['VmsPublication"', 'SituationPublication"']], expect: 'expected VmsPublication' },
  { file: PANELS, change: [['TextDisplay', 'AdvertisingDisplay']], expect: 'none of the panels has textLine' },
  { file: PANELS, change: [['id="70001"', 'id=""']], expect: { rows: 4, rejected: { 'panel without id': 1 } } },
  { file: PANELS, change: [['07:44:30', '07:44:70']], expect: { rows: 5, warnings: ['timeLastSet is no time with offset'] } },
  { file: PANELS, change: [['R301100I', 'R301900I']], expect: { rows: 5, warnings: ['speed limit outside 5 to 150 km/h'] } },
  { file: PANELS, change: [['R30180I', 'R30100I']], expect: { rows: 5, warnings: ['speed limit outside 5 to 150 km/h'] } },
  { file: DETECTORS, change: [['averageVehicleSpeed', 'meanSpeed']], expect: 'none of the detectors has averageVehicleSpeed' },
  {
    file: DETECTORS,
    change: [['xmlns:_0="http://datex2.eu/schema/1_0/1_0"', 'xmlns:_0="http://datex2.eu/schema/2/2_0"']],
    expect: 'there is no publicationTime of version 1.0',
  },
  { file: DETECTORS, change: [['_0:publicationTime', '_0:publishedAt']], expect: 'no publicationTime before the first siteMeasurements' },
  {
    file: DETECTORS,
    change: [['measurementTimeDefault>2026-10-01T07:59:00', 'measurementTimeDefault>2026-10-01T07:59:70']],
    expect: { rows: 3, rejected: { 'site without time of measurement': 1 }, warnings: [STOOD_STILL] },
  },
  {
    file: DETECTORS,
    change: [['<_0:vehicleFlow>1140<', '<_0:vehicleFlow>-60<']],
    expect: { rows: 4, warnings: ['vehicleFlow is no number from 0 to 100000', STOOD_STILL] },
  },
  {
    file: DETECTORS,
    change: [['xsi:type="_0:TrafficHeadway"', 'xsi:type="_0:TrafficGap"']],
    expect: { rows: 4, unknown: { TrafficGap: 5 }, warnings: [STOOD_STILL] },
  },
  { file: DETECTOR_SITES, change: [['roadNumber', 'road']], expect: 'none of the sites has roadNumber' },
  {
    file: DETECTOR_SITES,
    change: [['id="GUID_DET_900001"', 'id=""']],
    expect: { rows: 4, rejected: { 'site without id': 1 }, warnings: [SWAPPED] },
  },
  { file: DETECTOR_SITES, change: [['>SALIDA<', '>TELEFERICO<']], expect: { rows: 5, unknown: { TELEFERICO: 1 }, warnings: [SWAPPED] } },
  {
    file: DETECTOR_SITES,
    change: [['>unknown</_0:directionRelative>', '>sideways</_0:directionRelative>']],
    expect: { rows: 5, unknown: { sideways: 1 }, warnings: [SWAPPED] },
  },
  {
    file: DETECTOR_SITES,
    change: [['>5300.0<', '>-5300.0<']],
    expect: { rows: 5, warnings: [SWAPPED, 'referencePointDistance is no number of metres from 0 to 2000000'] },
  },
  { file: CHARGERS, change: [[/Site id="EJEMPLO0001"/g, 'Site id=""']], expect: { rows: 2, rejected: { 'site without id': 1 } } },
  { file: CHARGERS, change: [['>chademo<', '>gbtDc<']], expect: { rows: 3, unknown: { gbtDc: 1 } } },
  { file: CHARGERS, change: [['>22170.0<', '>much<']], expect: { rows: 3, warnings: ['maxPowerAtSocket is no number (2 times)'] } },
  { file: CHARGERS, change: [['coordinatesForDisplay', 'coordinates']], expect: 'none of the sites has coordinatesForDisplay' },
  { file: ZONES, change: [[/id="28079[^"]*"/g, 'id=""']], expect: { rows: 1, rejected: { 'zone without id': 1 }, warnings: [UTM] } },
  { file: ZONES, change: [['>C<', '>H<']], expect: { rows: 2, unknown: { H: 1 }, warnings: [...RINGS, UTM] } },
  { file: ZONES, change: [['07:00:00Z', '7 h']], expect: { rows: 2, warnings: [...RINGS, 'hours that cannot be read: left out', UTM] } },
  { file: ZONES, change: [['cz:ControlledZoneTablePublication', 'cz:Other']], expect: 'the payload is Other' },
  { file: DEVICES, change: [['id="70001"', 'id=""']], expect: { rows: 3, rejected: { 'device without id': 1 } } },
  { file: DEVICES, change: [[/vms(?=<[^]*"70002")/g, 'camera']], expect: { rows: 3, unknown: { camera: 1 } } },
  { file: DEVICES, change: [['roadName', 'road']], expect: 'none of the devices has roadName' },
  { file: DEVICES, change: [['>both<', '>sideways<']], expect: { rows: 4, unknown: { sideways: 1 } } },
  { file: DEVICES, change: [['9.35', 'nine']], expect: { rows: 4, warnings: ['kilometerPoint is no number'] } },
  {
    file: BARCELONA,
    change: [['Num_postal ', 'Porta']],
    expect: { rows: 3, unknown: { Porta: 1 }, warnings: [TWICE, 'no record has Num_postal'] },
  },
  { file: POSTS, change: [['"OK"', '"Datos no encontrados"']], expect: 'ResultadoConsulta is' },
  { file: POSTS, change: [['20\\/06\\/2026', 'ayer']], expect: 'Fecha is' },
  { file: POSTS, change: [['"Tipo Venta"', '"Venta"']], expect: 'has no Tipo Venta' },
  { file: POSTS, change: [['"Precio ', '"Coste ']], expect: 'has a price' },
  { file: POSTS, change: [['"Latitud"', '"Lat"']], expect: 'none of the posts has Latitud' },
  { file: SHEET, change: [['Longitud;', 'Lon;']], expect: 'none of the posts has Latitud' },
  { file: POSTS, change: [['1,259', 'gratis']], expect: { rows: 4, warnings: ['Precio Gasoleo A habitual is no number'] } },
  { file: POSTS, change: [['"Sin R', '"Con R']], expect: { rows: 4 } },
  { file: POSTS, change: [['MUELLE DE EJEMPLO, 1', '']], expect: { rows: 3, rejected: { 'no Dirección': 1 } } },
  { file: POSTS, change: [['"Puerto"', '"Darsena"']], expect: { rows: 4, unknown: { Darsena: 4 } } },
  { file: POSTS, change: [['"Mixto"', '"Otro"']], expect: { rows: 4, unknown: { Otro: 6 } } },
  { file: SHEET, change: [['Provincia;', 'Prov.;']], expect: 'no line that begins with Provincia' },
  { file: SHEET, change: [['Fecha:;20', 'Fecha:;X']], expect: 'Fecha is' },
  { file: MODELS, change: [['MODELO', 'NOMBRE']], expect: 'has no MODELO' },
  { file: MODELS, change: [['ANCHO VIA', 'ANCHO']], expect: 'has ANCHO VIA' },
  { file: MODELS, change: [['FICHA TECNICA', 'FICHA']], expect: { rows: 9, unknown: { FICHA: 1 }, warnings: UNSAID } },
  { file: MODELS, change: [[';22;', ';"veinte";']], expect: { rows: 9, warnings: ['UNIDADES CONSTRUIDAS is no whole number', ...UNSAID] } },
  { file: MODELS, change: [[/[^]{5}$/g, '']], expect: 'cut off' },
  { file: COUNTERS, change: [['Orient.', 'Rumbo']], expect: { rows: 6, unknown: { Rumbo: 1 }, warnings: ['no record has Orient.'] } },
  { file: COUNTERS, change: [['Latitud', 'Lat']], expect: 'has no Latitud' },
  { file: COUNTERS, change: [['\n28;', '\nES28;']], expect: { rows: 4, rejected: { 'Estación is no whole number': 2 } } },
  { file: PORTS, change: [['MAIN_PORT_NAME', 'Main Port Name']], expect: { rows: 16 } },
  { file: PORTS, change: [['MAIN_PORT_NAME', 'Title']], expect: 'has no Main Port Name' },
  { file: PORTS, change: [['Country Code', 'Flag']], expect: 'has no Country Code' },
  { file: PORTS, change: [[',Spain,', ',Portugal,']], expect: 'has no port of Spain' },
  { file: PORTS, change: [['Very Small', 'Tiny']], expect: { rows: 16, unknown: { Tiny: 1 } } },
  { file: PORTS, change: [['39.883333', 'north']], expect: { rows: 15, rejected: { 'Latitude is no number': 1 } } },
  { file: PORTS, change: [['ES LCG', ' ']], expect: { rows: 16 } },
  { file: AIRPORTS, change: [['"iata_code"', '"iata"']], expect: 'the header lacks iata_code' },
  { file: AIRPORTS, change: [['"latitude_deg"', '"lat_deg"']], expect: 'has no latitude_deg' },
  { file: AIRPORTS, change: [['"ES"', '"SP"']], expect: 'has no Spanish airport' },
  {
    file: AIRPORTS,
    change: [
      ['36.1289', '""'],
      ['gliderport', 'heliport'],
    ],
    expect: { rows: 3, rejected: { 'no latitude_deg': 1 } },
  },
  { file: DELAYS, change: [['DLY_APT_ARR_1,', 'DELAY,']], expect: 'has DLY_APT_ARR_1' },
  { file: DELAYS, change: [['APT_ICAO', 'ICAO']], expect: 'the header lacks APT_ICAO' },
  { file: DELAYS, change: [['2024,7', '2023,7']], expect: 'the file 2024 has rows of 2023' },
  {
    file: DELAYS,
    change: [['2024-07-01T00:00:00Z,LEMD', '2024-13-01T00:00:00Z,LEMD']],
    expect: { rows: 2, rejected: { 'FLT_DATE is no date of its year and month': 1 } },
  },
  { file: DELAYS, change: [[',618,120,', ',618,many,']], expect: { rows: 3, warnings: ['DLY_APT_ARR_1 is no whole number'] } },
  {
    file: DELAYS,
    change: [['NA_1', 'ZZ_1']],
    expect: { rows: 3, unknown: { DLY_APT_ARR_ZZ_1: 1 }, warnings: ['no record has DLY_APT_ARR_NA_1'] },
  },
  { file: METAR, change: [['"icaoId"', '"station"']], expect: 'has no icaoId' },
  {
    file: METAR,
    change: [['"visib"', '"visibility"']],
    expect: {
      rows: 4,
      rejected: { 'an airport that was not requested': 1 },
      unknown: { visibility: 6 },
      warnings: ['a report that is in the list twice', 'no record has visib'],
    },
  },
  {
    file: METAR,
    change: [
      ['"visib"', '"visibility"'],
      [/ (?:9999|0400|CAVOK) /g, ' '],
    ],
    expect: 'none of the records has a visibility',
  },
  {
    file: METAR,
    change: [['1793017800', '"ahora"']],
    expect: {
      rows: 0,
      rejected: { 'obsTime is no whole number': 5, 'an airport that was not requested': 1 },
      warnings: ['visib is no visibility'],
    },
  },
  { file: FLIGHTS, change: [['"horaProgramada"', '"hora"']], expect: 'has no horaProgramada' },
  { file: FLIGHTS, change: [['"horaEstimada"', '"horaPrevista"']], expect: 'has an estimated time' },
  { file: FLIGHTS, change: [['"iataOtro"', '"destino"']], expect: 'has another airport' },
  { file: FLIGHTS, change: [['"00:05:00"', '"pronto"']], expect: { rows: 6, unknown: { BTR: 1 }, warnings: ['horaEstimada is no time'] } },
  { file: 'sct_incidents/incidents.xml', change: [['identificador>', 'id>']], expect: 'incidents has no identificador' },
  { file: BASQUE, change: [['schema/1_0/1_0', 'schema/2/2_0']], expect: 'the root is' },
  { file: BASQUE, change: [['12:02:07.000+01:00', '12:02:07']], expect: 'no time with offset' },
  {
    file: BASQUE,
    change: [['<_0:informationStatus>real<', '<_0:informationStatus>test<']],
    expect: { rows: 0, rejected: { 'information status is not real': 5 }, unknown: { test: 5 }, warnings: [ENDLESS] },
  },
  {
    file: BASQUE,
    change: [
      ['_0:Activities', '_0:MeteoriteStrike'],
      ['>4000.0<', '>-4.0<'],
    ],
    expect: { rows: 5, unknown: { MeteoriteStrike: 1 }, warnings: ['referencePointDistance below 0 taken as unknown', ENDLESS] },
  },
  {
    file: DAILY,
    change: [['"fecha" : "2026-01-03"', '"fecha" : "2026-01-04"']],
    expect: { rows: 0, rejected: { 'a day other than the file': 3 } },
  },
  { file: DAILY, change: [['"fecha" : "2026-01-03"', '"fecha" : "ayer"']], expect: { rows: 0, rejected: { 'fecha is no date': 3 } } },
  { file: DAILY, change: [['"3195"', '""']], expect: { rows: 2, rejected: { 'no indicativo': 1 } } },
  { file: DAILY, change: [['"1,7"', '"1.7"']], expect: { rows: 3, warnings: ['tmin is no number'] } },
  { file: DAILY, change: [['"05:50"', '"25:50"']], expect: { rows: 3, warnings: ['horatmin is no time'] } },
  { file: DAILY, change: [['"tmed"', '"media"']], expect: 'has tmed' },
  {
    file: DAILY,
    change: [['"horatmin"', '"hora_minima"']],
    expect: { rows: 3, unknown: { hora_minima: 2 }, warnings: ['no record has horatmin'] },
  },
  // The part of a province: lines of JSON, the first with their numbers.
  { file: 'ign_roads/28.ndjson', change: [['"posts":4', '"posts":5']], expect: 'says 5 posts, there are 4' },
  { file: 'ign_roads/28.ndjson', change: [['2026-07', '2026-13']], expect: 'no part of a road network' },
  { file: 'ign_roads/28.ndjson', change: [['["s","700000003"', '["x","700000003"']], expect: 'a line is no section and no post' },
  { file: 'ign_roads/28.ndjson', change: [['Enlace', 'Teleferico']], expect: { rows: 5, unknown: { Teleferico: 1 } } },
  {
    file: 'ign_roads/28.ndjson',
    change: [['-3.689,40.403', '-3.689,140.403']],
    expect: { rows: 4, rejected: { 'geometry is no line': 1 } },
  },
]
