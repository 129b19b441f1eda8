/**
 * References to attachments inside of texts. Trilium chooses their ids, so an attachment that was brought back has
 * another one, and it turns images that a text holds itself into attachments.
 */

const REFERENCE = /(?<=\bapi\/attachments\/|\battachmentId=)[A-Za-z0-9_]+/g;
const VARIABLE = /src="data:image\/[^"]*"|(?<=\bapi\/attachments\/|\battachmentId=)[A-Za-z0-9_]+/g;

/** The text with other ids of attachments. */
export function withIds(text: string, ids: ReadonlyMap<string, string>): string {
  return ids.size === 0 ? text : text.replace(REFERENCE, (id) => ids.get(id) ?? id);
}

/**
 * Present ids by former ones, where two texts are the same but for ids of attachments and images that became some;
 * undefined where they differ in anything else.
 */
export function renamedIds(former: string, present: string): ReadonlyMap<string, string> | undefined {
  const ids = new Map<string, string>();
  let [at, from] = [0, 0];
  for (const { 0: variable, index } of former.matchAll(VARIABLE)) {
    const constant = former.slice(from, index);
    if (!present.startsWith(constant, at)) return undefined;
    at += constant.length;
    const pattern = variable.startsWith('src=')
      ? /src="(?:data:image|api\/attachments)\/[^"]*"/y
      : /[A-Za-z0-9_]+/y;
    pattern.lastIndex = at;
    const [found] = pattern.exec(present) ?? [];
    if (found === undefined) return undefined;
    if (!variable.startsWith('src=')) {
      if ((ids.get(variable) ?? found) !== found) return undefined;
      ids.set(variable, found);
    }
    at += found.length;
    from = index + variable.length;
  }
  return present.slice(at) === former.slice(from) ? ids : undefined;
}
