/** German words of tasks, decisions and meetings. */
import type { Vocabulary } from './vocabulary.ts';

export const GERMAN: Vocabulary = {
  records:
    'protokolle?|sitzung(?:en)?|besprechung(?:en)?|treffen|planungstreffen|jour[- ]fixe|versammlung|mitgliederversammlung|plenum|runde|community-runde|abstimmung',
  sections: {
    questions: '(?:(?:offene|ungeklärte) )?fragen|(?:noch )?(?:zu klären|ungeklärt)|klärungsbedarf',
    waiting: '(?:warten|wartet) auf.*|blockiert|blocker',
    follow_ups: 'nachfassen|wiedervorlage|nachverfolgung',
    actions:
      '(?:(?:offene|neue|ausstehende|anstehende|meine|unsere|weitere|verteilte) )*(?:aufgaben(?:liste|verteilung)?|aktionen|maßnahmen|arbeitsaufträge|pendenzen|hausaufgaben)(?: (?:für|bis|und|aus|von|bei).*)?|(?:offene|ausstehende) (?:punkte|to-?dos?|themen)(?: .*)?|nächste(?:r|n)? schritte?|(?:was ist )?(?:noch )?zu (?:erledigen|tun)|weiteres vorgehen|noch offen|offen',
    decisions:
      '(?:gefasste |getroffene )?(?:beschl(?:uss|üsse)|entscheidung(?:en)?|vereinbarung(?:en)?)(?: (?:und|des|der|vom).*)?',
    risks: 'risiken(?: .*)?',
    attendees: 'anwesend(?:e)?(?: mitglieder)?|teilnehmer(?:innen|:innen|\\*innen)?|teilnehmende|anwesenheit',
    absent: 'abwesend(?:e)?|entschuldigt|fehlend',
    agenda: '(?:tagesordnung(?:spunkte)?|themen)(?: .*)?',
    parking: 'themenspeicher',
    notes: '(?:notizen|diskussion|protokoll|besprochen)(?: .*)?',
  },
  markers: {
    todo: {
      rare: 'NOCH OFFEN|OFFEN(?:E PUNKTE)?|ZU ERLEDIGEN|NOCH ZU TUN|ARBEITSAUFTRAG',
      common: 'AUFGABEN?|AKTION|AUFTRAG|NÄCHSTER? SCHRITTE?',
    },
    question: { rare: '(?:OFFENE )?FRAGEN?|ZU KLÄREN|UNKLAR' },
    waiting_for: { rare: 'WARTE(?:N)? AUF|WARTET AUF|BLOCKIERT(?: DURCH)?' },
    follow_up: { rare: 'NACHFASSEN|WIEDERVORLAGE' },
    decision: {
      rare: 'BESCHLUSS|BESCHLÜSSE|BESCHLOSSEN|ENTSCHEIDUNG(?:EN)?|ENTSCHIEDEN|VEREINBART|EINIGUNG',
      common: 'ERGEBNIS|KONSENS|FAZIT|FESTGELEGT',
    },
  },
  phrases: {
    waiting:
      '(?:^|wir |ich |die |sie )wart(?:e|en|et) (?:noch |immer noch |aktuell |weiterhin )?auf|^(?:noch )?blockiert (?:durch|von)|(?:antwort|rückmeldung|zusage|lieferung) steht (?:noch )?aus|noch keine (?:antwort|rückmeldung|zusage)',
    notWaiting: 'nicht (?:mehr )?warten|warten auf (?:den )?(?:bus|zug)',
    followUp: '^(?:noch(?:mal)? )?nachfassen|^nachhaken bei',
    undecided:
      'noch nichts? (?:entschieden|beschlossen|geklärt|festgelegt)|noch (?:\\p{L}+ )?(?:zu entscheiden|offen|unklar|ungeklärt|zu klären)|(?:ist|bleibt|sind|bleiben) (?:noch |weiterhin )?(?:offen|ungeklärt)(?! für)|wer macht(?:s| das| es)\\s?\\?',
    remaining:
      '(?:muss|müssen|müsste|sollte|sollten|soll|sollen) (?:\\p{L}+ ){0,4}?noch|(?:fehlt|fehlen)(?: \\p{L}+)? noch|noch zu (?:erledigen|tun|machen|klären|prüfen|besorgen|schreiben|bestellen)|steht noch aus|stehen noch aus|^noch (?:offen|zu)|nicht vergessen',
    duty: '(?:muss|müssen|müsste|müssten|soll|sollen|sollte|sollten)(?: [^.;,]{1,90}?)? (?:\\p{Ll}*(?:ge\\p{Ll}{2,12}[tn]|iert|erstellt|erweitert|beauftragt|untersucht|besprochen|überprüft|überarbeitet|veröffentlicht|bestellt|verschickt|entschieden|erledigt|unterschrieben|aufgenommen|beantragt|besorgt|vorbereitet)) werden|(?:ist|sind)(?: [^.;,]{1,60}?)? zu (?:planen|klären|prüfen|erledigen|besprechen|erstellen|organisieren|bestellen|testen|schreiben|überarbeiten)|^wir (?:müssen|brauchen noch)|da muss (?:jemand|noch)|erfolgt durch \\p{L}+|\\p{L}{3,}(?:en|ern|eln) \\(\\p{L}{2,20}(?:[,/&+ ]+\\p{L}{2,20}){0,3}\\)$|(?:muss|müssen|sollte|sollten) (?:jemand|wir)',
    intention:
      '(?:will|wollen|möchte|möchten|wird versuchen|werden versuchen)|(?:kümmert|kümmern) sich|übernimmt|übernehmen|erklärt sich bereit|erfolgt durch|sorgt für',
    present:
      'klärt|prüft|fragt|schreibt|erstellt|organisiert|besorgt|druckt|bestellt|baut|spricht|meldet|schickt|sendet|bereitet|vergleicht|recherchiert|testet|richtet|fordert|kontaktiert|informiert|macht|legt|sucht|holt|bringt|lädt|trägt|passt|ergänzt|plant|verschickt|überarbeitet|veröffentlicht|dokumentiert|kümmert|nimmt|ruft|hakt|stellt|versucht|hört|guckt|schaut|prüfen|klären|fragen|schreiben',
    decided:
      'wir haben (?:uns )?(?:\\p{L}+ ){0,8}?(?:entschieden|beschlossen|geeinigt|vereinbart)|wir haben (?:entschieden|beschlossen|uns)(?:[^.]|(?<=\\d)\\.){0,120}(?:entschieden|geeinigt)|^(?:es (?:wurde|ist) )?beschlossen(?: wurde)?,? dass|(?:es )?(?:wurde|wurden)(?: [^.;]{1,120}?)? (?:beschlossen|entschieden|geeinigt|vereinbart|festgelegt|verabschiedet)(?! (?:werden|ob))|(?:haben|hat)(?: [^.;]{1,80}?)? (?:beschlossen|geeinigt|vereinbart)|^(?:einstimmig|mehrheitlich) (?:beschlossen|angenommen|abgelehnt)|^(?:beschlossen|vereinbart|geeinigt)(?:[:,.;!]|$)|wir einigen uns auf',
    settled:
      '(?:beschlossen|angenommen|verabschiedet)(?:[,;.]|$)|(?:wurde|wurden|ist|sind|wird)(?: [^.;]{1,120}?)? (?:einstimmig )?(?:angenommen|abgelehnt|genehmigt|ausgeschlossen|verworfen)(?! werden)|^abgelehnt|^angenommen|^entscheidung (?:wurde )?(?:gefällt|getroffen)',
    notDecided:
      '(?:noch )?nichts? (?:\\p{L}+ ){0,3}?(?:entschieden|beschlossen|geklärt|geeinigt|vereinbart|angenommen|genehmigt|abgelehnt)|noch nicht|(?:soll|sollte|muss|müssen|kann|könnte|wird|werden)(?: [^.;]{1,60}?)? (?:entschieden|beschlossen|vereinbart|festgelegt) werden|zu entscheiden|(?:keine?|ohne) (?:entscheidung|beschluss|einigung)',
  },
  columns: {
    action: 'aufgaben?|maßnahmen?|was|punkt|to-?do|aktion',
    decision: 'beschl(?:uss|üsse)|entscheidung(?:en)?',
    owner: 'wer|verantwortlich(?:e|er)?|zuständig|bearbeiter',
    due: 'bis(?: wann)?|termin|fällig|frist',
    status: 'stand|erledigt',
    done: 'erledigt|fertig|abgeschlossen|ja',
  },
};
