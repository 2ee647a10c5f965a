/** Inputs that lead to every request of a tool. */
export const INPUTS: Readonly<Record<string, readonly object[]>> = {
  get_incidents: [
    { province: 'Granada', include_v16: true, severity_min: 'LOW', type: ['ACCIDENT'] },
    { lat: 40, lon: -3, closed: true },
  ],
  get_road_status: [
    { road: 'A-7', km_from: 1, km_to: 500 },
    { road: 'A-7', include: ['cameras', 'speed_cameras', 'chargers'] },
  ],
  get_traffic_intensity: [
    { city: 'madrid', forecast_hours: 2, level_min: 'DENSE' },
    { city: 'barcelona' },
    { city: 'madrid', forecast_hours: 1, sensor: '1' },
  ],
  find_fuel: [
    { fuel: 'diesel', municipality: 'Olot', open_now: true },
    { fuel: 'diesel', lat: 42.18, lon: 2.49, sort: 'distance' },
  ],
  get_fuel_trend: [{ fuel: 'gasoline_95', weeks: 8, forecast: true }],
  get_train_status: [
    { what: 'alerts', line: 'C5', network: 'CERCANIAS' },
    { what: 'departures', station: '17000', to: 'Aranjuez' },
    { what: 'arrivals', station: '17000', at: '2026-08-22' },
    { what: 'position', min_delay_min: 5 },
    { what: 'position', train_id: 'x' },
  ],
  get_weather: [
    { what: 'now', road: 'A-6' },
    { what: 'alerts', province: 'Madrid' },
    { what: 'forecast', road: 'A-6' },
    { what: 'forecast', municipality: 'Madrid' },
    { what: 'air', province: 'Madrid' },
    { what: 'history', station: '3195', interval: '1d' },
  ],
  get_mobility: [{ origin: 'Madrid', destination: 'Toledo', corridor: 'm-30', road: 'A-6', year: 2018 }],
  get_road_safety: [
    { what: 'stats', province: 'Granada', year: 2024 },
    { what: 'hotspots' },
    { what: 'risk', road: 'A-7', at: '2026-01-02' },
  ],
  get_maritime: [
    { what: 'fuel', port: 'x' },
    { what: 'ferries', origin: 'x' },
    { what: 'vessels', lat: 36.13, lon: -5.44 },
    { what: 'vessels', vessel: '224123450' },
  ],
  get_aviation: [
    { what: 'delays', airport: 'MAD', min_delay_min: 15 },
    { what: 'delays', flight: 'IB438' },
    { what: 'stats', q: 'madrid' },
    { what: 'aircraft', lat: 40, lon: -3 },
  ],
  search_transport: [{ query: 'atocha', collections: ['rail-stations'] }],
}
