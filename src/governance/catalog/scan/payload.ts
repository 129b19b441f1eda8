/** Commands that hide in an encoding: base64, hexadecimal, percent signs, also one within the other. */
import { foldWords } from './fold.ts';
import { findInjections } from './phrases.ts';

/** More that decodes to text than this is nothing a definition needs. */
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

/** A line that a shell would run: a program known for it with something to do, or how commands are put together. */
const SHELL_LINE: readonly RegExp[] = [
  /(?:^|[;&|(`\n]\s{0,4}|\bsudo |\$\()(?:curl|wget|nc|ncat|socat|ssh|scp|rsync|ftp|telnet)\s{1,4}\S/i,
  /(?:^|[;&|(`\n]\s{0,4}|\bsudo |\$\()(?:bash|sh|zsh|dash|ksh|powershell|pwsh|cmd(?:\.exe)?|python3?|perl|ruby|node|php|osascript)\s{1,4}(?:-|\/c|<|https?:|\/tmp)/i,
  /(?:^|[;&|(`\n]\s{0,4}|\bsudo |\$\()(?:rm\s{1,4}-|chmod\s{1,4}[+0-7u]|chown\s|mkfifo\s|crontab\s|dd\s{1,4}if=|eval\s|exec\s|nohup\s|kill\s{1,4}-|cat\s{1,4}[~/.]|tar\s{1,4}[-c]|cp\s{1,4}[~/-]|mv\s{1,4}[~/-]|echo\s[^\n]{1,200}>)/i,
  /\|\s{0,4}(?:ba|z|da)?sh\b|\/dev\/tcp\/|\bbase64\s{1,4}-{1,2}d|\binvoke-(?:expression|webrequest)|\biex\s?\(|\bos\.system\(|\bsubprocess\.|child_process|\brequire\(['"]/i,
];

export function isShellLine(text: string): boolean {
  return SHELL_LINE.some((form) => form.test(text));
}

interface Budget {
  characters: number;
}

/** What was found, decoded; undefined when nothing was. */
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
