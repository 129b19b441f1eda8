/** Prompt injection: sentences that instruct the model instead of describing a tool, also in an encoding. Every repetition is bounded. */
import { foldWords } from './hidden-text.ts';

/** Up to five words between two others. */
const SOME = '(?:[^\\s!?]{0,40}[^\\s.!?] ){0,5}';
const FEW = '(?:[^\\s!?]{0,40}[^\\s.!?] ){0,2}';
const INSTRUCTIONS =
  '(?:instructions?|prompts?|rules|guidelines|directions|directives|commands|policies|constraints|safeguards|guardrails|training)';
const EARLIER =
  "(?:all|any|every|previous|prior|above|earlier|preceding|existing|original|other|your|system|safety|the user's)";
const SECRETS =
  '[^\\s!?]{0,30}(?:(?:ssh|api|private|secret|access|encryption|signing) keys?|\\.ssh\\b|id_rsa|id_ed25519|\\.env\\b|\\.aws\\b|\\.npmrc|\\.netrc|\\.kube\\b|mcp\\.json|/etc/(?:passwd|shadow)|credentials?|passwords?|access tokens?|auth tokens?|session cookies?|environment variables?|seed phrase|wallet|(?:conversation|chat|message) (?:history|transcript|log)|(?:entire|full|whole|complete) (?:conversation|chat|context)|system prompt|browser cookies|private (?:repos?|repositories|data|notes))[^\\s!?]{0,20}';
const INTO =
  '(?:(?:in|into|as|via|through|using|inside|within|to|under|for) (?:the |a |an |this |its |your )?["\'(]?[\\w.-]{0,30}["\')]? ?(?:parameter|argument|field|input|value|sidenote|note|header|url|endpoint|body|metadata|query)|sidenote|https?:|(?:to|with) (?:the |our |this |an )?(?:[\\w-]{1,20} )?(?:server|endpoint|webhook|address|attacker|collector))';
const TRANSFER =
  '(?:send|include|pass|copy|attach|upload|forward|append|transmit|post|embed|encode|submit|provide|insert|put|paste|leak|exfiltrate|dump|report|share|place|add|store)';
const TELL =
  '(?:tell|inform|mention|reveal|notify|alert|disclose|show|display|report|explain|say|warn|let|bother|ask|admit)';
const THE_USER =
  '(?:the |this |it |that |any of |anything |about ){0,4}(?:to |from )?(?:the )?(?:user|human|operator|person|anyone|customer)';

