import { municipalityByCode } from './municipalities.ts'
import { MUNICIPALITY_ALIASES } from './municipality-aliases.ts'

/** Every name of a municipality: each half of a double one, and former and Castilian names. */
export function municipalityNames(code: string): string[] {
  const name = municipalityByCode(code)?.name
  return name === undefined ? [] : [...name.split('/'), ...(MUNICIPALITY_ALIASES[code] ?? []), ...(SHORT_NAMES[code] ?? [])]
}

/** Short and colloquial names of towns that are not in the official lists. */
const SHORT_NAMES: Readonly<Record<string, readonly string[]>> = {
  '01059': ['Vitoria', 'Gasteiz'],
  '07040': ['Ciutat de Mallorca'],
  '08073': ['Cornellà'],
  '08101': ['Hospitalet'],
  '08200': ['Sant Boi'],
  '08205': ['Sant Cugat'],
  '08211': ['Sant Feliu'],
  '08245': ['Santa Coloma'],
  '08266': ['Cerdanyola'],
  '08305': ['Vilafranca'],
  '08307': ['Vilanova'],
  '11015': ['Chiclana'],
  '11020': ['Jerez'],
  '11022': ['La Línea'],
  '11032': ['Sanlúcar'],
  '15078': ['Santiago', 'Compostela'],
  '28014': ['Arganda'],
  '28022': ['Boadilla'],
  '28047': ['Villalba'],
  '28115': ['Pozuelo'],
  '28123': ['Rivas'],
  '28127': ['Las Rozas'],
  '28134': ['Sanse'],
  '28148': ['Torrejón'],
  '31201': ['Iruñea'],
  '35016': ['Las Palmas'],
  '38023': ['La Laguna'],
  '45165': ['Talavera'],
  '48020': ['Bilbo'],
}
