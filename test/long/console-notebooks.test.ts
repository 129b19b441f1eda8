/** The pages about notebooks in a browser. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chromium, openBrowser, openTab } from '../kit/browser.ts';
import { serveConsole, signIn } from '../kit/console.ts';
import { eventually } from '../kit/eventually.ts';
import { describeWith } from '../kit/needs.ts';
import { startSilverBullet } from '../kit/silverbullet/server.ts';
import { temporaryFolder } from '../kit/temp.ts';

const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';

test('a server of notes that is away is shown as such, to admins with the reason', async () => {
  const space = await startSilverBullet({ files: { 'index.md': 'hello' }, bare: true });
  const notebooks = { space: { silverbullet: { url: space.url, token: space.token }, tools: 'pages' } };
  const server = await serveConsole({ config: { notebooks }, users: ['alex', 'sam'], admins: ['alex'] });
  const [alex, sam] = [await signIn(server, 'alex'), await signIn(server, 'sam')];
  await space.close();
  const away = await eventually(async () => {
    const { text } = await alex.get('/console/notebook?name=space');
    expect(text).toContain('no, since');
    return text;
  });
  const reason = /no, since [\s\S]*?<div>([^<]+)</.exec(away)?.[1] ?? '';
  expect(reason).not.toBe('');
  const seen = (await sam.get('/console/notebook?name=space')).text;
  expect(seen).toContain('no, since');
  expect(seen).not.toContain(reason);
  expect((await alex.get('/console/notebooks')).status).toBe(200);
});

describeWith(chromium, 'notebooks in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  for (const hasScript of [true, false])
    test(`a person searches, sees why, and has the index made anew, ${hasScript ? 'with' : 'without'} a script`, async () => {
      const folder = await temporaryFolder({
        'garden/roses.md': `---\ntags: [flower]\n---\n# Roses ${HOSTILE}\n\nHow to prune roses in spring. ${HOSTILE}`,
        'spring.md': '# Spring\n\nRoses and bulbs; prune them.',
        'a <b>bold<b> name.md': 'prune the names',
      });
      const server = await serveConsole({
        config: { notebooks: { personal: { folder } }, brain: { enabled: true, embeddings: 'off' } },
      });
      const tab = await openTab(browser, server, { hasScript });
      await tab.signIn();
      await tab.visit('/console/notebooks');
      await tab.expectSoundInAllLooks(`notebooks-${hasScript}`);
      await tab.follow('personal');
      await tab.page.type('#query', 'prune roses');
      await tab.follow('Search');
      const text = await tab.text();
      expect(text).toContain('has the query as it was written');
      expect(text).toContain('in the title, path, heading, text');
      expect(text).toContain(HOSTILE);
      await tab.expectSoundInAllLooks(`notebook-${hasScript}`);
      await tab.visit('/console/notebook?name=personal&query=%3Cscript%3Ewindow.hacked%3D1%3C%2Fscript%3E');
      expect(await tab.page.evaluate('window.hacked')).toBeUndefined();
      await tab.expectSound();
      await writeFile(join(folder, 'new.md'), 'a brand new zebra');
      await tab.follow('Rebuild the index');
      expect(await tab.text()).toContain('The index is being rebuilt');
      await tab.page.type('#query', 'zebra');
      await tab.follow('Search');
      expect(await tab.text()).toContain('One note fits');
    });
});
