/** Text as flags and variables give it, made into what a setting takes. What it cannot make anything of is left for the schema to refuse by name. */

export const asIs = (text: string) => text;

/** An empty variable is none. */
export const unlessBlank = (text: string) => (text.trim() === '' ? undefined : text.trim());

/** Commas inside `{a,b}` belong to the glob. */
export const list = (text: string) =>
  text
    .split(/,(?![^{]*\})/)
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** Only these words, so that a mistyped value is an error and not a silent "no". */
export const yesOrNo = (text: string): unknown => {
  const word = text.trim().toLowerCase();
  if (['1', 'true', 'yes', 'on'].includes(word)) return true;
  return ['0', 'false', 'no', 'off', ''].includes(word) ? false : text;
};

/** `user:hash` pairs; a pair that is none is left for the schema to refuse by name. */
export const users = (text: string): unknown =>
  Object.fromEntries(
    list(text).map((pair) => {
      const colon = pair.indexOf(':');
      return colon < 0 ? [pair, ''] : [pair.slice(0, colon), pair.slice(colon + 1)];
    }),
  );

/** What is not a number is left for the schema to refuse by name. */
export const wholeNumber = (text: string): unknown => (/^\s*\d+\s*$/.test(text) ? Number(text) : text);

/** The same for numbers of any kind; a blank is none. */
export const number = (text: string): unknown => {
  if (text.trim() === '') return undefined;
  return Number.isNaN(Number(text)) ? text : Number(text);
};

/** `:8090`, `0.0.0.0:8090` or `8090`; what is none of these is left for the schema to refuse by name. */
export const portOf = (text: string): unknown => wholeNumber(text.slice(text.lastIndexOf(':') + 1));
export const hostOf = (text: string): string => {
  const host = text.includes(':') ? text.slice(0, text.lastIndexOf(':')) : '';
  return host === '' ? '0.0.0.0' : host.replace(/^\[|\]$/g, '');
};
