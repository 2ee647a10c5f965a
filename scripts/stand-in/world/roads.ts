/**
 * Spain's main roads: designation, then kilometres and municipalities along it. Designations and the order of towns are facts of
 * public record; kilometres are rounded, and a road is straight between municipal centres. `Torrent@46` adds the province to an
 * ambiguous name; other places have longitude and latitude in brackets.
 */
export const MAIN_ROADS = `
A-1: 12 Alcobendas, 38 Pedrezuela, 58 La Cabrera, 74 Buitrago del Lozoya, 116 Boceguillas, 160 Aranda de Duero, 203 Lerma, 237 Burgos, 279 Briviesca, 322 Miranda de Ebro
A-2: 17 Torrejón de Ardoz, 31 Alcalá de Henares, 55 Guadalajara, 104 Torija, 150 Medinaceli, 188 Santa María de Huerta, 234 Calatayud, 272 La Almunia de Doña Godina, 318 Zaragoza, 390 Bujaraloz, 437 Fraga, 460 Lleida, 500 Bellpuig, 552 Jorba, 570 Castellolí, 595 Abrera, 607 Cornellà de Llobregat
A-3: 8 Rivas-Vaciamadrid, 27 Arganda del Rey, 82 Tarancón, 133 Saelices, 187 Honrubia, 231 Motilla del Palancar, 250 Minglanilla, 285 Utiel, 302 Requena, 323 Buñol, 345 Quart de Poblet
A-4: 10 Getafe, 26 Valdemoro, 45 Aranjuez, 70 Ocaña, 119 Madridejos, 148 Puerto Lápice, 172 Manzanares, 201 Valdepeñas, 245 Santa Elena, 265 La Carolina, 296 Bailén, 322 Andújar, 359 Montoro, 398 Córdoba, 455 Écija, 506 Carmona, 535 Sevilla, 556 Dos Hermanas, 636 Jerez de la Frontera, 654 El Puerto de Santa María
A-5: 12 Alcorcón, 28 Navalcarnero, 72 Maqueda, 110 Talavera de la Reina, 148 Oropesa, 179 Navalmoral de la Mata, 212 Almaraz, 253 Trujillo, 288 Miajadas, 341 Mérida, 367 Montijo, 401 Badajoz
A-6: 5 (-3.79 40.463), 17 Las Rozas de Madrid, 28 Torrelodones, 47 Guadarrama, 62 Villacastín, 109 Arévalo, 157 Medina del Campo, 182 Tordesillas, 238 Villalpando, 261 Benavente, 303 La Bañeza, 326 Astorga, 388 Ponferrada, 427 Vega de Valcarce, 500 Lugo, 538 Guitiriz, 567 Betanzos
A-7: 286 Sagunt/Sagunto, 321 Torrent@46, 355 Alzira, 408 Ontinyent, 430 Alcoi/Alcoy, 450 Castalla, 520 Elx/Elche, 547 Orihuela, 565 Murcia, 600 Totana, 620 Lorca, 649 Puerto Lumbreras, 690 Vera, 732 Tabernas, 770 El Ejido, 809 Adra, 866 Motril, 910 Nerja, 965 Málaga, 1010 Fuengirola, 1035 Marbella, 1055 Estepona, 1104 San Roque
A-8: 140 Castro-Urdiales, 173 Laredo, 199 Medio Cudeyo, 234 Torrelavega, 267 San Vicente de la Barquera, 300 Llanes, 332 Ribadesella, 364 Villaviciosa, 388 Gijón, 420 Avilés, 441 Muros de Nalón, 477 Valdés, 507 Navia, 531 Ribadeo, 551 Mondoñedo, 586 Vilalba
A-10: 0 Irurtzun, 22 Altsasu/Alsasua
A-11: 6 Soria, 62 Burgo de Osma-Ciudad de Osma, 122 Aranda de Duero, 171 Peñafiel, 220 Tudela de Duero, 270 Tordesillas, 298 Toro, 330 Zamora
A-15: 0 Medinaceli, 33 Almazán, 72 Soria
A-21: 0 Noáin (Valle de Elorz)/Noain (Elortzibar), 28 Liédena, 60 Sigüés
A-22: 0 Huesca, 50 Barbastro, 67 Monzón, 85 Binéfar
A-23: 12 Soneja, 55 Barracas, 116 Teruel, 180 Calamocha, 220 Daroca, 280 María de Huerva, 318 Villanueva de Gállego, 355 Huesca, 382 Arguis, 400 Sabiñánigo, 417 Jaca
A-30: 25 Tobarra, 60 Hellín, 100 Cieza@30, 125 Molina de Segura, 140 Murcia, 190 Cartagena
A-31: 0 Honrubia, 30 San Clemente, 72 Albacete, 92 Chinchilla de Monte-Aragón, 150 Almansa, 185 Villena, 200 Sax, 230 Monforte del Cid, 236 Alacant/Alicante
A-33: 30 Jumilla, 55 Yecla, 75 Caudete
A-35: 2 Almansa, 30 Canals, 45 Xàtiva
A-40: 5 Ávila, 120 Toledo, 190 Ocaña, 250 Tarancón, 300 Cuenca
A-42: 8 Getafe, 20 Parla, 33 Illescas, 70 Toledo
A-43: 20 Ciudad Real, 38 Daimiel, 60 Manzanares, 95 Tomelloso, 130 Villarrobledo, 150 San Clemente
A-44: 10 Bailén, 40 Jaén, 78 Campillo de Arenas, 110 Iznalloz, 130 Granada, 150 Padul, 175 Vélez de Benaudalla, 187 Motril
A-45: 0 Córdoba, 40 Montilla, 65 Lucena, 100 Antequera, 130 Casabermeja, 145 Málaga
A-48: 5 Chiclana de la Frontera, 20 Conil de la Frontera, 36 Vejer de la Frontera
A-49: 5 Camas, 26 Benacazón, 50 La Palma del Condado, 75 San Juan del Puerto, 85 Huelva, 115 Lepe, 130 Ayamonte
A-50: 5 Ávila, 50 Peñaranda de Bracamonte, 90 Salamanca
A-52: 2 Benavente, 40 Mombuey, 78 Puebla de Sanabria, 130 A Gudiña, 165 Verín, 205 Xinzo de Limia, 235 Ourense, 265 Ribadavia, 290 A Cañiza, 305 Ponteareas
A-54: 2 Lugo, 30 Guntín, 60 Melide, 85 Santiago de Compostela
A-55: 4 Vigo, 15 O Porriño, 30 Tui
A-58: 0 Trujillo, 45 Cáceres
A-60: 0 Valladolid, 20 Villanubla, 90 Santas Martas, 110 León
A-62: 5 Burgos, 40 Villodrigo, 88 Palencia, 120 Cabezón de Pisuerga, 127 Valladolid, 150 Tordesillas, 190 Alaejos, 240 Salamanca, 295 La Fuente de San Esteban, 325 Ciudad Rodrigo, 350 Fuentes de Oñoro
A-65: 0 Palencia, 35 Villada
A-66: 5 Gijón, 25 Llanera, 36 Oviedo, 60 Mieres@33, 77 Lena, 110 Sena de Luna, 142 León, 180 Villamañán, 215 Benavente, 277 Zamora, 340 Salamanca, 375 Guijuelo, 408 Béjar, 425 Baños de Montemayor, 470 Plasencia, 550 Cáceres, 613 Mérida, 650 Almendralejo, 675 Zafra, 720 Monesterio, 780 El Ronquillo, 805 Santiponce
A-67: 5 Palencia, 38 Frómista, 70 Osorno la Mayor, 110 Aguilar de Campoo, 135 Reinosa, 165 Molledo, 185 Torrelavega, 200 Piélagos, 205 Santander
A-68: 90 Cortes, 120 Gallur, 150 Alagón, 240 Zaragoza, 260 El Burgo de Ebro, 280 Fuentes de Ebro
A-70: 2 Mutxamel, 12 Sant Vicent del Raspeig/San Vicente del Raspeig, 25 Elx/Elche
A-92: 5 Alcalá de Guadaíra, 40 Arahal, 80 Osuna, 110 Estepa, 155 Antequera, 190 Loja, 240 Granada, 270 Diezma, 290 Guadix, 330 Fiñana, 370 Gádor, 388 Almería
A-92N: 5 Guadix, 45 Baza, 80 Cúllar, 118 Vélez-Rubio
A-381: 0 Jerez de la Frontera, 35 Medina Sidonia, 60 Alcalá de los Gazules, 86 Los Barrios
AP-2: 5 Alfajarín, 40 Bujaraloz, 100 Fraga, 130 Lleida, 190 Montblanc
AP-4: 10 Dos Hermanas, 40 Las Cabezas de San Juan, 80 Jerez de la Frontera, 115 Puerto Real
AP-6: 42 Guadarrama, 60 El Espinar, 85 Villacastín, 108 Adanero
AP-7: 5 La Jonquera, 40 Figueres, 65 Girona, 95 Hostalric, 130 Granollers, 160 Martorell, 200 Vilafranca del Penedès, 240 Tarragona, 300 L'Ampolla, 345 Amposta, 400 Orpesa/Oropesa del Mar, 430 Vila-real, 470 Sagunt/Sagunto, 540 Sueca, 590 Oliva, 630 Dénia, 660 Benidorm, 690 el Campello, 730 Elx/Elche, 745 Crevillent, 770 Pilar de la Horadada, 800 Cartagena, 830 Mazarrón, 880 Cuevas del Almanzora
AP-9: 0 A Coruña, 20 Oleiros, 45 Ordes, 70 Santiago de Compostela, 85 Padrón, 110 Caldas de Reis, 130 Pontevedra, 150 Redondela, 158 Vigo
AP-15: 20 Tudela, 45 Valtierra, 70 Tafalla, 95 Pamplona/Iruña, 110 Irurtzun
AP-41: 0 Serranillos del Valle, 40 Yuncos, 60 Toledo
AP-51: 85 Villacastín, 108 Ávila
AP-53: 5 Santiago de Compostela, 35 Silleda, 60 Lalín
AP-61: 62 El Espinar, 85 Segovia
AP-66: 80 Lena, 110 Sena de Luna, 140 León
AP-68: 110 Haro, 150 Logroño, 180 Calahorra, 215 Alfaro, 230 Tudela, 242 Gallur, 290 Zaragoza
AP-71: 0 Astorga, 37 León
R-2: 10 Alcobendas, 40 Guadalajara
R-3: 12 Arganda del Rey, 33 Villarejo de Salvanés
R-4: 10 Pinto, 30 Seseña, 52 Ocaña
R-5: 10 Móstoles, 28 Navalcarnero
N-2: 680 Caldes d'Estrac, 705 Blanes, 765 Figueres, 790 La Jonquera
N-110: 90 Riaza, 140 Pedraza, 190 Segovia, 250 Ávila, 310 El Barco de Ávila, 370 Jerte, 400 Plasencia
N-113: 60 Ágreda, 97 Tudela
N-120: 10 Nájera, 50 Santo Domingo de la Calzada, 85 Belorado, 110 Burgos, 165 Osorno la Mayor, 230 Sahagún, 310 León, 440 O Barco de Valdeorras, 500 Monforte de Lemos, 560 Ourense
N-121-A: 5 Ezcabarte, 25 Ultzama, 50 Baztan, 70 Bera
N-122: 90 Tarazona, 110 Ágreda, 155 Soria, 215 Burgo de Osma-Ciudad de Osma, 310 Peñafiel, 460 Zamora, 515 Alcañices
N-211: 0 Alcolea del Pinar, 60 Molina de Aragón, 130 Monreal del Campo, 220 Alcañiz, 250 Caspe
N-225: 20 Sagunt/Sagunto, 40 Onda
N-230: 40 Alfarràs, 80 Benabarre, 130 El Pont de Suert
N-232: 5 Vinaròs, 60 Morella, 140 Alcañiz, 200 Fuentes de Ebro, 330 Calahorra, 400 Logroño, 450 Haro
N-240: 90 Lleida, 160 Huesca, 230 Puente la Reina de Jaca
N-260: 320 El Pont de Suert, 370 Castejón de Sos, 420 Aínsa-Sobrarbe, 460 Torla-Ordesa, 490 Biescas, 510 Jaca
N-301: 100 Quintanar de la Orden, 150 Las Pedroñeras, 200 La Roda, 260 Albacete
N-320: 140 Cuenca, 200 Cañaveras, 260 Guadalajara
N-322: 130 Úbeda, 160 Villacarrillo, 250 Alcaraz, 340 Albacete, 400 Casas-Ibáñez, 440 Requena
N-323: 60 Jaén, 110 Iznalloz, 200 Motril
N-325: 5 Villena, 30 Crevillent
N-330: 5 Villena, 60 Ayora, 115 Requena, 190 Ademuz, 230 Teruel, 590 Huesca, 650 Canfranc
N-331: 20 Lucena, 70 Antequera
N-332: 20 Cartagena, 60 Torrevieja, 90 Santa Pola, 115 Alacant/Alicante, 150 Benidorm, 180 Altea, 210 Gandia, 240 Cullera, 265 València
N-340: 75 Tarifa, 105 Algeciras, 160 Marbella, 240 Málaga, 290 Nerja, 380 Adra, 440 Almería, 550 Huércal-Overa, 620 Lorca, 680 Orihuela, 760 Xixona/Jijona, 840 Xàtiva, 950 Castelló de la Plana, 1030 Benicarló, 1044 Vinaròs
N-400: 10 Toledo, 60 Aranjuez, 180 Cuenca
N-401: 10 Toledo, 160 Fuente el Fresno, 190 Ciudad Real
N-403: 40 Torrijos, 90 San Martín de Valdeiglesias, 130 Ávila
N-420: 20 Córdoba, 90 Montoro, 170 Puertollano, 240 Ciudad Real, 290 Alcázar de San Juan, 400 Cuenca, 530 Teruel, 600 Montalbán
N-430: 60 Mérida, 180 Herrera del Duque, 260 Piedrabuena, 320 Ciudad Real, 400 Ossa de Montiel, 480 Albacete
N-432: 10 Badajoz, 70 Zafra, 120 Llerena, 180 Fuente Obejuna, 270 Córdoba, 330 Baena, 400 Alcalá la Real, 430 Granada
N-435: 10 Zafra, 60 Fregenal de la Sierra, 110 Jabugo, 180 Valverde del Camino, 220 Huelva
N-502: 5 Ávila, 60 Mombeltrán, 110 Talavera de la Reina, 220 Agudo, 255 Almadén, 330 Pozoblanco
N-521: 5 Trujillo, 45 Cáceres, 110 Valencia de Alcántara
N-525: 10 Puebla de Sanabria, 120 Verín, 230 Ourense, 290 Lalín, 340 Santiago de Compostela
N-541: 5 Ourense, 50 O Carballiño, 90 Pontevedra
N-547: 10 Lugo, 50 Melide, 90 Santiago de Compostela
N-550: 5 A Coruña, 60 Santiago de Compostela, 120 Pontevedra, 170 Tui
N-601: 70 Segovia, 130 Cuéllar, 180 Valladolid, 230 Medina de Rioseco, 300 León
N-611: 10 Palencia, 100 Aguilar de Campoo, 180 Torrelavega
N-620: 130 Valladolid, 240 Salamanca, 330 Ciudad Rodrigo
N-621: 10 León, 60 Cistierna, 110 Riaño, 150 Potes, 180 Val de San Vicente
N-622: 0 Lerma, 80 Palencia
N-623: 10 Burgos, 70 Valle de Sedano, 110 Corvera de Toranzo, 140 Santander
N-625: 10 Cistierna, 60 Riaño, 90 Oseja de Sajambre, 120 Cangas de Onís
N-629: 20 Medina de Pomar, 60 Ramales de la Victoria, 90 Colindres
N-630: 5 Gijón, 90 Villamanín, 140 León, 210 Benavente, 270 Zamora, 340 Salamanca, 470 Plasencia, 550 Cáceres, 620 Mérida, 730 Monesterio, 800 Sevilla
N-632: 10 Ribadesella, 50 Gijón, 100 Cudillero, 140 Valdés
N-634: 160 Laredo, 210 Medio Cudeyo, 260 San Vicente de la Barquera, 340 Cangas de Onís, 390 Oviedo, 440 Salas, 520 Tapia de Casariego, 600 Vilalba, 670 Arzúa
N-640: 10 Vegadeo, 60 Meira, 90 Lugo, 140 Monterroso, 200 Lalín
N-642: 5 Ribadeo, 40 Foz, 70 Burela
M-30: 0 (-3.677 40.478), 8 (-3.659 40.431), 15 (-3.675 40.391), 22 (-3.724 40.402), 28 (-3.729 40.452), 32 (-3.69 40.478)
M-40: 5 (-3.63 40.47), 15 Coslada, 30 Getafe, 40 Pozuelo de Alarcón, 55 Madrid
M-45: 5 Leganés, 20 Getafe, 35 San Fernando de Henares
M-50: 5 Las Rozas de Madrid, 30 Villaviciosa de Odón, 45 Getafe, 65 Rivas-Vaciamadrid, 80 Alcobendas
M-607: 8 Madrid, 20 Tres Cantos, 30 Colmenar Viejo, 50 El Boalo
V-21: 0 València, 10 Massamagrell, 18 Sagunt/Sagunto
V-30: 0 València, 10 Mislata, 17 Paterna
V-31: 0 València, 10 Silla
SE-30: 0 Sevilla, 12 Dos Hermanas, 22 Camas
SE-40: 0 Alcalá de Guadaíra, 25 Coria del Río
GR-30: 118 Albolote, 132 Armilla
MA-20: 0 Torremolinos, 14 Málaga
Z-40: 5 (-0.96 41.69), 18 (-0.9 41.62), 30 (-0.8 41.65)
S-10: 0 Santander, 8 El Astillero
AC-11: 0 A Coruña, 6 Oleiros
LE-30: 0 León, 20 Onzonilla
C-16: 5 Rubí, 40 Manresa, 95 Berga
C-17: 5 Granollers, 50 Vic, 80 Ripoll
C-31: 120 Vilanova i la Geltrú, 190 El Prat de Llobregat, 330 Palamós
C-32: 15 Calafell, 40 Castelldefels, 90 Mataró, 120 Blanes
C-58: 5 Cerdanyola del Vallès, 20 Terrassa
C-25: 80 Calaf, 124 Rajadell, 180 Gurb, 235 Riudellots de la Selva
C-12: 0 Amposta, 14 Tortosa, 60 Móra d'Ebre, 100 Flix
C-14: 2 Reus, 40 Montblanc, 71 Tàrrega, 120 Ponts, 165 Organyà
B-20: 0 Sant Boi de Llobregat, 8 Esplugues de Llobregat, 20 Montgat
B-23: 0 Barcelona, 5 Sant Feliu de Llobregat, 12 Molins de Rei
`

