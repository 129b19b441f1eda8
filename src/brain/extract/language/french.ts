/** French words of tasks, decisions and meetings. */
import type { Vocabulary } from './vocabulary.ts';

export const FRENCH: Vocabulary = {
  records:
    'réunions?|reunions?|comptes?[- ]rendus?|cr|pv|procès[- ]verb(?:al|aux)|assemblée(?: générale)?|rapport hebdomadaire',
  sections: {
    questions:
      'questions? (?:ouvertes?|en suspens|à (?:traiter|trancher))|points? (?:en suspens|à (?:éclaircir|trancher|clarifier))|à (?:décider|trancher)',
    waiting: '(?:en attente|en attente de.*|bloqué.*|points bloquants)',
    follow_ups: '(?:à )?relanc(?:er|es)|suivi(?: des actions)?',
    actions:
      "(?:liste des |nouvelles )?(?:actions?|tâches)(?: (?:à \\p{L}+|restantes?|ouvertes?|décidées?|pour .*|et .*))?|(?:points|travaux|choses|travail) à (?:faire|mener|suivre|traiter|régler|finir)|(?:reste |restant )?à (?:faire|arbitrer|consolider|valider|régler)(?: .*)?|prochaines? (?:étapes?|actions?)(?: .*)?|plan d['’]actions?|suites à donner",
    decisions:
      '(?:relevé de |principales )?décisions?(?: (?:prises?|actées?|validées?|et .*))?|résolutions?(?: adoptées?)?|arbitrages?|points (?:actés|validés)',
    risks: 'risques(?: .*)?',
    attendees: 'présente?s?|participante?s?|personnes présentes|membres présents',
    absent: 'absente?s?|excusée?s?',
    agenda: 'ordre du jour(?: .*)?',
    notes: '(?:notes|discussions?|résumé|compte[- ]rendu)(?: .*)?',
  },
  markers: {
    todo: {
      rare: '(?:reste )?[àa] faire|reste [àa] faire',
      common:
        't[âa]ches?|actions?|prochaines? [ée]tapes?|[àa] (?:valider|voir|arbitrer|traiter|pr[ée]ciser|confirmer)',
    },
    question: { rare: 'question(?: ouverte| en suspens)?|[àa] (?:trancher|d[ée]cider|clarifier)' },
    waiting_for: { rare: 'en attente(?: de)?|bloqu[ée]e?(?: par)?' },
    follow_up: { rare: '[àa] relancer|relance' },
    decision: {
      rare: 'd[ée]cisions?(?: prise)?|d[ée]cid[ée]|act[ée]|arbitrage',
      common: 'r[ée]solution|valid[ée]e?|conclusion|accord|retenu',
    },
  },
  phrases: {
    waiting:
      "(?:en attente (?:du|des?|d['’])|(?:on|nous) atten(?:d|dons)(?: encore| toujours)?|bloquée?s? par|pas (?:encore )?de (?:réponse|retour) de)",
    undecided:
      "(?:pas encore|jamais|n['’]est pas|n['’]a pas (?:encore )?été) (?:décidée?|tranchée?|définie?|actée?)|reste à (?:décider|définir|trancher|préciser|valider)|à (?:décider|trancher|définir)(?= (?:plus tard|lors|avec|ensemble)|[.)]|$)",
    remaining:
      "(?:il )?reste(?:nt)?(?: encore)? (?:à|plus qu['’]à) \\p{L}+|(?:il )?manque(?:nt)? encore|(?:doit|doivent|faut|faudra) encore|encore à (?:faire|\\p{L}+er)|^à (?:faire|finir|terminer|relancer|vérifier|compléter|corriger|valider) |ne pas oublier (?:de|d['’])|(?:pas|non) encore (?:fait|envoyé|reçu|signé|payé|terminé)e?s?",
    duty: '(?:il )?(?:faut|faudra|faudrait)(?! dire| noter| savoir) (?:\\p{L}+ )?\\p{L}+(?:er|ir|re)|(?:on|nous) (?:doit|devons|devrait|devrons) \\p{L}+(?:er|ir|re)|(?:doit|doivent|devra|devront) être \\p{L}+(?:ée?s?|ie?s?|ue?s?|its?|ites?)|^merci de \\p{L}+(?:er|ir|re)',
    intention:
      "(?:va|vont|doit|doivent|devra|devront|compte|propose de) (?:\\p{L}+ )?\\p{L}+(?:er|ir|re)|(?:s['’]|se )(?:occupe|charge|engage)(?:nt)? |prend en charge|s['’]en (?:occupe|charge)",
    present:
      'prépare|contacte|envoie|rédige|relance|vérifie|organise|appelle|transmet|finalise|met à jour|planifie|demande|écrit|crée|termine|corrige|enverra|fera|préparera|contactera',
    decided:
      "(?:on|nous|l['’]équipe|le (?:bureau|conseil|comité|ca|groupe)|l['’]assemblée(?: générale)?|les membres|il|elle)(?: [^.;]{1,40}?)? (?:a|avons|ont|est|sont|a été|ont été) (?:\\p{L}+ ){0,2}?(?:décidé|convenue?s?|acté|opté|tranché)e?s?|(?:nous avons|on a|ont|a été|est) décidé(?: (?:de|d['’]|que))|d['’]un commun accord|décision (?:est |a été )?prise de|il (?:est|a été) (?:décidé|convenu|acté)",
    settled:
      "(?:est|sont|a été|ont été|fut) (?:\\p{L}+ )?(?:adoptée?s?|approuvée?s?|validée?s?|actée?s?|retenue?s?|rejetée?s?|refusée?s?|votée?s?|élue?s?|entérinée?s?)|(?:adoptée?s?|approuvée?s?|votée?s?) à (?:l['’]unanimité|\\p{L}*\\d*)|(?:on|nous) (?:part(?:ons)?|reste|restons|garde|gardons) (?:sur|avec)|^(?:validée?s?|actée?s?|approuvée?s?|adoptée?s?)(?:[ .,:;!]|$)",
    notDecided:
      "(?:pas encore|jamais|pas été|rien|rien n['’](?:a|est)(?: encore)?(?: été)?|n['’]a(?:vons)? pas|n['’]est pas|ne (?:sera|sont) pas) (?:\\p{L}+ )?(?:décidée?|validée?|actée?|tranchée?|adoptée?|retenue?)|(?:si|quand|lorsque|une fois) [^.;]{0,60}(?:décidé|validé|approuvé|adopté)|(?:doit|doivent|devra|à) (?:être )?(?:validée?s?|décidée?s?|approuvée?s?)|aucune décision",
  },
  columns: {
    action: "(?:libellé de l[’']\\s?)?actions?|tâches?|quoi",
    decision: 'décisions?',
    owner: 'responsables?|qui|pilote|porteur',
    due: 'échéances?|date limite|délai|pour quand|quand',
    status: 'statut|état|avancement',
    done: 'fait|terminée?|oui|clos',
  },
};
