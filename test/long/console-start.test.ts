/** The start page and the landing page in a browser, wide and on a phone: nothing is cut off, and what is shown can be copied. */
import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chromium, openBrowser, openTab } from '../kit/browser.ts';
import { serveConsole } from '../kit/console.ts';
import { eventually } from '../kit/eventually.ts';
import { describeWith } from '../kit/needs.ts';
import { temporaryFolder } from '../kit/temp.ts';

describeWith(chromium, 'the start page in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  test('shows all of each line, and copies it', async () => {
    const long = `a folder with quite a long name ${'x'.repeat(60)}`;
    const folder = await temporaryFolder({ [`${long}/a.md`]: 'alpha' });
    const notebooks = { mine: { folder: `${folder}/${long}` }, 'another-notebook': { folder } };
    const server = await serveConsole({ config: { notebooks } });
    const tab = await openTab(browser, server);
    await tab.visit('/');
    await tab.expectSoundInAllLooks('landing');
    await tab.signIn();
    const cut = () =>
      tab.page.$$eval(
        'pre, td, th',
        (all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).length,
      );
    for (const width of [1280, 390, 320]) {
      await tab.look({ width });
      expect(await cut(), `${width}`).toBe(0);
    }
    await tab.expectSoundInAllLooks('start');
    await tab.page
      .browserContext()
      .overridePermissions(server.origin, ['clipboard-read', 'clipboard-sanitized-write']);
    await tab.page.bringToFront();
    await tab.page.click('button[data-copy]');
    const label = () => tab.page.$eval('button[data-copy]', (button) => button.textContent);
    await eventually(async () => expect(await label()).toBe('Copied'));
    const copied = (await tab.page.evaluate('navigator.clipboard.readText()')) as string;
    expect(JSON.parse(copied).mcpServers['quire-mine'].args).toContain(`${folder}/${long}`);
  });
});
