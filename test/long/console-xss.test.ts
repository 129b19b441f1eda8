/** Notes, paths, apps and tools with hostile names: nothing of them runs or becomes markup, judged in the browser. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chromium, openBrowser, openTab, type Tab } from '../kit/browser.ts';
import { seedChanges, serveConsole } from '../kit/console.ts';
import { eventually } from '../kit/eventually.ts';
import { describeWith } from '../kit/needs.ts';
import { PAYLOADS } from '../kit/payloads.ts';
import { temporaryFolder } from '../kit/temp.ts';

/** Elements that no page of the console has. */
const FOREIGN =
  'script:not([src^="/console/"]), img, svg[onload], iframe, base, math, style, meta[http-equiv], [onerror], [onfocus], [ontoggle], [href^="javascript:"], form[action*="evil"], link[href*="evil"]';

/** No path has this character. */
const PATHS = PAYLOADS.map((payload) => payload.replaceAll('\u0000', ''));

async function expectHarmless({ page, problems }: Tab): Promise<void> {
  const ran = await page.evaluate('window.__xss');
  const foreign = await page.$$eval(FOREIGN, (found) => found.map(({ outerHTML }) => outerHTML));
  expect({ ran, foreign, problems }, page.url()).toEqual({ ran: undefined, foreign: [], problems: [] });
}

describeWith(chromium, 'hostile names and texts in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  test('are shown as text on Activity, in differences and when undoing', async () => {
    const folder = await temporaryFolder();
    const dir = join(await temporaryFolder(), 'state');
    const server = await serveConsole({ config: { notebooks: { mine: { folder } }, state: { dir } } });
    const edits = PATHS.map((payload, at) => ({
      kind: 'write' as const,
      path: `${payload}x.md`,
      title: at % 3 === 0 ? payload : undefined,
      before: `---\n${JSON.stringify(payload)}: ${JSON.stringify(payload)}\n---\nsame\n${payload} old\n`,
      after: `---\n${JSON.stringify(payload)}: other\n---\nsame\n${payload} new\n`,
    }));
    for (const { path, after } of edits) {
      const file = join(folder, path);
      await mkdir(join(file, '..'), { recursive: true });
      await writeFile(file, after);
    }
    const moves = PATHS.map((payload) => ({
      by: { client: payload, principal: payload, session: payload },
      tool: payload,
      edits: [
        {
          kind: 'move' as const,
          path: `${payload}x.md`,
          to: `to/${payload}x.md`,
          before: payload,
          after: payload,
        },
      ],
    }));
    await seedChanges(folder, dir, [{ by: { client: 'Many' }, edits }, ...moves]);

    const tab = await openTab(browser, server);
    await tab.signIn();
    await tab.visit('/console/activity');
    expect(await tab.page.$$('a.what')).toHaveLength(PATHS.length + 1);
    expect(await tab.text()).toContain('<script>window.__xss=1</script>');
    await expectHarmless(tab);
    const links = await tab.page.$$eval('a.what', (all) =>
      all.map((link) => link.getAttribute('href') ?? ''),
    );
    for (const link of [links.at(-1) ?? '', ...links.slice(0, 3)]) {
      await tab.visit(link);
      await expectHarmless(tab);
    }
    await tab.visit((links.at(-1) ?? '').replace('/change', '/undo'));
    expect(await tab.text()).toContain('restored');
    await expectHarmless(tab);

    for (const payload of PAYLOADS.slice(0, 8)) {
      const value = encodeURIComponent(payload);
      await tab.visit(`/console/activity?app=${value}&tool=${value}&path=${value}`);
      await expectHarmless(tab);
      await tab.visit(`/console/activity?before=${value}`, 400);
      await expectHarmless(tab);
      await tab.visit(`/console/change?notebook=${value}&id=${value}`, 404);
      await expectHarmless(tab);
    }

    // What comes later is put into the open page by its script.
    await tab.visit('/console/activity');
    await seedChanges(folder, dir, [{ by: { client: 'Later' }, edits: edits.slice(0, 3) }, ...moves]);
    await eventually(async () => expect(await tab.text()).toContain('Later'));
    await expectHarmless(tab);
  });
});
