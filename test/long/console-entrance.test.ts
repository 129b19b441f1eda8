/** Getting into the console, in a browser. */
import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chromium, openBrowser, openTab } from '../kit/browser.ts';
import { serveConsole, signIn } from '../kit/console.ts';
import { eventually } from '../kit/eventually.ts';
import { describeWith } from '../kit/needs.ts';
import { temporaryFolder } from '../kit/temp.ts';

describeWith(chromium, 'the console in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  test('opens with the link of the server, with and without a script', async () => {
    const folder = await temporaryFolder({ 'a.md': 'alpha' });
    const server = await serveConsole({ config: { notebooks: { mine: { folder } } } });
    for (const hasScript of [true, false]) {
      const tab = await openTab(browser, server, { hasScript });
      await tab.signIn();
      expect(await tab.text()).toContain('operator');
      await tab.expectSoundInAllLooks(`start-${hasScript}`);
    }
  });

  test('what a page may not load or run fails the test', async () => {
    const folder = await temporaryFolder();
    const tab = await openTab(browser, await serveConsole({ config: { notebooks: { mine: { folder } } } }));
    await tab.signIn();
    for (const markup of [
      '<img src="https://evil.example/x.png">',
      '<p style="color:red">',
      '<b onclick="x()">',
    ]) {
      tab.problems.length = 0;
      await tab.page.evaluate(`document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(markup)})`);
      await eventually(() => expect(tab.problems.join()).toContain('violates'));
    }
    await tab.page.evaluate(`document.body.insertAdjacentHTML('beforeend', '<input>')`);
    tab.problems.length = 0;
    const failure = await tab.expectSound().catch((error: unknown) => error as { actual: unknown });
    expect(JSON.stringify(failure?.actual)).toContain('label');
  });

  test('opens with a login', async () => {
    const folder = await temporaryFolder({ 'a.md': 'alpha' });
    const server = await serveConsole({
      config: { notebooks: { mine: { folder } } },
      users: ['alex', 'bo'],
      admins: ['alex'],
    });
    const tab = await openTab(browser, server);
    await tab.signIn('bo');
    expect(await tab.text()).toContain('bo');
    await tab.expectSound();
    expect((await (await signIn(server, 'alex')).get('/')).text).toContain('alex');
  });
});
