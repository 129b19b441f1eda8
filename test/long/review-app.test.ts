/** The MCP App in a browser, behind the official package's own bridge: it renders, accepts, rejects and undoes. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, Frame, Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type SandboxKind, startAppHost } from '../kit/app-host/start.ts';
import { chromium, openBrowser } from '../kit/browser.ts';
import { startHttp } from '../kit/http.ts';
import { describeWith } from '../kit/needs.ts';
import { answerJson } from '../kit/server.ts';
import { fileText, putFile, temporaryFolder } from '../kit/temp.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const HOSTILE = '<img src=x onerror="window.top.hacked=1"><script>window.top.hacked=1</script>';
const PLAN = '# Plan\n\none\n\ntwo\n\nthree\n\nfour\n';

describeWith(chromium, 'the view of the MCP App', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  }, 60_000);
  afterAll(() => browser?.close());

  test('a proposal is accepted in part, another one rejected, and the model can do neither', async () => {
    const { chat, text } = await chatOver(browser, 'mine: { folder: notes, review: all }');
    await chat.model('read_note', { path: 'plan.md' });
    const content = PLAN.replace('one', HOSTILE).replace('four', '4');
    const view = await chat.show('write_note', { path: 'plan.md', content });
    await see(view, 'Changes that wait for you');
    await see(view, HOSTILE);
    await snap(chat.page, 'app-proposal');
    expect(await axe(view)).toEqual([]);

    const proposal = answerJson(await chat.model('list_proposals', {})).proposals[0];
    const asModel = await chat.model('decide_proposal', { id: proposal.id, accept: [{ note: 1 }] });
    expect(asModel).toMatchObject({ isError: true });
    expect(await text('plan.md')).toBe(PLAN);

    await view.click('input[type=checkbox]');
    await view.type('textarea', 'only the end');
    await press(view, 'Accept the checked parts');
    await see(view, 'accepted in part by a person in basic host 1: only the end');
    expect(await text('plan.md')).toBe(PLAN.replace('four', '4'));

    const path = `<img src=x onerror='top.hacked=1'>.md`;
    const second = await chat.show('write_note', { path, content: 'new\n' }, 'dark');
    await see(second, `Create ${path}`);
    await snap(chat.page, 'app-proposal-dark');
    expect(await axe(second)).toEqual([]);
    await press(second, 'Reject');
    await see(second, 'rejected by a person in basic host 1');
    await expect(text(path)).rejects.toThrow();
    expect(await second.evaluate('[typeof window.hacked, document.images.length]')).toEqual(['undefined', 0]);
    expect(await chat.page.evaluate('window.hacked')).toBeUndefined();

    const { content: same } = answerJson(await chat.model('read_note', { path: 'plan.md' }));
    await see(await chat.show('write_note', { path: 'plan.md', content: same }), 'Nothing waits for you');
    expect(chat.problems()).toEqual([]);
  }, 120_000);

  test('a conflict is shown, and the buttons work again; also among several notebooks', async () => {
    const notebooks = 'mine: { folder: notes, review: all }, other: { folder: others }';
    const { chat, text, put } = await chatOver(browser, notebooks, 'written');
    await chat.model('mine_read_note', { path: 'plan.md' });
    const args = { path: 'plan.md', oldString: 'two', newString: '2' };
    const view = await chat.show('mine_patch_note', args);
    await see(view, 'Change plan.md');
    await put('plan.md', PLAN.replace('two', 'zwei'));
    await press(view, 'Accept');
    await see(view, 'accepted\nNothing was changed. plan.md: It was changed since, in the same lines.');
    await put('plan.md', PLAN.replace('four', 'vier'));
    // As on a page that the host kept from before a restart of the server.
    await view.evaluate("pageKey = 'an old one'");
    await press(view, 'Accept');
    await see(view, 'accepted by a person in basic host 1');
    expect(await text('plan.md')).toBe(PLAN.replace('four', 'vier').replace('two', '2'));
    expect(chat.problems()).toEqual([]);
  }, 120_000);

  test('changes are listed with their lines, and undone after a look at what that does', async () => {
    const { chat, text } = await chatOver(browser, 'mine: { folder: notes }');
    await chat.model('patch_note', { path: 'plan.md', oldString: 'two', newString: HOSTILE });
    const view = await chat.show('list_changes', {});
    await see(view, 'Changes of notes');
    await press(view, 'Show the lines');
    await see(view, HOSTILE);
    await snap(chat.page, 'app-changes');
    await press(view, 'Undo');
    await see(view, 'Would undo 1 change');
    expect(await text('plan.md')).toBe(PLAN.replace('two', HOSTILE));
    await press(view, 'Undo now');
    await see(view, 'Successfully undid 1 change');
    expect(await text('plan.md')).toBe(PLAN);
    expect(await axe(view)).toEqual([]);
    expect(chat.problems()).toEqual([]);
  }, 120_000);
});

async function chatOver(browser: Browser, notebooks: string, kind: SandboxKind = 'opaque') {
  const base = await temporaryFolder();
  const notes = join(base, 'notes');
  await putFile(notes, 'plan.md', PLAN);
  await putFile(base, 'others/x.md', 'x\n');
  const host = await startAppHost(kind);
  await putFile(
    base,
    'quire.yaml',
    `notebooks: { ${notebooks} }\nserve: { port: 0, allowedOrigins: ["${host.origin}"] }\n`,
  );
  const server = await startHttp(['serve', '--config', join(base, 'quire.yaml')]);
  const page = await browser.newPage();
  onTestFinished(() => page.close());
  await page.setViewport({ width: 900, height: 900 });
  const problems: string[] = [];
  page.on('pageerror', (error) => void problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  await page.goto(host.origin);
  await page.evaluate(`connect(${JSON.stringify(`${server.origin}/mcp`)})`);
  const show = async (name: string, args: object, theme = 'light') => {
    await page.evaluate(`show(...${JSON.stringify([name, args, { sandbox: host.sandbox, theme }])})`);
    // The innermost: the view, in the sandbox, in the host.
    return page.frames().at(-1)!;
  };
  const model = (name: string, args: object) =>
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many shapes
    page.evaluate(`callAsModel(...${JSON.stringify([name, args])})`) as Promise<any>;
  return {
    chat: { page, show, model, problems: () => problems },
    text: (path: string) => fileText(notes, path),
    put: (path: string, content: string) => putFile(notes, path, content),
  };
}

function see(view: Frame, text: string): Promise<void> {
  return vi.waitFor(async () => expect(await view.evaluate('document.body.innerText')).toContain(text), {
    timeout: 15_000,
    interval: 50,
  });
}

async function press(view: Frame, label: string): Promise<void> {
  const button = await view.waitForSelector(`::-p-xpath(//button[text()='${label}'])`, { timeout: 10_000 });
  await button?.click();
}

/** What axe finds that is serious. */
async function axe(view: Frame): Promise<unknown> {
  await view.evaluate(AXE);
  return view.evaluate(
    "axe.run().then(({ violations }) => violations.filter(({ impact }) => ['serious', 'critical'].includes(impact)).map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))",
  );
}

async function snap(page: Page, name: string): Promise<void> {
  const folder = process.env.QUIRE_SCREENSHOTS;
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`) });
}