/** Designations of lesser roads by INE code of the province. Their routes are generated. */
export const LESSER_ROADS = `
01: A-124, A-126, A-132, A-315, A-623, A-625, A-2522, A-3002
02: CM-332, CM-412, CM-3203, AB-408, AB-104, A-32
03: CV-70, CV-95, CV-720, CV-759, CV-820, CV-905, CV-945
04: A-348, A-349, A-334, AL-3102, AL-5405, AL-7101
05: AV-501, AV-915, AV-932, CL-501, CL-505
06: EX-100, EX-103, EX-107, EX-206, BA-020, BA-131
07: Ma-1, Ma-10, Ma-13, Ma-15, Ma-19, Me-1, C-731, PM-801
08: BV-2411, BV-5301, BP-1103, BP-1121, BP-5002, B-124, B-224, B-500, BV-1468, BV-4241
09: BU-550, BU-629, BU-800, CL-127, CL-619, BU-925
10: EX-108, EX-109, EX-118, EX-203, EX-390, CC-23
11: A-384, A-405, A-491, CA-33, CA-3105, CA-34
12: CV-10, CV-15, CV-20, CV-16, CV-130, CV-190
13: CM-412, CM-415, CM-4106, CR-5025, CR-7111, N-310
14: A-306, A-318, A-386, A-431, CO-3204, CO-7403
15: AC-552, AC-543, AC-305, AG-11, AG-55, DP-2403, DP-5804
16: CM-210, CM-220, CM-310, CM-3011, CU-912, CUV-9031
17: GI-503, GI-533, GI-555, GI-631, GI-682, GIV-5132, GIV-6703
18: A-395, A-329, A-338, A-4132, GR-3211, GR-5202, GR-9017
19: CM-101, CM-201, CM-2015, CM-1003, GU-186, GU-213
20: GI-11, GI-20, GI-21, GI-40, GI-627, GI-631, GI-632, GI-636, GI-2132
21: A-493, A-497, H-30, A-472, A-434, HU-4103
22: A-132, A-136, A-139, A-230, A-1223, HU-V-8311
23: A-316, A-319, A-320, JA-3107, JA-4302, JV-2031
24: CL-626, CL-621, LE-311, LE-413, LE-493, LE-5703
25: L-311, LP-7041, LP-9221, LV-9047, C-1412b
26: LR-111, LR-113, LR-115, LR-250, LR-255, LR-134
27: LU-530, LU-540, LU-546, LU-633, LU-P-2001, LU-P-4703
28: M-100, M-203, M-300, M-404, M-501, M-506, M-600, M-604
29: A-357, A-355, A-366, A-397, A-7075, MA-3300, MA-5403
30: RM-1, RM-11, RM-15, RM-19, RM-602, RM-714, RM-F36, RM-E16, MU-30
31: NA-127, NA-132, NA-134, NA-601, NA-1210, NA-2010, NA-6040, PA-30
32: OU-402, OU-504, OU-533, OU-536, OU-540, OU-0701
33: AS-I, AS-II, AS-15, AS-17, AS-112, AS-114, AS-227, AS-348
34: CL-613, CL-615, CL-626, P-405, P-980, PP-2114
35: GC-1, GC-2, GC-3, GC-21, GC-60, GC-200, FV-1, FV-2, LZ-1, LZ-2, LZ-30
36: PO-308, PO-403, PO-546, PO-548, PO-552, EP-9305
37: CL-512, CL-517, SA-203, SA-220, SA-300, DSA-191, DSA-270
38: TF-1, TF-5, TF-21, TF-24, TF-28, TF-47, TF-82, LP-1, LP-2, LP-3, GM-1, HI-1
39: CA-131, CA-181, CA-182, CA-280, CA-330, CA-643
40: CL-601, CL-603, CL-605, SG-V-3111, SG-205, SG-724
41: A-360, A-362, A-376, A-394, A-436, SE-3206, SE-4108
42: CL-101, CL-116, SO-100, SO-615, SO-P-4003, SO-920
43: T-310, T-320, T-321, T-324, TV-7041, TV-3146, TP-2235, TP-3318
44: A-222, A-223, A-226, A-1512, TE-V-8301, TE-V-9033
45: CM-400, CM-401, CM-4000, CM-4006, TO-2899, TO-1275
46: CV-32, CV-33, CV-35, CV-36, CV-50, CV-60, CV-365, CV-500
47: CL-600, CL-602, CL-610, VA-30, VP-3402, VP-5804
48: BI-10, BI-30, BI-604, BI-623, BI-625, BI-631, BI-635, BI-2224
49: ZA-104, ZA-311, ZA-610, CL-527, ZA-P-1304, ZA-P-2667
50: A-121, A-124, A-129, A-220, A-1101, A-1503, ARA-A1
`
