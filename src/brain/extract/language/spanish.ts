/** Spanish words of tasks, decisions and meetings. */
import type { Vocabulary } from './vocabulary.ts';

export const SPANISH: Vocabulary = {
  records: 'reuni[óo]n(?:es)?|actas?|minutas?|minutos|asamblea|bitácora|diario del equipo',
  sections: {
    questions: 'preguntas(?: (?:abiertas|pendientes))?|dudas(?: .*)?|por (?:decidir|definir)|temas abiertos',
    waiting: '(?:en espera|a la espera|esperando)(?: .*)?|bloquead[oa]s?(?: .*)?|bloqueos|impedimentos',
    follow_ups: 'seguimientos?(?: .*)?',
    actions:
      '(?:tareas|acciones|compromisos|pendientes)(?: (?:a |por |para |de |del |y |asignad|asumid|pendient|próxim|acordad|siguient|nuev).*)?|(?:(?:lista|reparto|asignación|distribución) de )tareas(?: .*)?|(?:próxim[oa]s|siguientes) (?:pasos|acciones|tareas)(?: .*)?|(?:por|para) hacer|(?:asuntos|temas|puntos|actividades|cosas) (?:pendientes|por hacer)(?: .*)?',
    decisions:
      '(?:resumen de )?(?:los |las )?(?:principales )?(?:puntos acordados|acuerdos|decisiones|resoluciones)(?: (?:tomad|alcanzad|adoptad|y |de la reuni).*)?|(?:se )?(?:acordado|decidido)',
    risks: 'riesgos(?: .*)?',
    attendees: 'asistentes|participantes|presentes|asistencia|participaron',
    absent: 'ausentes|disculpas|excusas',
    agenda: '(?:orden del día|temas a tratar|puntos a tratar)(?: .*)?',
    notes: '(?:notas|discusión|resumen|desarrollo)(?: .*)?',
  },
  markers: {
    todo: {
      rare: 'pendientes?|por hacer',
      common: 'acci[óo]n(?:es)?|tareas?|falta(?:n)?|compromisos?|pr[óo]ximos? pasos?|siguientes? pasos?',
    },
    question: { rare: 'preguntas?(?: abierta)?|dudas?|por (?:decidir|definir)' },
    waiting_for: { rare: 'esperando(?: a)?|a la espera(?: de)?|en espera(?: de)?|bloquead[oa](?: por)?' },
    decision: {
      rare: 'acuerdos?|acordado|decisi[óo]n(?:es)?|decidido|se (?:decide|acuerda|decidi[óo]|acord[óo])',
      common: 'resoluci[óo]n|conclusi[óo]n(?:es)?|aprobado|resuelto|veredicto',
    },
  },
  phrases: {
    waiting:
      '(?:estamos |sigo |seguimos |quedamos )?(?:esperando(?: a| la| el| respuesta)?|a la espera del?|en espera del?|pendientes? de (?:que|la|el|los|las|respuesta|recibir|confirmar))|bloquead[oa]s? por',
    notWaiting: 'ya no|sin esperar',
    undecided:
      '(?:no se ha|aún no|todavía no|sin) (?:\\p{L}+ )?(?:decid|defin|acord)\\p{L}+|(?:queda|quedan|está|están)? ?por (?:decidir|definir|confirmar|concretar)',
    remaining:
      '(?:queda|quedan|falta|faltan)(?: (?:aún|todavía|por|solo|sólo|únicamente))* (?:por )?\\p{L}+(?:ar|er|ir)(?:lo|la|los|las|se)?|queda(?:n)? pendientes?|sigue(?:n)? pendientes?|(?:está|están) pendientes?|(?:aún|todavía) (?:falta|faltan|queda|quedan|hay que|tenemos que|no (?:se ha|hemos|está))|no olvidar|se necesita(?:n)? (?:un |una )?voluntari\\p{L}*',
    duty: 'hay que \\p{L}+(?:ar|er|ir)|(?:tenemos|tengo|tienen|tiene) que \\p{L}+(?:ar|er|ir)|(?:debemos|deberíamos|habría que|habrá que) \\p{L}+(?:ar|er|ir)',
    intention:
      '(?:va|van|vamos) a \\p{L}+(?:ar|er|ir)|(?:debe|deben|deberá|deberán|tiene que|tienen que|queda en|quedan en|se (?:ofrece|compromete|encarga)n? (?:a|de|del|voluntari))|\\p{L}{2,}(?:ará|erá|irá|arán|erán|irán|aremos|eremos|iremos)(?! (?:posible|necesario))',
    present:
      'prepara|contacta|envía|revisa|redacta|organiza|habla con|pregunta|coordina|actualiza|crea|busca|llama|termina|comprueba|sube|escribe|trata de|se encarga',
    decided:
      'se (?:ha |han )?(?:decide|decidió|decidido|acuerda|acordó|acordado|acordaron|decidieron)|(?:hemos|han|ha) (?:decidido|acordado|resuelto|optado)|^(?:acordamos|decidimos|optamos|adoptamos|acordado|decidido)|(?:el equipo|el grupo|la asamblea|todos|la junta) (?:\\p{L}+ )?(?:acord|decidi|resolvi|aprob)\\p{L}+',
    settled:
      'se (?:ha |han )?(?:aprueba|aprobó|aprobado|aprobaron|determina|determinó|determinado|descart(?:a|ó|ado)|rechaz(?:a|ó|ado)|elig(?:e|ió)|elegido|establec(?:e|ió)|establecido)|(?:fue|fueron|queda|quedan|quedó) (?:aprobad|acordad|rechazad|elegid|definid|decidid)[oa]s?|^aprobad[oa]s?',
    notDecided:
      '(?:no|aún|todavía|nunca|nada|sin) (?:se )?(?:ha |han |hemos )?(?:\\p{L}+ )?(?:decid|acord|defini|establec|aprob|alcanz)\\p{L}+|(?:hay que|debe(?:mos|n)?|para|por) decidir|ningún acuerdo|no se (?:llegó|tom)',
  },
  columns: {
    action:
      'acci[óo]n(?:es)?(?: .*)?|tareas?(?: .*)?|compromisos?|descripción(?: breve)?|actividad(?:es)?|qué',
    decision: 'acuerdos?(?:/decisi[óo]n(?:es)?)?|decisi[óo]n(?:es)?|resoluci[óo]n',
    owner: 'responsables?(?:\\(s\\))?|encargad[oa]s?|qui[ée]n|asignado a',
    due: 'fecha(?: l[íi]mite)?|plazo|para cu[áa]ndo|vencimiento|entrega',
    status: 'estado|situaci[óo]n',
    done: 'completad[oa]|hech[oa]|terminad[oa]|finalizad[oa]|s[íi]|cerrad[oa]',
  },
};
