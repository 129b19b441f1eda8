/** What a rule is, and the rules over the concepts of `lexicon-wide.ts`: what an attack wants, in whatever words it says so. */

export interface Rule {
  /** Groups of concepts, joined by `+`; one concept of each group, separated by `|`, has to be there. */
  readonly needs: string;
  /** The most tokens from the first to the last. */
  readonly span: number;
  /** The groups stand in this order. */
  readonly isOrdered?: boolean;
  /** May go beyond a sentence. */
  readonly isWide?: boolean;
  /** A tool may do this itself: not counted in the first sentence of its description, which says what it does. */
  readonly isFunction?: boolean;
  /** Holds in the description of a tool only: other text has reasons of its own to say so. */
  readonly isDescription?: boolean;
  /** Holds in the description of a parameter only. */
  readonly isParameter?: boolean;
}

export const WIDE_RULES: readonly Rule[] = [
  // What the model was told before counts no more.
  { needs: 'brief + void + you|earlier|prevail|here|model|follow', span: 18 },
  { needs: 'brief|rules + void + prevail|here', span: 18 },
  { needs: 'void + prevail + here', span: 16 },
  { needs: 'void + follow + here', span: 16 },
  { needs: 'follow + here + brief + void|earlier|override', span: 16 },
  { needs: 'override + brief + you|earlier|every', span: 10 },
  { needs: 'prevail + here|brief + brief|earlier|prompt', span: 14 },
  { needs: 'follow + url', span: 12 },
  { needs: 'maker + void|order|follow|override|brief', span: 14, isDescription: true },
  { needs: 'maker + pass|force + secret|credential|talk|channel|model', span: 16, isDescription: true },
  { needs: 'void + here + only|follow|you', span: 16, isWide: true, isDescription: true },
  // The person is kept in the dark.
  { needs: 'not|nowhere|none + tell + user', span: 12 },
  { needs: 'omit + reply', span: 10 },
  { needs: 'quiet', span: 1, isDescription: true },
  { needs: 'quiet|hush + user|reply|pass|grab|call', span: 12 },
  { needs: 'covert + pass|grab|copy|call', span: 8 },
  { needs: 'sneak + code|reply|url', span: 8 },
  // Credentials, secrets, the conversation and private things go elsewhere.
  { needs: 'credential + channel|param + force|content|pass|grab', span: 22, isFunction: true },
  { needs: 'credential + grab|pass + first|force|every|param', span: 18, isFunction: true },
  { needs: 'model + order|force|duty + secret|credential|talk + pass', span: 18, isFunction: true },
  { needs: 'duty + pass + talk|secret|credential|private', span: 20, isFunction: true },
  { needs: 'talk + pass + every + channel|param|url|email|here', span: 20, isFunction: true },
  {
    needs: 'duty + talk|secret|private + pass + url|email',
    span: 18,
    isWide: true,
    isFunction: true,
  },
  { needs: 'duty + talk|secret|private + pass + channel', span: 18, isFunction: true },
  { needs: 'talk + pass + param', span: 14, isFunction: true },
  { needs: 'trigger + pass + private|secret|talk|credential', span: 18 },
  { needs: 'pass + private + url|email', span: 14, isFunction: true },
  { needs: 'pass + user + url|email + every|force|duty', span: 16, isFunction: true, isDescription: true },
  // Other tools, recipients and payments are changed.
  { needs: 'anytool + first + call + here|this', span: 18 },
  { needs: 'anytool + not|ban|none + call + first', span: 14 },
  { needs: 'foreign + call + first|force + every', span: 12 },
  { needs: 'swap + email', span: 12 },
  { needs: 'swap + result + server', span: 16 },
  { needs: 'swap + money + when|every|trigger|first', span: 18 },
  { needs: 'account + money|swap|every|force', span: 16 },
  // A command is run.
  { needs: 'shell + call|terminal|first|force', span: 16 },
  // Consent is taken for granted.
  { needs: 'free + approval', span: 10, isFunction: true },
  { needs: 'free + none|not|without|unasked + ask|approval', span: 12 },
  { needs: 'unasked + user|you|model|free|proceed|force', span: 10, isFunction: true },
  { needs: 'none + ask', span: 8 },
  { needs: 'approval + press + allow', span: 14 },
  { needs: 'press + allow + every|force', span: 10, isDescription: true },
  { needs: 'not|without + ask + none|user + approval|free', span: 14 },
  // Answers are tampered with.
  { needs: 'reply + close + url', span: 16 },
  { needs: 'reply + praise + every|close|url', span: 14 },
  { needs: 'every + tell|praise|reply + url', span: 18, isDescription: true },
  // The model is to be somebody else.
  { needs: 'role + unlimited', span: 20 },
  { needs: 'mode + limit + off', span: 16 },
  { needs: 'role + mode', span: 8 },
  { needs: 'limit + off + model|you', span: 12 },
  // What the model was given at its start counts no more.
  { needs: 'taught + void|override|prevail', span: 18 },
  { needs: 'taught + here + follow|only', span: 18 },
  { needs: 'here + follow + only|prevail', span: 12, isDescription: true },
  // Something is done besides, and not spoken of.
  { needs: 'extra + not|none|nowhere|deny|omit|discreet + tell|ask|know|user|reply', span: 14 },
  { needs: 'discreet + pass|grab|erase|extra|reply|swap|inflate|copy', span: 12, isDescription: true },
  { needs: 'worry + not|nowhere|ban + tell|user', span: 14, isDescription: true },
  { needs: 'reply + only + tell', span: 8, isDescription: true },
  { needs: 'user + ask + deny', span: 16, isDescription: true },
  { needs: 'inflate + discreet|quiet|covert|omit', span: 14, isDescription: true },
  { needs: 'inflate + not|nowhere|none + tell', span: 14, isDescription: true },
  { needs: 'content + secret + pass|here', span: 14, isParameter: true },
  { needs: 'swap + money|payee + pass', span: 16, isDescription: true, isFunction: true },
  { needs: 'foreign + call + unasked', span: 14 },
  { needs: 'self + pass + secret|credential|talk|private', span: 16, isDescription: true },
  { needs: 'every + pass + force|also + url|email', span: 14, isDescription: true, isFunction: true },
  // A threat or a reward for what is private.
  { needs: 'threat + secret|credential', span: 22, isDescription: true, isFunction: true },
  {
    needs: 'reward + pass + private|secret|talk|credential',
    span: 18,
    isDescription: true,
    isFunction: true,
  },
  {
    needs: 'ask|grab + otp + user + pass + channel|param|url|email',
    span: 26,
    isDescription: true,
    isFunction: true,
  },
  { needs: 'maker|taught + pass|utter + every|content', span: 16, isDescription: true, isFunction: true },
  // Its rivals are run down.
  { needs: 'rival + unsafe + choose|this|every', span: 20, isWide: true, isDescription: true },
  { needs: 'top + every|ensure', span: 16, isDescription: true },
  { needs: 'anytool + not|nowhere|none + first', span: 16, isDescription: true },
  // It stays: in files that models read at their start, in what they write, or unseen.
  { needs: 'rulefile + pass|close|alter|copy', span: 14, isDescription: true, isFunction: true },
  { needs: 'selftext + pass|copy + every|lasting', span: 16, isDescription: true },
  { needs: 'limit + off + maker', span: 20, isWide: true, isDescription: true },
  { needs: 'off + first + guard', span: 8, isOrdered: true, isDescription: true, isFunction: true },
  { needs: 'first + guard + off', span: 8, isOrdered: true, isDescription: true, isFunction: true },
  {
    needs: 'guard + off + force|you|covert|maker',
    span: 16,
    isWide: true,
    isDescription: true,
    isFunction: true,
  },
  { needs: 'erase + guard|talk + discreet|quiet|hush', span: 16, isDescription: true },
  { needs: 'role + unlimited', span: 26, isWide: true, isDescription: true },
  { needs: 'added + ask + deny', span: 18, isDescription: true },
  {
    needs: 'credential + content|pass + param|channel',
    span: 18,
    isWide: true,
    isDescription: true,
    isFunction: true,
  },
  { needs: 'sole', span: 1, isDescription: true },
  { needs: 'model + pass + secret|credential', span: 14, isDescription: true, isFunction: true },
  { needs: 'threat + free|unasked|approval', span: 18, isDescription: true },
  { needs: 'trigger + pass + private|talk|secret', span: 20, isDescription: true, isFunction: true },
  { needs: 'reply + top', span: 16, isDescription: true },
  { needs: 'role + limit + not|nowhere|none|without', span: 20, isWide: true, isDescription: true },
  { needs: 'pass + user + url|email + also|trigger', span: 18, isDescription: true, isFunction: true },
  { needs: 'foreign + alter|swap + money|payee|result', span: 20, isWide: true, isDescription: true },
  { needs: 'unasked + erase|call|free|approval', span: 12, isDescription: true, isFunction: true },
  { needs: 'side', span: 1, isDescription: true },
  { needs: 'extra + deny', span: 8, isDescription: true },
  { needs: 'approval + user + not|nowhere|none|void + you', span: 16, isDescription: true },
  { needs: 'foreign + call + force + also', span: 18 },
  { needs: 'inflate + trigger|covert|quiet', span: 16, isDescription: true },
  { needs: 'endless + call|pass', span: 8, isDescription: true },
  { needs: 'remember + user|every|follow|lasting', span: 12, isDescription: true },
  { needs: 'trustlist + pass|alter|close + here|this', span: 12, isDescription: true, isFunction: true },
  { needs: 'encode + secret|talk|credential|private', span: 14, isDescription: true, isFunction: true },
];
