/** A record of a REST reply. */
export type Fact = Readonly<Record<string, unknown>>

/** A person's question, the call that answers it, and the request whose first record has the facts of the answer. */
export interface Question {
  readonly question: string
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  readonly rest: string
  /** Members of the first record that the text must contain. */
  readonly says: readonly string[]
}

const CHEAPEST = '/api/gas-stations/cheapest?limit=10&sort=price'

/** Questions of people; the facts come from the same service over REST. */
export const questions: readonly Question[] = [
  {
    question: 'Where is diesel cheapest near Olot?',
    ...{ tool: 'find_fuel', args: { fuel: 'diesel', lat: 42.182, lon: 2.489, radius_km: 40 } },
    ...{
      rest: `${CHEAPEST}&fuel=DIESEL_A&lat=42.182&lon=2.489&radius=40000`,
      says: ['price', 'price_unit', 'operator', 'municipality', 'distance_m'],
    },
  },
  {
    question: 'Which filling station in Madrid has the cheapest 95 petrol?',
    ...{ tool: 'find_fuel', args: { fuel: 'gasoline_95', municipality: 'Madrid' } },
    ...{ rest: `${CHEAPEST}&fuel=GASOLINE_95_E5&municipality=Madrid`, says: ['price', 'operator', 'id'] },
  },
  {
    question: 'Where can I buy LPG in the province of Madrid?',
    ...{ tool: 'find_fuel', args: { fuel: 'lpg', province: 'Madrid' } },
    ...{ rest: `${CHEAPEST}&fuel=LPG&province=Madrid`, says: ['price', 'operator', 'province'] },
  },
  {
    question: 'What is the nearest station with diesel to Puerta del Sol?',
    ...{ tool: 'find_fuel', args: { fuel: 'diesel', lat: 40.4168, lon: -3.7038, sort: 'distance' } },
    ...{
      rest: '/api/gas-stations/cheapest?fuel=DIESEL_A&lat=40.4168&lon=-3.7038&radius=10000&sort=distance_m&limit=10',
      says: ['distance_m', 'operator', 'price'],
    },
  },
  {
    question: 'What does diesel cost on average in Spain?',
    ...{ tool: 'get_fuel_trend', args: { fuel: 'diesel' } },
    ...{ rest: '/api/combustible/precios?fuel=DIESEL_A', says: ['price_mean', 'price_unit', 'stations'] },
  },
  {
    question: 'What will 95 petrol cost next week?',
    ...{ tool: 'get_fuel_trend', args: { fuel: 'gasoline_95', forecast: true } },
    ...{ rest: '/api/prediccion/combustible?fuel=GASOLINE_95_E5&series=STATION_MEAN&limit=10', says: ['date', 'price'] },
  },
  {
    question: 'What is going on on the roads of Granada?',
    ...{ tool: 'get_incidents', args: { province: 'Granada' } },
    ...{ rest: '/api/incidents?province=Granada&sort=-created_at&limit=10', says: ['type', 'severity', 'road', 'km', 'id'] },
  },
  {
    question: 'Are there serious accidents in Spain now?',
    ...{ tool: 'get_incidents', args: { type: ['ACCIDENT'], severity_min: 'HIGH' } },
    ...{ rest: '/api/incidents?type=ACCIDENT&severity_min=HIGH&sort=-created_at&limit=10', says: ['road', 'province', 'created_at'] },
  },
  {
    question: 'Where is the road worked on in the province of Barcelona?',
    ...{ tool: 'get_incidents', args: { province: 'Barcelona', type: ['ROADWORKS'] } },
    ...{ rest: '/api/incidents?province=Barcelona&type=ROADWORKS&sort=-created_at&limit=10', says: ['road', 'severity', 'id'] },
  },
  {
    question: 'What incidents are near Atocha?',
    ...{ tool: 'get_incidents', args: { lat: 40.406, lon: -3.689, radius_km: 25 } },
    ...{ rest: '/api/incidents?lat=40.406&lon=-3.689&radius=25000&sort=-created_at&limit=10', says: ['type', 'road', 'id'] },
  },
  {
    question: 'Is the AP-7 clear?',
    ...{ tool: 'get_road_status', args: { road: 'AP-7', include: ['incidents'] } },
    ...{ rest: '/api/incidents?road=AP-7&sort=-created_at&limit=10', says: ['type', 'km', 'id'] },
  },
  {
    question: 'What do the panels on the A-6 show?',
    ...{ tool: 'get_road_status', args: { road: 'A-6', include: ['panels'] } },
    ...{ rest: '/api/panels?road=A-6&has_message=true&limit=10', says: ['km', 'shown_since', 'id'] },
  },
  {
    question: 'Where are roadworks on the A-7?',
    ...{ tool: 'get_road_status', args: { road: 'A-7', include: ['works'] } },
    ...{ rest: '/api/trafico/obras?road=A-7&limit=10', says: ['km', 'province', 'phase'] },
  },
  {
    question: 'What is the weather around Puerta del Sol?',
    ...{ tool: 'get_weather', args: { what: 'now', lat: 40.4168, lon: -3.7038, radius_km: 50 } },
    ...{ rest: '/api/weather?lat=40.4168&lon=-3.7038&radius=50000&limit=10', says: ['name', 'temp_c', 'observed_at'] },
  },
  {
    question: 'How dense is traffic in Madrid?',
    ...{ tool: 'get_traffic_intensity', args: { city: 'madrid' } },
    ...{ rest: '/api/trafico/ciudades?ids=madrid', says: ['name', 'congestion_pct', 'fluid_pct'] },
  },
  {
    question: 'Where in Madrid is it worst?',
    ...{ tool: 'get_traffic_intensity', args: { city: 'madrid', limit: 5 } },
    ...{ rest: '/api/trafico/intensidad?sort=-load_pct&limit=5', says: ['id', 'load_pct', 'level_of_service'] },
  },
  {
    question: 'When do trains leave Atocha?',
    ...{ tool: 'get_train_status', args: { what: 'departures', station: '18000' } },
    ...{ rest: '/api/trenes/estaciones/18000/salidas?limit=10', says: ['line', 'destination', 'scheduled_at'] },
  },
  {
    question: 'Which trains arrive in Chamartín?',
    ...{ tool: 'get_train_status', args: { what: 'arrivals', station: '17000' } },
    ...{ rest: '/api/trenes/estaciones/17000/llegadas?limit=10', says: ['scheduled_at', 'origin'] },
  },
  {
    question: 'Is there trouble on the commuter trains?',
    ...{ tool: 'get_train_status', args: { what: 'alerts', network: 'CERCANIAS' } },
    ...{ rest: '/api/trenes/alertas?network=CERCANIAS&limit=10', says: ['kind', 'id'] },
  },
  {
    question: 'Where are the trains of Madrid that are late?',
    ...{ tool: 'get_train_status', args: { what: 'position', network: 'CERCANIAS' } },
    ...{ rest: '/api/trenes/posiciones?network=CERCANIAS&sort=-delay_s&limit=10', says: ['id', 'delay_s'] },
  },
  {
    question: 'How is the weather in the province of Madrid?',
    ...{ tool: 'get_weather', args: { what: 'now', province: 'Madrid' } },
    ...{ rest: '/api/weather?province=Madrid&limit=10', says: ['name', 'temp_c', 'observed_at'] },
  },
  {
    question: 'Are there weather warnings in force?',
    ...{ tool: 'get_weather', args: { what: 'alerts' } },
    ...{ rest: '/api/weather/alerts?limit=10', says: ['level', 'phenomenon', 'onset_at'] },
  },
  {
    question: 'How much did it rain in Madrid-Retiro these days?',
    ...{ tool: 'get_weather', args: { what: 'history', station: '3195', interval: '1h' } },
    ...{ rest: '/api/clima/historico?station=3195&interval=1h&limit=10', says: ['period_start', 'station_id'] },
  },
  {
    question: 'Where do people from Madrid travel to?',
    ...{ tool: 'get_mobility', args: { origin: 'Madrid' } },
    ...{ rest: '/api/movilidad?origin=Madrid&sort=-trips&limit=10', says: ['trips', 'date'] },
  },
  {
    question: 'How busy is the A-6?',
    ...{ tool: 'get_mobility', args: { road: 'A-6' } },
    ...{ rest: '/api/movilidad/imd?road=A-6&sort=-imd_veh_day&limit=10', says: ['imd_veh_day', 'year'] },
  },
  {
    question: 'What is the daily traffic of the A-1 corridor?',
    ...{ tool: 'get_mobility', args: { corridor: 'a-1' } },
    ...{ rest: '/api/movilidad/corredores?q=a-1&limit=10', says: ['name', 'year'] },
  },
  {
    question: 'How many accidents were there in Granada?',
    ...{ tool: 'get_road_safety', args: { what: 'stats', province: 'Granada' } },
    ...{ rest: '/api/accidentes/stats?province=Granada&limit=10', says: ['accidents', 'year', 'source'] },
  },
  {
    question: 'Where are the black spots of Madrid?',
    ...{ tool: 'get_road_safety', args: { what: 'hotspots', province: 'Madrid' } },
    ...{ rest: '/api/accidentes/hotspots?province=Madrid&sort=rank&limit=10&format=json', says: ['rank', 'accidents', 'id'] },
  },
  {
    question: 'How risky is driving in Álava in the next hour?',
    ...{ tool: 'get_road_safety', args: { what: 'risk', province: 'Álava' } },
    ...{
      rest: '/api/prediccion/riesgo?province=%C3%81lava&sort=-expected&limit=10&format=json',
      says: ['road', 'risk_class', 'starts_at'],
    },
  },
  {
    question: 'Where is marine gasoil cheap?',
    ...{ tool: 'get_maritime', args: { what: 'fuel' } },
    ...{ rest: '/api/maritimo?sort=price_eur_l&limit=10', says: ['port', 'fuel', 'id'] },
  },
]
