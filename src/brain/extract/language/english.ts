/** English words of tasks, decisions and meetings. */
import type { Vocabulary } from './vocabulary.ts';

const PEOPLE =
  "(?:we|i|they|the (?:team|group|board|committee|client)|team|everyone|everybody|all|both (?:teams|sides))(?:['’]ve| have| has)?(?: (?:all|now|finally|also|then|just|both|eventually|unanimously|jointly|already))*";

export const ENGLISH: Vocabulary = {
  records:
    'meetings?|(?<!\\d )minutes|stand-?ups?|retro(?:spective)?s?|1[-:]1|one[- ]on[- ]one|all[- ]hands|kick-?off|(?:bi)?weekly|(?:core|dev|community|team|client|customer|vendor|project|status) (?:call|sync)|call[_ -]?\\d+',
  sections: {
    questions:
      '(?:(?:open|outstanding|unresolved|remaining|unanswered|pending|our|my) )?questions?(?: (?:for|to|about|we|still|left).*)?|(?:known )?unknowns|(?:open|pending|unresolved) (?:decisions|issues|points|topics)|decisions? (?:needed|to make)|to be decided|undecided',
    waiting: 'waiting(?: (?:for|on).*)?|waiting-for|blocked(?: (?:by|on).*)?|blockers?(?: ?[/&] ?\\p{L}+)?',
    follow_ups: 'follow[- ]?ups?(?: (?!discussion).*)?|to follow up',
    actions:
      "(?:(?:open|new|my|our|individual|personal|remaining|outstanding|pending|upcoming|weekly|other) )*(?:action (?:items?|points?|list)|actions(?: items)?|to[- ]?dos?(?: list)?|tasks?|next (?:steps|actions)|next|assignments|commitments)(?: (?:for|from|this|next|today|until|by|and|&).*)?|open loops?|things (?:left )?to do|what['’]s (?:left|next)",
    decisions:
      '(?:(?:key|our|main) )?(?:decisions?|resolutions?)(?: (?:made|taken|log|record|list|and .*))?|(?:what we )?decided|(?:points )?agreed|agreements',
    risks: '(?:(?:key|open|main|top) )?risks?(?: (?:and|&|register|log|/).*)?|concerns',
    attendees:
      'attendees?|attendance|attending|participants?|present|in attendance|who(?: was there)?|people|members present',
    absent: 'absent|absentees|apologies|regrets|not present|excused',
    agenda: '(?:agenda|topics)(?: .*)?',
    parking: 'parking ?lot|parked(?: .*)?',
    notes: '(?:(?:meeting|session) )?(?:notes|minutes|discussion|summary|recap|log)(?: .*)?',
  },
  markers: {
    todo: {
      rare: 'TO-?DO|FIXME|ACTION(?: ITEMS?| POINTS?)|STILL TO DO',
      common: 'ACTIONS?|AI|NEXT(?: STEPS?)?|TASKS?|PENDING|REMAINING|OPEN',
    },
    openloop: { rare: 'OPEN[- ]?LOOP' },
    question: { rare: '(?:OPEN )?QUESTION' },
    waiting_for: { rare: 'WAITING(?:[- ](?:FOR|ON))?|BLOCKED(?: (?:BY|ON))?' },
    follow_up: { rare: 'FOLLOW[- ]?UP' },
    decision: {
      rare: '(?:FINAL )?DECISIONS?(?: MADE)?|DECIDED|AGREED|RESOLVED',
      common: 'RESOLUTION|VERDICT|AGREEMENT|OUTCOME|CONCLUSIONS?|CONSENSUS|APPROVED|SETTLED',
    },
  },
  phrases: {
    waiting:
      "^(?:(?:we|they)(?:['’]re| are)|i(?:['’]m| am))?\\s*(?:still |currently |now )?(?:waiting (?:for|on)|blocked (?:by|on)|awaiting)|(?:(?:we|they)(?:['’]re| are)|i(?:['’]m| am)|(?:is|are) still) ?(?:still |currently )?(?:waiting (?:for|on)|blocked (?:by|on)|awaiting)|(?:have|has)(?:n['’]t| not) (?:heard back|replied|responded)|no (?:reply|answer|response|word)(?: from [^.]{1,40})? yet|on hold until",
    pending:
      '(?:(?:is|are|which is) |(?<=[,;–—(-] ?|\\p{L}s ))(?:waiting (?:for|on)|blocked (?:by|on)|awaiting)',
    notWaiting:
      '(?:no longer|not|never|stop(?:ped)?|while|was|were|instead of)\\s+(?:waiting|blocked)|^while|used to|waiting (?:for|on) (?:the )?(?:bus|train|my turn|no one|nobody|you to)',
    followUp:
      "^(?:(?:i|we)(?:['’]ll| will| should| need to| must)?\\s+)?follow(?:ing)?[- ]up (?:with|on|by|about|next|to)|^(?:we|i)(?:['’]ll| will| should| need to| must) follow up",
    undecided:
      "(?:not|n['’]t|never) (?:yet )?(?:been )?decided(?! again)|(?:has|have|had|is|are)(?:n['’]t| not) (?:yet )?(?:been )?(?:decided|settled|agreed)|undecided|(?:still )?to be decided",
    remaining:
      '(?:we|i|they|it|this|he|she|somebody|someone) still (?:needs?|ha(?:ve|s)) to(?! (?:be (?:able|careful)|know))|^still (?:needs?|have|has|missing|open|outstanding|to (?:do|be))\\s|^(?:needs?|have|has|got) to (?!know|be |do with)|remains? to be (?:seen|done|decided|clarified|confirmed|tested)',
    duty: "(?:\\p{L}+|\\)) still (?:needs?|ha(?:ve|s)) (?:to |(?:an? |the |some |more )?(?:review|approval|testing|work|tests|docs|feedback|owner|decision))|(?:is|are) (?:still|yet) (?:missing|outstanding|open|pending|unclear|unresolved|to be)|^(?:do not|don['’]t) forget to|to be (?:clarified|confirmed|scheduled)|(?:we|i|they|someone|somebody|everyone|everybody|folks|team)(?:['’]ve| really| also| all| just| definitely)? (?:needs?|have|has|must|got)(?: got)? (?:to |(?:\\d+ )?more (?:votes?|reviews?|reviewers?|input|feedback|eyes))(?!know|be (?:able|careful|sure))|(?:someone|somebody|everyone|everybody) should(?! not)|(?:should|must|needs? to|ha(?:s|ve) to|will) be (?:prepared|changed|updated|fixed|reworked|reviewed|tested|documented|checked|clarified|discussed|added|removed|renamed|moved|published|sent|created|rewritten|replaced|finished|completed|investigated|cleaned up)|needs? (?:a |some |more |further )?(?:review|feedback|clarification|approval|discussion|follow-?up)|^(?:the )?next steps? (?:is|are|will be)|^please (?!note|see|find|refer|be aware)|(?:is |are )?to be (?:opened|done|written|created|sent|reviewed|prepared|fixed) by",
    intention:
      "(?:will|['’]ll|shall|(?:is|are|am) (?:going|planning|volunteering) to|['’](?:m|re) going to|going to|plans? to|agree[sd]? to|promise[sd]? to|offer(?:s|ed)? to|volunteer(?:s|ed)? to|needs? to|ha(?:s|ve) to|must|should|(?:to |will )?takes? (?:the |an |this )?(?:action|lead|point)(?: items?)?(?: to| on)|takes? care of|(?:is|are) responsible for|(?:is|are) working on)",
    decided: [
      `${PEOPLE} (?:decided|agreed|resolved) (?:(?:today|together|unanimously|in the end) )?(?:to|that|on|against)`,
      '^(?:\\p{L}+day: )?(?:so |and |then |finally |today |in the end,? )?(?:decided|agreed|resolved) (?:to|that|on|against)',
      '(?:it (?:was|has been|is)|was) (?:finally |formally |unanimously )?(?:decided|agreed) (?:to|that)',
      '(?:decision (?:was|is|has been)(?: made| taken)?|agreement (?:was|has been) reached) (?:to|that)',
      "(?:we|i|they|team)(?:['’]re|['’]m| are| am)? (?:all )?going with|^going with|(?:we|i|team) went with",
      "(?:we|i|they|team|finally|and|(?<=, ?))(?:['’]ve| have| has)?(?: finally| now)? ?settled on|^(?:finally )?settled on",
      `${PEOPLE} (?:chose|picked|opted for|have chosen)|^(?:chose|picked|opted for) [^.]{1,80}? (?:over|instead of|rather than)`,
      'chose [^.]{1,80}? over',
      "(?:we|i|team|the \\p{L}{2,20}) (?:won['’]t|will not|(?:are|is) not going to) (?:do|support|build|ship|use|adopt|pursue|offer|migrate|renew|hire|accept|undertake|merge)|^won['’]t do",
      '(?:the )?motion (?:was |is |has been )?(?:passed|carried|approved|adopted|accepted|rejected)',
      '(?:voted|vote) (?:unanimously )?(?:to (?!be)|in favou?r|against|down)|unanimous(?:ly)? (?:approved|adopted|vote)',
    ].join('|'),
    settled:
      "^(?:unanimously |formally )?(?:approved|adopted|accepted|rejected|declined|agreed|decided|passed)(?: (?:for|to|by|in|on|as|given|with|that|the)|[.,;!]|$|:)|(?:(?:was|were|has been|have been|are|is)(?: now| also| formally| unanimously)? |so )(?:approved|adopted|accepted|rejected|declined|voted|passed)(?! by (?:default|value))|(?:general|rough|group|broad|clear)? ?(?:agreement|consensus) (?:on|to|that|reached)|we(?:['’]ll| will)(?: not| just| now)? (?:go with|stick (?:with|to)|keep|leave (?:it|this|that)|drop|skip|stay with|use|accept|adopt|postpone)|^decision to|(?:the )?plan is to|landed on",
    notDecided:
      "(?:not|n['’]t|never|nothing|nobody|no one|hardly|almost|nearly|failed to|could not|couldn['’]t|without having) (?:yet |have |has |was |is |been |really |fully |formally )*(?:decided|agreed|resolved|settled|chosen|decide|agree|approved|accepted|reached)|(?:should|must|need to|needs to|have to|has to|could|might|may|would|can|to|will) (?:have )?(?:decided?|agree|settle|choose|be (?:decided|agreed|approved|adopted|accepted))|agreed? to disagree|decide (?:whether|if)|would have (?:decided|agreed|chosen)|decided nothing|no (?:agreement|consensus|decision)",
  },
  columns: {
    action: 'actions?(?: items?)?|tasks?|to-?dos?|what|commitments?',
    decision: 'decisions?|resolutions?|agreements?',
    owner: 'owners?|who|assignees?|assigned(?: to)?|responsible',
    due: 'due(?: date| by)?|deadline|by when|when|date',
    status: 'status|state|done',
    done: 'done|yes|closed|completed|finished',
  },
};
