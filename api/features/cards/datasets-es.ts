/** The titles and descriptions of public datasets in Spanish, by id, for catalogues that harvest ours. */
export const DATASETS_ES: Readonly<Record<string, readonly [title: string, about: string]>> = Object.freeze({
  accident_codebook: ['Libro de códigos de accidentes', 'Variables de la tabla nacional de accidentes con sus valores y etiquetas.'],
  accident_hotspots: [
    'Puntos negros',
    'Agrupaciones de accidentes con víctimas, por densidad de núcleo, con su significación estadística: en Madrid y Barcelona, y en carretera.',
  ],
  accident_positions: [
    'Posiciones de accidentes por carretera y kilómetro',
    'Posiciones de los accidentes publicados sin ella, por carretera y kilómetro. Sin eje medido, los que están a más de 5 km de puntos conocidos no tienen.',
  ],
  accident_sections: [
    'Accidentes por tramo de carretera, mes, día de la semana y hora',
    'Número de accidentes de una fuente por tramo de 5 km y mes. Las fuentes se solapan: no deben sumarse.',
  ],
  air_measurements: [
    'Mediciones horarias de la calidad del aire',
    'Concentraciones medias horarias de contaminantes, sin validar, de las redes de Madrid y Barcelona.',
  ],
  air_quality_index: [
    'Índice de calidad del aire por estación y hora',
    'Índice nacional de calidad del aire (ICA) tal como se publica para cada estación activa y hora.',
  ],
  air_quality_stations: [
    'Estaciones de calidad del aire',
    'Estaciones del índice nacional de calidad del aire: nombre, tipo, lugar y si están activas.',
  ],
  aircraft_positions: [
    'Posiciones de aeronaves',
    'Posición, altitud, velocidad y rumbo de aeronaves sobre España cada minuto, durante 35 días, sin las bloqueadas. Licencia ODbL.',
  ],
  airport_days: [
    'Aeropuertos por día',
    'Vuelos, puntualidad, cancelaciones y retraso de cada aeropuerto español por día, con movimientos y retrasos ATFM de EUROCONTROL.',
  ],
  airport_observed_days: [
    'Movimientos observados de aeropuertos por día',
    'Salidas y llegadas que observaron receptores ADS-B, por aeropuerto y día. Es una cota inferior.',
  ],
  airport_traffic: [
    'Tráfico de aeropuertos por día',
    'Vuelos instrumentales con salida o llegada en aeropuertos españoles por día UTC, según EUROCONTROL y los aeropuertos.',
  ],
  airport_weather: ['Tiempo en los aeropuertos', 'Informes METAR de aeropuertos españoles: viento, visibilidad, nubes y fenómenos.'],
  airports: ['Aeropuertos', 'Aeropuertos y helipuertos españoles con código IATA: nombres, códigos, altura y posición.'],
  animal_accident_positions: [
    'Posiciones de accidentes con animales por carretera y kilómetro',
    'Posiciones de los accidentes con animales, por carretera y kilómetro. Sin eje medido, los que están a más de 5 km de puntos conocidos no tienen.',
  ],
  animal_accidents: [
    'Accidentes con animales',
    'Accidentes con animales en vías interurbanas, con víctimas o solo daños; sin Cataluña, País Vasco, Ceuta y Melilla.',
  ],
  arrival_atfm_delays: [
    'Retrasos ATFM de llegada por día',
    'Retraso de las llegadas a aeropuertos españoles por regulaciones ATFM, por día UTC y causa.',
  ],
  cameras: [
    'Cámaras de tráfico',
    'Catálogo de cámaras de las carreteras españolas, de Cataluña y de las calles de Madrid: posición y enlace a la imagen actual. Sin País Vasco.',
  ],
  corridor_hours: [
    'Tráfico de corredores por hora',
    'Intensidad media en los sensores de un corredor por hora, fuente y periodo de lectura. Solo días pasados.',
  ],
  corridor_sensor_months: [
    'Tráfico en los sensores de corredores por mes',
    'Horas con intensidad y suma de sus medias en cada sensor de un corredor, por fuente y periodo de lectura.',
  ],
  enroute_atfm_delays: [
    'Retrasos ATFM en ruta por día',
    'Retraso de vuelos por regulaciones ATFM en el espacio aéreo español, por día UTC y causa.',
  ],
  ferry_calendar: ['Días de servicio de ferris', 'Días en que presta servicio cada horario de ferri, una fila por día.'],
  ferry_routes: ['Rutas de ferri', 'Rutas de un horario de ferris con su operador y huso horario.'],
  ferry_stop_times: ['Escalas de ferris', 'Cuándo llega y sale cada viaje en cada una de sus terminales.'],
  ferry_stops: ['Terminales de ferri', 'Terminales de un horario de ferris, una fila por versión.'],
  ferry_trips: ['Viajes de ferris', 'Viajes de un horario de ferris, cada uno en los días de su servicio.'],
  flights: ['Vuelos', 'Salidas y llegadas en los aeropuertos de Aena, con cada estado. Un vuelo en código compartido cuenta una vez.'],
  fuel_archive_prices: [
    'Precios de carburantes por estación y día',
    'Precio de cada producto en cada gasolinera al final de cada día desde 2007, del archivo del ministerio.',
  ],
  fuel_bulletin: [
    'Precios nacionales de carburantes por semana',
    'Precios al consumo de productos petrolíferos los lunes, con y sin impuestos, en los países de la Unión Europea desde 2005.',
  ],
  fuel_days: [
    'Precios de carburantes por día',
    'Media, mínimo, máximo y cuartiles por producto y día: España, provincias y rótulos con al menos tres estaciones.',
  ],
  fuel_forecasts: [
    'Predicciones de precios de carburantes',
    'Precios de los días y semanas siguientes al último conocido, con intervalos, para España y sus provincias.',
  ],
  fuel_ministry_days: [
    'Medias nacionales del ministerio por día',
    'Precio medio diario de la gasolina 95 y del gasóleo A en España, tal como lo publica el ministerio.',
  ],
  fuel_prices: ['Precios de carburantes por estación', 'Precio de cada producto en cada gasolinera de España.'],
  fuel_stations: ['Gasolineras', 'Todas las gasolineras del registro nacional: rótulo, dirección, horario y posición.'],
  imd_detector_months: [
    'Días completos de tráfico por carretera, contados por detectores',
    'Vehículos de días completos donde los detectores de la DGT contaron todos los carriles, por provincia, sentido y mes.',
  ],
  imd_roads: [
    'Tráfico diario por carretera y provincia',
    'Intensidad media diaria (IMD) de cada carretera del Estado por provincia y año, y su cambio anual.',
  ],
  imd_sections: [
    'Tráfico diario por tramo de carretera',
    'Intensidad media diaria (IMD) de cada tramo de las carreteras del Estado por año: ligeros, pesados y vehículos-kilómetro.',
  ],
  incidents: [
    'Incidencias en carretera',
    'Accidentes, obras, retenciones, cortes y otras incidencias en las carreteras españolas, con cada estado.',
  ],
  marine_prices: ['Precios de carburantes marinos por estación', 'Precio de cada carburante en cada estación marítima de España.'],
  marine_stations: [
    'Estaciones de carburante marino',
    'Estaciones del registro nacional que sirven a embarcaciones de recreo o pesqueros: puerto, dirección, horario y posición.',
  ],
  mobility_district_trips: [
    'Viajes entre distritos',
    'Viajes estimados por distrito de origen y destino, hora local y tramo de distancia.',
  ],
  mobility_flow_days: ['Viajes entre provincias por día', 'Viajes estimados y su longitud entre cada par de provincias por día local.'],
  mobility_gau_trips: [
    'Viajes entre grandes áreas urbanas',
    'Viajes estimados por gran área urbana, o zona fuera de ellas, de origen y destino, hora local y tramo de distancia.',
  ],
  mobility_overnight_stays: ['Pernoctaciones', 'Personas estimadas por zona de pernoctación y zona de residencia.'],
  mobility_trips: [
    'Viajes entre zonas municipales',
    'Viajes estimados por zona municipal de origen y destino, hora local y tramo de distancia.',
  ],
  mobility_v1_trips: [
    'Viajes entre zonas municipales en 2020 y 2021',
    'Viajes estimados por zona municipal de origen y destino del estudio de 2020 y 2021, por hora local y tramo de distancia.',
  ],
  mobility_zone_areas: [
    'Áreas de las zonas de movilidad',
    'Polígonos de cada zona del estudio de movilidad desde 2022 (V2), por nivel, publicados y simplificados.',
  ],
  mobility_zone_members: [
    'Zonas de los estudios de movilidad',
    'Municipios que contiene cada zona, del todo o en parte, con cada estado de la zonificación.',
  ],
  mobility_zone_points: [
    'Centroides de las zonas de movilidad',
    'Centroide de cada zona del estudio de movilidad desde 2022 (V2), por nivel, con Francia y Portugal.',
  ],
  mobility_zones: [
    'Nombres y población de las zonas de movilidad',
    'Nombre y población de cada zona de los estudios de movilidad, por nivel.',
  ],
  model_cards: [
    'Estado de los modelos',
    'Versión en servicio, último ajuste, historial de versiones y gráficos de errores de cada modelo.',
  ],
  model_scores: [
    'Errores de los modelos',
    'Errores fuera de muestra de cada modelo por serie, horizonte y resultado, con los de una referencia sencilla.',
  ],
  opensky_positions: [
    'Posiciones de aeronaves de OpenSky',
    'Posición, altitud, velocidad y rumbo de aeronaves de la red OpenSky, durante 35 días. Solo para usos no comerciales.',
  ],
  ports: ['Puertos', 'Puertos españoles: nombre oficial, UN/LOCODE, posición, tamaño, calados y suministros.'],
  rail_alerts: ['Alertas ferroviarias', 'Avisos ferroviarios y trenes suprimidos o con más de 5 minutos de retraso, con cada estado.'],
  rail_calendar: ['Días de servicio ferroviario', 'Días en que se presta cada servicio de un horario, una fila por día.'],
  rail_fleet: ['Trenes del mapa de Renfe', 'Retraso, producto, números de vehículo y paradas de cada tren en marcha en el mapa de Renfe.'],
  rail_positions: ['Posiciones de trenes', 'Posición, estado, parada y vía de cada tren en marcha.'],
  rail_routes: ['Rutas ferroviarias', 'Rutas de un horario: línea o producto, colores y cabeceras.'],
  rail_shapes: ['Trazados ferroviarios', 'Geometría de las líneas de cercanías, completa como se publica.'],
  rail_station_register: [
    'Registro de estaciones de tren',
    'Lista de estaciones de Renfe: dirección, código postal, municipio, provincia, país y servicios.',
  ],
  rail_stations: ['Estaciones de tren', 'Estaciones y paradas que nombra un horario, una fila por versión.'],
  rail_stock: ['Material rodante', 'Modelos de trenes de Renfe: serie, uso, ancho de vía, velocidad, potencia, tamaño y plazas.'],
  rail_stop_times: ['Horas de paso de trenes', 'Cuándo llega y sale cada viaje en cada una de sus paradas.'],
  rail_timetable_changes: [
    'Cambios de horarios ferroviarios',
    'Estaciones, rutas, líneas y trenes que aparecen o desaparecen entre dos versiones de un horario.',
  ],
  rail_trip_updates: [
    'Viajes ferroviarios en directo',
    'Retraso, próxima parada, paradas suprimidas y supresión de cada viaje en marcha, con cada estado.',
  ],
  rail_trips: ['Viajes ferroviarios', 'Viajes de un horario, cada uno en los días de su servicio.'],
  risk_estimates: [
    'Riesgo de los tramos de carretera',
    'Accidentes esperados por semana en cada tramo de 5 km, con intervalo, puesto y clase, por tipo de accidente.',
  ],
  risk_profiles: [
    'Perfiles de riesgo por hora y época',
    'Factores de los accidentes esperados por semana del año, hora solar, hora local y provincia, por tipo de accidente.',
  ],
  road_accidents: [
    'Accidentes de tráfico',
    'Accidentes en carreteras y calles, uno por fila, con recuento de personas. Las fuentes se solapan: no deben sumarse.',
  ],
  road_points: [
    'Puntos de carreteras',
    'Posiciones de puntos kilométricos, obtenidas de incidencias, balizas, paneles, detectores y gasolineras.',
  ],
  road_sections: [
    'Tramos de la red viaria',
    'Tramos con código de carretera de la red viaria nacional, con su línea, por edición y provincia. En modo real los importa el operador.',
  ],
  road_posts: [
    'Postes kilométricos de las carreteras',
    'Postes kilométricos de la red viaria nacional, por edición y provincia; una calzada doble tiene uno por sentido. En modo real los importa el operador.',
  ],
  municipality_register: [
    'Municipios con sus habitantes',
    'Municipios con habitantes, superficie y capital del Nomenclátor del IGN (NGMEP), por edición. En modo real los importa el operador.',
  ],
  road_axes: [
    'Ejes medidos de las carreteras',
    'Líneas de las carreteras con el kilómetro de cada uno de sus puntos, a partir de los tramos y postes de la red viaria nacional: una por cada parte continua de una calzada en una provincia.',
  ],
  speed_cameras: [
    'Radares',
    'Radares anunciados: fijos, de tramo y emplazamientos de móviles, también los de las calles de Madrid. Sin País Vasco.',
  ],
  traffic_city_hours: [
    'Tráfico de una ciudad por hora',
    'Lecturas agregadas de todos los sensores de un centro de tráfico por hora, fuente y periodo de lectura. Solo días pasados.',
  ],
  traffic_count_stations: ['Estaciones de aforo', 'Estaciones permanentes de aforo por sentido: calle, posición y sentido del tráfico.'],
  traffic_counts_hourly: [
    'Aforos de tráfico por hora',
    'Vehículos contados en estaciones permanentes, por sentido y hora local, con la calidad de cada recuento.',
  ],
  traffic_days: [
    'Tráfico por sensor y día',
    'Lecturas agregadas de un sensor de tráfico por día en Madrid, fuente y periodo de lectura. Solo días pasados.',
  ],
  traffic_forecasts: [
    'Predicciones de tráfico',
    'Vehículos por hora de cada serie de una a cuatro horas después de los últimos datos, con intervalos.',
  ],
  traffic_hours: [
    'Tráfico por sensor y hora',
    'Lecturas agregadas de un sensor de tráfico por hora, fuente y periodo de lectura. Solo días pasados.',
  ],
  traffic_models: [
    'Modelos de tráfico actuales',
    'Versión actual de cada modelo de tráfico y, por horizonte, si se sirve él o su referencia, con sus errores.',
  ],
  traffic_readings: [
    'Lecturas de sensores de tráfico',
    'Intensidad, ocupación, carga y velocidad en sensores de la ciudad de Madrid y en carriles de vías interurbanas (DGT).',
  ],
  traffic_readings_15m: [
    'Lecturas de sensores de tráfico por cuarto de hora',
    'Intensidad, ocupación, carga y velocidad por cuarto de hora local, del archivo mensual del centro de tráfico.',
  ],
  traffic_section_hours: [
    'Tráfico en los tramos de calle de una ciudad por hora',
    'Número de estados de los tramos de una ciudad en cada nivel por hora y fuente. Solo días pasados.',
  ],
  traffic_section_states: [
    'Tráfico en tramos de calle',
    'Estado del tráfico en tramos de Barcelona, València y Bilbao, en un vocabulario común y como se publica.',
  ],
  traffic_section_states_archive: [
    'Tráfico en tramos de calle, archivo mensual',
    'Estado del tráfico en los tramos de Barcelona cada cinco minutos, del archivo mensual de la ciudad.',
  ],
  traffic_sections: ['Tramos de calle', 'Catálogo de los tramos de calle de Barcelona, València y Bilbao: nombre y geometría.'],
  traffic_sensor_editions: [
    'Sensores de tráfico por edición del catálogo',
    'Tipo, nombre, distrito y posición de los sensores en cada edición mensual del catálogo.',
  ],
  traffic_sensors: [
    'Sensores de tráfico',
    'Catálogo de sensores de la ciudad de Madrid y detectores de la DGT: tipo, lugar, distrito y capacidad.',
  ],
  traffic_typical_weeks: [
    'Semana típica de los sensores de tráfico',
    'Intensidad típica en un sensor por hora de la semana y mes: media, mediana y el 80 % central.',
  ],
  v16_beacons: ['Balizas V16', 'Balizas V16 conectadas activas de vehículos detenidos, una fila por estado de una activación.'],
  v16_hours: [
    'Activaciones de balizas V16 por tramo de carretera y hora',
    'Número de balizas V16 activadas por hora y tramo de 10 km, por la hora de activación de la fuente.',
  ],
  vessel_positions: [
    'Posiciones de buques',
    'Posición, velocidad, rumbo y estado de buques por AIS, durante 7 días. Sin embarcaciones de recreo ni de vela.',
  ],
  vessels: [
    'Buques',
    'Buques como los describe su estación AIS: nombre, indicativo, número OMI, tipo, dimensiones y viaje. Sin recreo ni vela.',
  ],
  charging_sites: [
    'Puntos de recarga',
    'Emplazamientos con puntos de recarga públicos para vehículos eléctricos, del registro del Ministerio para la Transición Ecológica: operador, dirección, horario, y puntos con sus conectores y su potencia. Ninguna fuente publica si un punto está libre.',
  ],
  low_emission_zones: [
    'Zonas de bajas emisiones',
    'Zonas de bajas emisiones de los municipios: contorno, horario y condiciones por distintivo ambiental tal como se publican. Los ayuntamientos usan las condiciones de formas distintas: los datos no dicen qué vehículos pueden entrar.',
  ],
  vms_devices: [
    'Paneles de mensaje variable',
    'Catálogo de paneles en las carreteras españolas: carretera, kilómetro, sentido y posición. Sin Cataluña ni País Vasco.',
  ],
  vms_messages: ['Mensajes de los paneles', 'Contenido de cada panel de mensaje variable por página, con cada estado.'],
  weather_alerts: ['Avisos meteorológicos', 'Avisos oficiales de AEMET por zona, con cada estado y sus polígonos.'],
  weather_daily: [
    'Climatología diaria',
    'Valores validados de cada estación y día, publicados unos cuatro días después. La precipitación es de 07 a 07 UTC.',
  ],
  weather_days: [
    'Tiempo por estación y día',
    'Observaciones horarias agregadas de una estación por día pasado en Madrid, fuente y periodo. Sin validar.',
  ],
  weather_forecast_daily: [
    'Predicción meteorológica diaria',
    'Predicción de AEMET a siete días por municipio: los consultados en las últimas horas y las capitales de provincia.',
  ],
  weather_forecast_hourly: [
    'Predicción meteorológica horaria',
    'Predicción de AEMET por hora, a unos dos días, por municipio: los consultados en las últimas horas y las capitales.',
  ],
  weather_observations: [
    'Observaciones meteorológicas horarias',
    'Lo que midieron las estaciones meteorológicas en cada hora, sin validar. Cuenta el primer valor publicado.',
  ],
  weather_road_days: [
    'Tiempo por carretera y día',
    'Extremos medidos en un día por estaciones a menos de 10 km de una carretera en una provincia.',
  ],
  weather_station_roads: [
    'Carreteras cerca de estaciones meteorológicas',
    'Tramos de carretera a menos de 10 km de una estación meteorológica con observaciones horarias.',
  ],
  weather_stations: ['Estaciones meteorológicas', 'Catálogo de estaciones meteorológicas: nombre, provincia, altura y posición.'],
})
