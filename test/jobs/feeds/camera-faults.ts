import type { ContentFault } from './content-faults.ts'

const CAMERAS = 'dgt_cameras/v37.xml'
const CATALAN_CAMERAS = 'sct_cameras/cameras.xml'
const CATALAN_NOTES = [
  'another camera with the same link: left out',
  'a camera in Andorra: left out',
  'link of a camera is not to a known host: no link',
] as const
const KML = 'madrid_cameras/CCTV.kml'
const RADARS = 'dgt_speed_cameras/locations.xml'
const FIXED_LIST = 'sct_speed_cameras/list.txt'
const FIXED_NOTES = [
  'a line that repeats another: left out',
  'X and Y are no position in Catalonia: left out',
  'X or Y has lost its comma: mended',
]
const MADRID_RADARS = 'madrid_speed_cameras/list.csv'
const SHIFTED = 'Latitud is no number'

/** Faults of content in catalogues of cameras and speed cameras. */
export const CAMERA_FAULTS: readonly ContentFault[] = [
  { file: CAMERAS, change: [['ns2:DevicePublication', 'ns2:VmsPublication']], expect: 'the payload is VmsPublication' },
  { file: CAMERAS, change: [['tpegDirectionRoad>', 'sentido>']], expect: 'tpegDirectionRoad' },
  { file: CAMERAS, change: [[/>camera</g, '>vms<']], expect: { rows: 0, unknown: { vms: 4 } } },
  {
    file: CAMERAS,
    change: [['etraffic.dgt.es/camarasEtraffic/900101', 'example.org/900101']],
    expect: { rows: 4, warnings: ['deviceUrl is not that of the camera'] },
  },
  { file: CAMERAS, change: [['id="900103"', 'id="../900103"']], expect: { rows: 4, warnings: ['id of a camera is no number: no link'] } },
  { file: CAMERAS, change: [['id="900103"', 'name="900103"']], expect: { rows: 3, rejected: { 'device without id': 1 } } },
  { file: CATALAN_CAMERAS, change: [['cite:link>', 'cite:enllac>']], expect: 'cameras has no link' },
  { file: CATALAN_CAMERAS, change: [['cite:font>', 'cite:origen>']], expect: 'none of the cameras has font' },
  {
    file: CATALAN_CAMERAS,
    change: [['cite:cameres', 'cite:cameres_2027']],
    expect: { rows: 5, unknown: { cameres_2027: 7 }, warnings: CATALAN_NOTES },
  },
  {
    file: CATALAN_CAMERAS,
    change: [['http://www.bcn.cat', 'http://www.bcn.cat:8080']],
    expect: { rows: 5, warnings: [`${CATALAN_NOTES[2]} (2 times)`, CATALAN_NOTES[0], CATALAN_NOTES[1]] },
  },
  { file: KML, change: [['"Numero"', '"Codigo"']], expect: 'cameras has no Numero' },
  { file: KML, change: [['90002<', 'norte/..<']], expect: { rows: 3, warnings: ['Numero is no number: no link'] } },
  { file: RADARS, change: [['schema/1_0/1_0', 'schema/2/2_0']], expect: 'the root is' },
  { file: RADARS, change: [['referencePointDistance>', 'distancia>']], expect: 'referencePointDistance' },
  { file: RADARS, change: [['GUID_CVM_', 'GUID_INVIVE_']], expect: { rows: 4, unknown: { GUID_INVIVE: 2 } } },
  { file: RADARS, change: [['positive<', 'sideways<']], expect: { rows: 4, unknown: { sideways: 2 } } },
  { file: FIXED_LIST, change: [['Velocitat', 'Limit    ']], expect: 'has no header Via, PK, Velocitat, X, Y' },
  { file: FIXED_LIST, change: [[/\n +$/g, '']], expect: 'is cut off' },
  {
    file: FIXED_LIST,
    change: [['17,5 ', 'nord ']],
    expect: { rows: 6, rejected: { 'another number of fields': 1 }, warnings: FIXED_NOTES.slice(0, 2) },
  },
  { file: FIXED_LIST, change: [['C-32 nord', 'C-32 dalt']], expect: { rows: 7, unknown: { dalt: 1 }, warnings: FIXED_NOTES } },
  { file: 'sct_mobile_speed_cameras/list.txt', change: [[/\t4\d{6},\d+/g, '\t5']], expect: 'a position in Catalonia' },
  { file: MADRID_RADARS, change: [['Tipo', 'Clase']], expect: 'none of the records has Tipo' },
  {
    file: MADRID_RADARS,
    change: [['Fijo;Todos', 'Foto;Todos']],
    expect: { rows: 5, unknown: { Foto: 1 }, warnings: [SHIFTED] },
  },
  {
    file: MADRID_RADARS,
    change: [['-3.71117703;40.39152318', '40.39152318;-3.71117703']],
    expect: { rows: 5, warnings: ['no position in the city: left out', SHIFTED] },
  },
]
