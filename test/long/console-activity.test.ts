/** Activity in a browser: a change appears, is read, and is undone. */
import type { Client } from '@modelcontextprotocol/client';
import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chromium, openBrowser, openTab } from '../kit/browser.ts';
import { connectApp, connectClient, serveConsole } from '../kit/console.ts';
import { eventually } from '../kit/eventually.ts';
import { describeWith } from '../kit/needs.ts';
import { fileText, putFile, temporaryFolder } from '../kit/temp.ts';

const PLAN = `---
status: open
tags: [garden]
---
# Tomatoes

${Array.from({ length: 30 }, (_, at) => `Line ${at + 1} of the plan.`).join('\n')}

- [ ] Stake the red plants before the rain
`;

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<void> {
  const { isError, content } = await client.callTool({ name, arguments: args });
  expect(isError, JSON.stringify(content)).not.toBe(true);
}

const patch = (client: Client, path: string, oldString: string, newString: string) =>
  call(client, 'patch_note', { path, oldString, newString });

describeWith(chromium, 'Activity in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  test('a change appears by itself, shows its words, and is undone on the disk', async () => {
    const folder = await temporaryFolder({ 'Plan.md': PLAN });
    const server = await serveConsole({ config: { notebooks: { garden: { folder } } } });
    const tab = await openTab(browser, server);
    await tab.signIn();
    await tab.visit('/console/activity');
    expect(await tab.text()).toContain('No change yet');
    await tab.expectSoundInAllLooks('activity-empty');

    const client = await connectClient(server, { name: 'Field notes' });
    await patch(client, 'Plan.md', 'red plants', 'green plants');
    await eventually(async () => expect(await tab.text()).toContain('Changed Plan.md'));
    expect(await tab.text()).toContain('Field notes 1.0');
    await call(client, 'update_frontmatter', { path: 'Plan.md', frontmatter: { status: 'done' } });
    await call(client, 'write_note', { path: 'New.md', content: 'new\n' });
    await call(client, 'move_note', { oldPath: 'New.md', newPath: 'Archive/New.md' });
    await putFile(
      folder,
      'Plan.md',
      (await fileText(folder, 'Plan.md')).replace('Tomatoes', 'Tomatoes by hand'),
    );
    await patch(client, 'Plan.md', 'Line 3 of', 'Line three of');
    await eventually(async () => expect(await tab.text()).toContain('outside Quire'));
    await tab.expectSoundInAllLooks('activity');

    await tab.follow('Moved');
    expect(await tab.text()).toContain('Its text stayed the same');
    await tab.visit('/console/activity?tool=update_frontmatter');
    await tab.follow('Changed Plan.md');
    expect(await tab.text()).toMatch(/status: open → done/);
    await tab.expectSoundInAllLooks('change-properties');

    await tab.visit('/console/activity');
    const links = await tab.page.$$('a.what');
    await Promise.all([tab.page.waitForNavigation(), links.at(-1)?.click()]);
    expect(await tab.page.$$eval('mark', (marks) => marks.map((mark) => mark.textContent))).toEqual([
      'red',
      'green',
    ]);
    const fold = 'details.fold';
    expect(await tab.page.$eval(fold, (details) => details.hasAttribute('open'))).toBe(false);
    await tab.page.click(`${fold} summary`);
    expect(await tab.text()).toContain('Line 7 of the plan');
    await tab.expectSoundInAllLooks('change');

    await tab.follow('Undo this change');
    expect(await fileText(folder, 'Plan.md')).toContain('green plants');
    await tab.expectSoundInAllLooks('undo');
    await tab.follow('button.strong');
    expect(await tab.text()).toContain('Undone: 1 change');
    const text = await fileText(folder, 'Plan.md');
    expect(text).toContain('red plants');
    expect(text).toContain('Tomatoes by hand');
    expect(text).toContain('Line three');
    await tab.visit('/console/activity');
    expect(await tab.text()).toContain('This console');
    expect(await tab.page.$$eval('.undone', (entries) => entries.length)).toBe(1);
    await tab.expectSoundInAllLooks('activity-undone');
  });

  test('a session is undone as a whole, without a script', async () => {
    const folder = await temporaryFolder({ 'a.md': 'alpha\n', 'b.md': 'beta\n' });
    const server = await serveConsole({ config: { notebooks: { mine: { folder } } }, users: ['alex'] });
    const { token } = await connectApp(server, 'alex');
    const client = await connectClient(server, { name: 'Helper', token });
    await patch(client, 'a.md', 'alpha', 'one');
    await patch(client, 'a.md', 'one', 'two');
    await patch(client, 'b.md', 'beta', 'three');
    await call(client, 'move_note', { oldPath: 'b.md', newPath: 'c/b.md' });
    const tab = await openTab(browser, server, { hasScript: false });
    await tab.signIn('alex');
    await tab.follow('Activity');
    expect(await tab.text()).toMatch(/4 changes/);
    await tab.follow('Undo this session');
    expect(await tab.text()).toContain('Undo 4 changes?');
    expect(await tab.text()).toContain('c/b.md → b.md');
    await tab.expectSoundInAllLooks('undo-session');
    await tab.follow('button.strong');
    expect(await fileText(folder, 'a.md')).toBe('alpha\n');
    expect(await fileText(folder, 'b.md')).toBe('beta\n');
    await tab.expectSoundInAllLooks('undone-session');
  });

  test('a note that was changed in the same lines is a conflict, which copies solve', async () => {
    const folder = await temporaryFolder({ 'a.md': 'alpha\n' });
    const server = await serveConsole({ config: { notebooks: { mine: { folder } } } });
    const client = await connectClient(server);
    await patch(client, 'a.md', 'alpha', 'one');
    await putFile(folder, 'a.md', 'by hand\n');
    const tab = await openTab(browser, server);
    await tab.signIn();
    await tab.visit('/console/activity');
    await tab.follow('Changed a.md');
    await tab.follow('Undo this change');
    expect(await tab.text()).toContain('It was changed since, in the same lines');
    await tab.expectSoundInAllLooks('undo-conflict');
    await tab.follow('put the old texts');
    await tab.follow('button.strong');
    expect(await fileText(folder, 'a.md')).toBe('by hand\n');
    expect(await tab.text()).toMatch(/a \(before \w+\)\.md/);
  });

  test('the page keeps the focus where it is while it is renewed', async () => {
    const folder = await temporaryFolder({ 'a.md': 'alpha\n' });
    const server = await serveConsole({ config: { notebooks: { mine: { folder } } } });
    const client = await connectClient(server);
    await patch(client, 'a.md', 'alpha', 'one');
    const tab = await openTab(browser, server);
    await tab.signIn();
    await tab.visit('/console/activity');
    await tab.page.focus('a.what');
    const focused = () => tab.page.evaluate('document.activeElement.getAttribute("href")');
    const before = await focused();
    await patch(client, 'a.md', 'one', 'two');
    await eventually(async () => expect(await tab.page.$$('a.what')).toHaveLength(2));
    expect(await focused()).toBe(before);
    await tab.expectSound();
  });
});