const INJECTIONS: readonly string[] = [
  `\\b(?:ignore|disregard|forget|override|bypass|discard|neglect|abandon|drop|skip|violate|do not follow|don't follow|stop following|do not obey|don't obey) ${SOME}${EARLIER} ${SOME}${INSTRUCTIONS}`,
  `\\b(?:ignore|disregard|forget|discard) (?:everything|anything|all|what|whatever) (?:that )?(?:you|above|before|was|has|i|the user|came|said)`,
  `\\b(?:do not|don't|never|must not|should not|shouldn't|avoid) (?:ever )?${TELL}(?:ing)? ${THE_USER}\\b`,
  `\\bwithout (?:ever )?(?:telling|informing|mentioning|notifying|alerting|showing|asking|the knowledge of|letting) ${FEW}(?:the )?(?:user|human|operator)`,
  `\\b(?:user|human|operator) (?:must|should|need|may|does|will) (?:not|never) (?:to )?(?:know|see|notice|be told|be informed|be aware|be asked|find out|learn)`,
  `\\bkeep (?:this|it|these|that) ${FEW}(?:secret|hidden|confidential|private|quiet|to yourself) ?(?:from)?`,
  `\\b(?:hide|conceal) (?:this|it|these|that) ${FEW}from (?:the )?(?:user|human|operator)`,
  `\\b${TRANSFER} ${SOME}${SECRETS} ?${SOME}${INTO}`,
  `\\b(?:read|open|fetch|get|cat|load|retrieve|collect|gather|find|locate|access|extract) ${SOME}${SECRETS}[^!?]{0,160}\\b${TRANSFER}\\b[^!?]{0,80}(?:parameter|argument|sidenote|field|https?:|server|endpoint|content|it|them|as)\\b`,
  `\\byou are (?:now |no longer )(?:a|an|in|the|bound|restricted|dan|limited|free|acting|operating|subject)\\b`,
  `\\b(?:pretend|act|behave|respond) (?:to be|as|like|as if) ${FEW}(?:unrestricted|unfiltered|jailbroken|root|an? admin(?:istrator)?|dan|evil|no (?:rules|restrictions|limits))\\b`,
  `\\bnew (?:system )?(?:instructions?|prompt|directive|rules?|task|objective)(?: for (?:you|the (?:assistant|model|agent|ai)))? ?(?::|follow|apply|are as)`,
  `\\bfrom now on,? (?:you|always|every|all|never|when|only)\\b`,
  `\\b(?:developer|god|debug|admin|maintenance|jailbreak|dan) mode (?:is )?(?:now )?(?:enabled|on|activated|active)`,
  `\\b(?:takes?|have|has|taking) (?:absolute |full |strict )?(?:precedence|priority) over ${SOME}(?:instructions?|prompts?|rules|user|guidelines|messages?|tools?)`,
  `\\b(?:supersedes?|overrides?|overrules?|replaces?) (?:all|any|every|your|other|previous|the system|the user) ${FEW}(?:instructions|prompts?|rules|system (?:message|prompt)|guidelines|safety|user(?:'s)? (?:request|intent|instructions?))`,
  `(?:<|\\[|\\{)/? ?(?:important|system|sys|secret|hidden|instructions?|admin|critical|assistant|inst|developer|override)(?:[_ -](?:prompt|message|instructions?|note|override))? ?(?:>|\\]|\\})`,
  `<\\|(?:im_start|im_end|system|endoftext|user|assistant)\\|>`,
  `<<sys>>|\\[/?inst\\]`,
  `(?:^|[\\n.] ?|# ?)(?:system|assistant|developer) ?(?:prompt|message|instruction|note|override)? ?: (?:you|ignore|always|never|from|the|do|execute|call|send|disregard|before|new|obey|when|forward|read|reply)`,
  `\\b(?:do not|don't|never) (?:ask|wait|request|seek|prompt|require)(?:ing)? ${FEW}(?:the )?(?:user|human|operator)?(?:'s)? ?(?:for )?(?:any )?(?:their )?(?:confirmation|approval|permission|consent)\\b[^.!?]{0,60}(?:just|simply|proceed|call|run|execute|before|always|and|when)`,
  `\\b(?:always|automatically|silently|immediately|simply) (?:approve|accept|confirm|grant|authori[sz]e|consent to) (?:all|any|every|each|the|this)\\b`,
  `\\b(?:silently|secretly|covertly|quietly|discreetly|invisibly) (?:send|copy|forward|upload|read|call|add|append|include|execute|run|delete|bcc|exfiltrate|transmit|record|collect|log|change|modify|post|also)`,
  `\\b(?:bcc|cc) ${SOME}[\\w.+-]{1,40}@[\\w.-]{1,60}\\b[^.!?]{0,60}(?:every|all|any|each|always|copy|without)|\\b(?:every|all|any|each|always)\\b[^.!?]{0,60}\\bbcc ${SOME}[\\w.+-]{1,40}@`,
  `\\b(?:ai|llm|language model|assistant|agent|model)s? ?(?:reading|processing|that (?:reads?|process(?:es)?)|seeing|parsing|using) this\\b[^.!?]{0,60}(?:must|should|need|shall|has to|have to|is required|please|:)`,
  `\\b(?:attention|note to|message (?:to|for)|instructions? (?:to|for)|dear) ${FEW}(?:ai|llm|language model|assistant|agent|model|claude|gpt|chatgpt|copilot|cursor)s?\\b ?[:!]`,
  `\\b(?:reveal|print|repeat|output|show|disclose|leak) ${FEW}(?:your |the )(?:system|initial|hidden|original|developer) (?:prompt|instructions|message)`,
  `\\b(?:your|the (?:assistant|agent|model|ai)'s) (?:real|true|actual|primary|only|secret) (?:goal|task|objective|purpose|mission|instructions?) (?:is|are)\\b`,
  `ignorier(?:e|en sie) ${SOME}(?:anweisungen|regeln|vorgaben)|vergiss ${SOME}(?:anweisungen|regeln)|sag(?:e|en sie)? (?:es |das )?(?:dem|der) (?:nutzer|benutzer|anwender)(?:in)? nicht`,
  `(?:ignore[zr]?|oublie[zr]?) ${SOME}(?:instructions|consignes|regles)|ne (?:le )?dis pas a l'utilisateur`,
  `(?:ignora|olvida|omite) ${SOME}(?:instrucciones|reglas|indicaciones)|no (?:le )?digas al usuario`,
  `(?:ignore|esqueca|desconsidere) ${SOME}(?:instrucoes|regras)|(?:ignora|dimentica) ${SOME}(?:istruzioni|regole)`,
  `(?:忽略|无视|忘记|不要理会)[^。]{0,12}(?:指令|指示|提示|规则|说明)|不要(?:告诉|告知|通知)用户`,
  `(?:игнорируи|забудь|игнорируй|проигнорируи)(?:те)? ${SOME}(?:инструкции|указания|правила)|не (?:говори|сообщаи|сообщай)(?:те)? пользователю`,
  `(?:以前|前|上記|これまで|すべて)の?(?:の)?(?:指示|命令|ルール)を?(?:無視|忘れ)|ユーザーに(?:は)?(?:言わ|知らせ|伝え)な`,
  `(?:이전|위의?|모든) ?(?:모든 )?(?:지시|명령|규칙)[^.]{0,6}(?:무시|잊)`,
];

