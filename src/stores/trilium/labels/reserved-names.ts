/**
 * Labels that mean something to Trilium itself: what runs or publishes a note, how it looks, where it is sorted. They
 * are no part of a note's frontmatter: they are neither shown in it nor touched by a write, and no key makes one.
 */
import { storedName } from '../attributes.ts';

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

/** Trilium looks some of them up in any letter case. */
export function isReserved(name: string): boolean {
  return RESERVED.has(name.toLowerCase()) || RESERVED_START.test(name);
}

/** Whether a label can have this name and means nothing to Trilium. */
export function isFreeName(name: string): boolean {
  return name !== '' && storedName(name) === name && !isReserved(name);
}
