/**
 * Maps labels to frontmatter fields and back:
 * - `#status=open` is `status: open`; several labels of one name are a list;
 * - `#todo`, a label without a value, is a tag, and so is `#tag=to-do`, for tags that are not valid label names or
 *   are reserved by Trilium (`to-do`, `a/b`, `template`);
 * - a key that is not a valid label name, or is reserved, is kept in `#frontmatter={"a b": 1}`.
 */
import { readListKey } from '../../../notes/frontmatter/lists.ts';
import { normalizeTag } from '../../../notes/tags.ts';
import { AppError } from '../../../shared/errors.ts';
import { isRecord } from '../../../shared/records.ts';
import { storedName } from '../attributes.ts';

/**
 * Frontmatter values as label values, which are text. Words, numbers, `true`, `false` and `null` are written
 * plainly, lists and objects as JSON, and a text that would be read as one of those is quoted as in JSON.
 */

const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]\d+)?$/;

export function readLabelValue(text: string): unknown {
  if (text === 'true') return true;
  if (text === 'false') return false;
  if (text === 'null') return null;
  if (NUMBER.test(text) && String(Number(text)) === text) return Number(text);
  const first = text[0];
  if (first !== '"' && first !== '[' && first !== '{') return text.toWellFormed();
  const value = parsed(text);
  if (typeof value === 'string') return needsQuotes(value) ? value : text;
  return typeof value === 'object' && value !== null ? value : text.toWellFormed();
}

/** Never empty, because a label without a value is a tag. */
export function writeLabelValue(value: unknown): string {
  if (typeof value === 'string') return needsQuotes(value) ? JSON.stringify(value) : value;
  return JSON.stringify(value === undefined ? null : value);
}

function needsQuotes(text: string): boolean {
  return text === '' || readLabelValue(text) !== text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The text only begins like JSON.
    return undefined;
  }
}

/**
 * Labels with a meaning to Trilium: those that run or publish a note, change its looks or its place. They are not
 * part of the frontmatter: neither shown, nor touched by a write, nor created from a key.
 */

const RESERVED = new Set(
  `run runOnInstance runAtHour widget customRequestHandler customResourceProvider titleTemplate
  scriptInLauncherContent executeButton executeDescription executeTitle keyboardShortcut
  appCss appTheme appThemeBase cssClass iconClass iconPack docName docUrl webViewSrc renderNote
  archived sorted sortDirection sortFoldersFirst sortNatural sortLocale top bottom expanded subtreeHidden
  inbox template snippet snippetDescription textSnippet textSnippetDescription clipperInbox sentFromSender
  readOnly autoReadOnlyDisabled disableVersioning versioningLimit disableInclusion excludeFromExport
  calendarRoot datePattern weekPattern monthPattern quarterPattern yearPattern enableWeekNote enableQuarterNote
  dateNote weekNote monthNote quarterNote yearNote newNotesOnTop hidePromotedAttributes hideChildrenOverview
  similarNotesWidgetDisabled fullContentWidth viewType pageSize toc displayRelations hideRelations
  keepCurrentHoisting bookmarkFolder searchHome sqlConsoleHome llmChatHome
  mapRootNoteId mapExcludeRelation mapIncludeRelation excludeFromNoteMap mapType
  searchString ancestorDepth orderBy orderDirection fastSearch includeArchivedNotes
  launcherType builtinWidget command baseSize growthFactor desktopOnly electronOnly serverOnly
  originalFileName clipType aiQuickAction mediaNotesPlayMode displayMode internalBookmark
  tabWidth indentWithTabs wrapLines printLandscape printPageSize printScale printMargins`
    .toLowerCase()
    .split(/\s+/),
);

const RESERVED_START =
  /^(?:_|share|workspace|run|(?:label|relation|child|disabled|calendar|board|map|presentation|slide|geo):)/i;

/** Case-insensitive, because Trilium looks some of them up that way. */
export function isReserved(name: string): boolean {
  return RESERVED.has(name.toLowerCase()) || RESERVED_START.test(name);
}

