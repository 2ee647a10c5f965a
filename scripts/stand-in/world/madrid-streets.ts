/** Streets of Madrid with the traffic centre's abbreviations: names are facts of public record. */
export const MADRID_STREETS: readonly string[] = `
Alcalá, Gran Vía, Pº Castellana, Pº Recoletos, Pº Prado, Serrano, Velázquez, Goya, Príncipe de Vergara, Jorge Juan, Ortega y Gasset, Juan Bravo,
María de Molina, Francisco Silvela, Conde de Peñalver, Doctor Esquerdo, O'Donnell, Menéndez Pelayo, Narváez, Ibiza, Atocha, Ronda de Atocha,
Santa María de la Cabeza, Delicias, Embajadores, Toledo, Bailén, Princesa, Alberto Aguilera, Carranza, Sagasta, Génova, Bravo Murillo, San Bernardo,
Cea Bermúdez, José Abascal, Ríos Rosas, Raimundo Fernández Villaverde, Reina Victoria, Pablo Iglesias, Francos Rodríguez, Sor Ángela de la Cruz,
General Perón, Concha Espina, Alberto Alcocer, Mateo Inurria, Sinesio Delgado, Monforte de Lemos, Ginzo de Limia, Cardenal Herrera Oria, Arturo Soria,
López de Hoyos, Clara del Rey, Cartagena, América, Hermanos García Noblejas, Gran Vía de Hortaleza, Silvano, Mar de Cristal, Machupichu, Alcalde López Casero,
Marqués de Corbera, Elfo, Ascao, Vital Aza, San Luis, Arcentales, Albufera, Peña Prieta, Ciudad de Barcelona, Cavanilles, Doce de Octubre, Moratalaz,
Camino de Vinateros, Entrearroyos, Méndez Álvaro, Pedro Laborde, Villaverde a Vallecas, Gran Vía de Villaverde, Andalucía, Marcelo Usera, Rafaela Ybarra,
Antonio López, General Ricardos, Oca, Eugenia de Montijo, Vía Carpetana, Muñoz Grandes, Vista Alegre, Aguacate, Los Poblados, Rafael Finat, Sepúlveda,
Cebreros, Caramuel, Extremadura, Pº Ermita del Santo, Virgen del Puerto, Segovia, Casa de Campo, Arriba España, Moncloa, Complutense, Valle-Mejía,
Camino de la Zarzuela, Sanchinarro, Ingeniero Emilio Herrera, Niceto Alcalá Zamora, Manoteras, Bacares, Costa Rica, Pío XII, Burgos, Caídos de la División Azul,
Guzmán el Bueno, Islas Filipinas, Santa Engracia, Almagro, Zurbano, Fernández de la Hoz, Modesto Lafuente, Joaquín Costa, Doctor Arce, Serrano Galvache
`
  .replaceAll('\n', ' ')
  .split(',')
  .map((name) => name.trim())