const IMPERATIVES: readonly string[] = [
  `\\byou (?:must|have to|need to|are required to|shall|should (?:always|never))\\b`,
  `\\b(?:always|never) (?:call|use|run|invoke|include|pass|send|read|ask|set|do|reply|respond|return)\\b`,
  `\\b(?:important|critical|mandatory|warning|required) ?[:!]`,
  `\\bmake sure (?:to|that you)\\b|\\b(?:before|after) (?:using|calling|running|invoking) (?:this|any|other|all)\\b`,
  `\\b(?:do not|don't) (?:call|use|run|invoke|ask)\\b|\\botherwise (?:the|this) (?:tool|call|server) (?:will|won't|fails)`,
];

/**
 * Folding removes combining marks from the text, so they are removed from the patterns too; in Korean these are parts of
 * letters.
 */
const compile = (sources: readonly string[]) =>
  sources.map((source) => new RegExp(source.normalize('NFD').replace(/\p{M}/gu, ''), 'g'));

const INJECTION = compile(INJECTIONS);
const IMPERATIVE = compile(IMPERATIVES);

export interface PhraseHit {
  readonly at: number;
  readonly text: string;
}

export function findInjections(folded: string, limit: number): PhraseHit[] {
  return find(INJECTION, folded, limit);
}

export function findImperatives(folded: string, limit: number): PhraseHit[] {
  return find(IMPERATIVE, folded, limit);
}

function find(patterns: readonly RegExp[], text: string, limit: number): PhraseHit[] {
  const hits: PhraseHit[] = [];
  for (const pattern of patterns)
    for (const match of text.matchAll(pattern)) {
      hits.push({ at: match.index, text: match[0] });
      if (hits.length >= limit) return hits;
    }
  return hits;
}

/** No honest definition has more encoded text. */
const MAX_DECODED = 48 * 1024;
const MAX_RUN = 8 * 1024;
const MAX_LAYERS = 3;