/** Whether this is a valid label name without a meaning to Trilium. */
function isFreeName(name: string): boolean {
  return name !== '' && storedName(name) === name && !isReserved(name);
}

export interface Label {
  readonly name: string;
  readonly value: string;
}

type Fields = Record<string, unknown>;

const TAGS = 'tags';
const TAG = 'tag';
const CARRIER = 'frontmatter';
/** Each label is a request of its own. */
const MOST_LABELS = 200;
const LONGEST_VALUE = 100_000;

/** The frontmatter that one label stands for. */
type Part =
  | { readonly kind: 'tag'; readonly tag: string }
  | { readonly kind: 'field'; readonly key: string; readonly value: unknown }
  | { readonly kind: 'carried'; readonly fields: Fields };

export function partOf({ name, value }: Label): Part {
  if (value === '') return { kind: 'tag', tag: name };
  if (name === TAG || name === TAGS) return { kind: 'tag', tag: value.toWellFormed() };
  const read = readLabelValue(value);
  return name === CARRIER && isRecord(read)
    ? { kind: 'carried', fields: read }
    : { kind: 'field', key: name, value: read };
}

export function fieldsOf(labels: readonly Label[]): Fields {
  const values = new Map<string, unknown[]>();
  const add = (key: string, value: unknown) => values.set(key, [...(values.get(key) ?? []), value]);
  for (const label of labels) {
    const part = partOf(label);
    if (part.kind === 'tag') add(TAGS, part.tag);
    else if (part.kind === 'field') add(part.key, part.value);
    else for (const [key, value] of Object.entries(part.fields)) add(key, value);
  }
  const entries = [...values].map(([key, list]) => [key, key === TAGS ? tagList(list) : single(list)]);
  return Object.fromEntries(entries);
}

const single = (values: readonly unknown[]): unknown => (values.length === 1 ? values[0] : values);

const tagList = (tags: readonly unknown[]): unknown[] => [...new Set(tags)];

/** Throws for fields that labels cannot hold, before anything is sent. */
export function labelsFor(fields: Fields): Label[] {
  const labels = Object.entries(fields).flatMap(([key, value]) =>
    key === TAGS ? tagLabels(fields) : fieldLabels(key, value),
  );
  if (labels.length > MOST_LABELS)
    throw refused(`It would take ${labels.length} labels of the note`, `At most ${MOST_LABELS} are made.`);
  const long = labels.find(({ value }) => value.length > LONGEST_VALUE);
  if (long)
    throw refused(`${long.name} is too long for a label`, `${LONGEST_VALUE} characters are the limit.`);
  return labels;
}

function fieldLabels(key: string, value: unknown): Label[] {
  if (!isFreeName(key) || key === TAG || key === CARRIER)
    return [{ name: CARRIER, value: JSON.stringify({ [key]: value }) }];
  // A list of one item or none would be read back as the item alone.
  const values = Array.isArray(value) && value.length > 1 ? value : [value];
  return values.map((one) => ({ name: key, value: writeLabelValue(one) }));
}

function tagLabels(fields: Fields): Label[] {
  const given = fields[TAGS];
  const isOdd = (item: unknown) => typeof item === 'object' && item !== null;
  if (Array.isArray(given) ? given.some(isOdd) : isOdd(given))
    throw refused('tags holds more than words', 'Give tags as a list of words.');
  const tags = readListKey(fields, TAGS).map(normalizeTag);
  return [...new Set(tags)].filter((tag) => tag !== '').map(tagLabel);
}

function tagLabel(tag: string): Label {
  const isName = isFreeName(tag) && tag !== TAG && tag !== TAGS && tag !== CARRIER;
  return isName ? { name: tag, value: '' } : { name: TAG, value: tag };
}

function refused(problem: string, hint: string): AppError {
  return new AppError('unsupported', 'This frontmatter cannot be kept as labels', {
    subject: problem,
    hint: `${hint} Nothing was written.`,
  });
}
