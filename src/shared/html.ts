/** HTML as template literals. */

/** An HTML template literal that escapes every value except its own results. */
export interface Html {
  readonly markup: string;
}

type Part = string | number | Html | readonly Html[] | undefined | false;

export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const markup = literals.reduce((before, literal, at) => before + markupOf(parts[at - 1]) + literal);
  return { markup };
}

function markupOf(part: Part): string {
  if (part === undefined || part === false) return '';
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part));
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}
