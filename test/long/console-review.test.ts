/** The review page in a browser: a proposal is landed hunk by hunk, with and without the script, whatever is in it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chromium, openBrowser, openTab } from '../kit/browser.ts';
import { connectClient, serveConsole } from '../kit/console.ts';
import { describeWith } from '../kit/needs.ts';
import { temporaryFolder } from '../kit/temp.ts';

const TEXT = `---\ntags: [plan]\n---\n# Plan\n\n${Array.from({ length: 40 }, (_, at) => `Line ${at + 1} of the plan.`).join('\n')}\n`;
const PAYLOADS = [
  '<script>window.__xss = 1</script>',
  '<img src=x onerror="window.__xss = 2">',
  '"><svg onload=window.__xss=3>',
  "'-window.__xss=4-'",
  '</textarea><iframe srcdoc="<script>parent.__xss=5</script>">',
  '<style>*{display:none}</style>',
  'javascript:window.__xss=6',
];

describeWith(chromium, 'the review page', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  }, 60_000);
  afterAll(() => browser?.close());

  async function proposing(files: Readonly<Record<string, string>>) {
    const folder = await temporaryFolder(files);
    const server = await serveConsole({ config: { review: 'all', notebooks: { notes: { folder } } } });
    const client = await connectClient(server, { name: 'Assistant', mode: 'legacy' });
    const call = (name: string, args: Record<string, unknown>) =>
      client.callTool({ name, arguments: args }) as Promise<{
        content: { text: string }[];
        _meta?: Record<string, unknown>;
      }>;
    return { server, call, read: (name: string) => readFile(join(folder, name), 'utf8') };
  }

  test.each([true, false])('lands a proposal in parts (script: %s)', async (hasScript) => {
    const { server, call, read } = await proposing({ 'plan.md': TEXT });
    const tab = await openTab(browser, server, { hasScript });
    await tab.signIn();
    await tab.visit('/console/review');
    expect(await tab.text()).toContain('Nothing waits');
    const content = TEXT.replace('Line 5 of', 'Line five of').replace('Line 35 of', 'Line thirty-five of');
    await call('write_note', { path: 'plan.md', content });
    // The page shows it by itself.
    if (hasScript) await tab.page.waitForSelector('a[href*="id=p"]');
    else await tab.visit('/console/review');
    await tab.expectSoundInAllLooks('review');
    await tab.follow('change plan.md');
    await tab.expectSoundInAllLooks('review-proposal');
    const [first] = await tab.page.$$('input[name=part]');
    // By the keyboard alone.
    await first?.focus();
    await tab.page.keyboard.press('Space');
    await tab.page.type('#comment', 'Keep the fifth as it is.');
    await tab.follow('Accept the checked parts');
    expect(await tab.text()).toContain('Accepted.');
    expect(await read('plan.md')).toBe(TEXT.replace('Line 35 of', 'Line thirty-five of'));
    const { content: answer } = await call('read_note', { path: 'plan.md' });
    expect(answer.at(-1)?.text).toContain('Keep the fifth as it is.');
    await tab.visit('/console/review?show=decided');
    await tab.expectSound('review-decided');
  });

  test('a conflict is shown, and rejecting changes nothing', async () => {
    const { server, call, read } = await proposing({ 'plan.md': TEXT, 'old.md': 'old\n' });
    const tab = await openTab(browser, server);
    await tab.signIn();
    await call('patch_note', { path: 'plan.md', oldString: 'Line 5 of', newString: 'Line five of' });
    await call('delete_note', { path: 'old.md', confirmPath: 'old.md' });
    await call('move_note', { oldPath: 'plan.md', newPath: 'archive/plan.md' });
    await tab.visit('/console/review');
    await tab.follow('Reject these 3');
    expect(await tab.text()).toContain('Rejected: 3.');
    expect([await read('plan.md'), await read('old.md')]).toEqual([TEXT, 'old\n']);
    await tab.expectSoundInAllLooks('review-empty');
  });

  test('nothing that an assistant writes runs in the page', async () => {
    const { server, call } = await proposing({ 'a.md': PAYLOADS.join('\n') });
    const tab = await openTab(browser, server);
    await tab.signIn();
    const ids: string[] = [];
    for (const [at, payload] of PAYLOADS.entries()) {
      const path = `${payload.replaceAll('/', '⁄').replace(/[<>:"|?*]/g, '')} ${at}.md`;
      const { _meta } = await call('write_note', { path, content: payload });
      ids.push(String(_meta?.['quire/proposal']));
    }
    const rewritten = PAYLOADS.map((payload) => `${payload} changed`).join('\n');
    const { _meta } = await call('write_note', { path: 'a.md', content: rewritten });
    ids.push(String(_meta?.['quire/proposal']));
    for (const path of ['/console/review', ...ids.map((id) => `/console/review?id=${id}`)]) {
      await tab.visit(path);
      expect(await tab.page.evaluate('window.__xss')).toBeUndefined();
      await tab.expectSound();
    }
  });
});