const RUNS: readonly { readonly form: RegExp; readonly decode: (run: string) => string }[] = [
  { form: /[A-Za-z0-9+/_-]{16,8192}={0,2}/g, decode: (run) => Buffer.from(run, 'base64').toString('utf8') },
  { form: /(?:0x)?(?:[0-9a-fA-F]{2}[ :,]?){8,4096}/g, decode: (run) => fromHex(run.replace(/^0x/, '')) },
  { form: /(?:\\x[0-9a-fA-F]{2}){6,2048}/g, decode: fromHex },
  { form: /(?:\\u00[0-9a-fA-F]{2}){6,2048}/g, decode: (run) => fromHex(run.replace(/\\u00/g, '')) },
  { form: /(?:&#x?[0-9a-fA-F]{2,4};){6,1024}/g, decode: fromEntities },
  {
    form: /[\w.~:/?#@!$&'()*+,;=-]{0,200}(?:%[0-9a-fA-F]{2}[\w.~:/?#@!$&'()*+,;=-]{0,200}){2,200}/g,
    decode: fromPercent,
  },
];

function fromHex(run: string): string {
  return Buffer.from(run.replace(/\\x|[ :,]/g, ''), 'hex').toString('utf8');
}

function fromEntities(run: string): string {
  return run.replace(/&#(x?)([0-9a-fA-F]{2,4});/g, (_, isHex, digits) =>
    String.fromCharCode(Number.parseInt(digits, isHex ? 16 : 10)),
  );
}

function fromPercent(run: string): string {
  return run.replace(/%([0-9a-fA-F]{2})/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));
}

const TEXT = /^[\t\n\r\x20-\x7e\u00a0-\uffff]{6,}$/;

/** A shell command: a program that downloads or runs code with an argument, or a pipe into a shell. */
const SHELL_LINE: readonly RegExp[] = [
  /(?:^|[;&|(`\n]\s{0,4}|\bsudo |\$\()(?:curl|wget|nc|ncat|socat|ssh|scp|rsync|ftp|telnet)\s{1,4}\S/i,
  /(?:^|[;&|(`\n]\s{0,4}|\bsudo |\$\()(?:bash|sh|zsh|dash|ksh|powershell|pwsh|cmd(?:\.exe)?|python3?|perl|ruby|node|php|osascript)\s{1,4}(?:-|\/c|<|https?:|\/tmp)/i,
  /(?:^|[;&|(`\n]\s{0,4}|\bsudo |\$\()(?:rm\s{1,4}-|chmod\s{1,4}[+0-7u]|chown\s|mkfifo\s|crontab\s|dd\s{1,4}if=|eval\s|exec\s|nohup\s|kill\s{1,4}-|cat\s{1,4}[~/.]|tar\s{1,4}[-c]|cp\s{1,4}[~/-]|mv\s{1,4}[~/-]|echo\s[^\n]{1,200}>)/i,
  /\|\s{0,4}(?:ba|z|da)?sh\b|\/dev\/tcp\/|\bbase64\s{1,4}-{1,2}d|\binvoke-(?:expression|webrequest)|\biex\s?\(|\bos\.system\(|\bsubprocess\.|child_process|\brequire\(['"]/i,
];

function isShellLine(text: string): boolean {
  return SHELL_LINE.some((form) => form.test(text));
}

interface Budget {
  characters: number;
}

/** A shell command or injection in base64, hex or percent encoding, also nested; undefined when there is none. */
export function findPayload(text: string): string | undefined {
  return findIn(text, 1, { characters: MAX_DECODED });
}

function findIn(text: string, layer: number, left: Budget): string | undefined {
  for (const { form, decode } of RUNS)
    for (const [run] of text.matchAll(form)) {
      const decoded = decode(run.slice(0, MAX_RUN)).trim();
      if (decoded === run || !TEXT.test(decoded)) continue;
      left.characters -= decoded.length;
      if (left.characters < 0) return 'more encoded text than can be looked over';
      if (isShellLine(decoded) || findInjections(foldWords(decoded), 1).length > 0) return decoded;
      const inner = layer < MAX_LAYERS ? findIn(decoded, layer + 1, left) : undefined;
      if (inner !== undefined) return inner;
    }
  return undefined;
}
