/** How many tools each surface offers. Their names and order are pinned by `test/toolsnaps.test.ts`. */
import { isOnlyForViews } from '../../src/mcp/tool-list.ts';
import { brainSurface } from '../../src/surfaces/brain/surface.ts';
import { historySurface } from '../../src/surfaces/history/surface.ts';
import { notebookSurface } from '../../src/surfaces/notebook/surface.ts';
import { furtherPagesSurface, pagesSurface } from '../../src/surfaces/pages/surface.ts';
import { triliumSurface, triliumSurfaceWith } from '../../src/surfaces/trilium/surface.ts';
import { vaultSurface } from '../../src/surfaces/vault/surface.ts';

export const TOOL_COUNT = {
  notebook: notebookSurface.tools.length,
  notebookReading: notebookSurface.tools.filter(({ effect }) => effect === 'read').length,
  vault: vaultSurface.tools.length,
  pages: pagesSurface.tools.length,
  pagesExtended: pagesSurface.tools.length + furtherPagesSurface.tools.length,
  trilium: triliumSurface.tools.length,
  triliumReading: triliumSurfaceWith({ readOnly: true }).tools.filter(({ effect }) => effect === 'read')
    .length,
  triliumWithoutDelete: triliumSurface.tools.filter(({ deletes }) => !deletes).length,
  brain: brainSurface.tools.length,
  history: historySurface.tools.filter((tool) => !isOnlyForViews(tool)).length,
  historyReading: historySurface.tools.filter(({ effect }) => effect === 'read').length,
} as const;
