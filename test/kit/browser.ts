/** The console in Chromium: any error of a page, violation of its policy or serious finding of axe fails the test. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import { type Browser, launch, type Page } from 'puppeteer-core';
import { expect, onTestFinished } from 'vitest';
import { type ConsoleServer, PASSWORD } from './console.ts';
import { type Need, needOf } from './needs.ts';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);

/** For `describeWith`. */
export const chromium: Need = needOf('chromium', 'apt-get install chromium', CHROMIUM !== undefined);

/** To be closed in `afterAll`. */
export function openBrowser(): Promise<Browser> {
  return launch({
    executablePath: CHROMIUM ?? '',
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--no-first-run'],
  });
}

export interface Look {
  readonly scheme?: 'light' | 'dark';
  readonly width?: number;
  /** Whether pages may run their script. */
  readonly hasScript?: boolean;
}

/** The looks in which every page has to be right: each scheme and each width once, because a look takes seconds. */
export const LOOKS: readonly Required<Pick<Look, 'scheme' | 'width'>>[] = [
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 390 },
];

/** A tab of its own browser profile. */
export interface Tab {
  readonly page: Page;
  /** Errors and violations so far; a test that causes one empties it. */
  readonly problems: string[];
  /** Opens a page of the console; `status` is expected. */
  visit(path: string, status?: number): Promise<void>;
  /** Signs in as a person does: by the link of the server, or by the login. */
  signIn(user?: string): Promise<void>;
  /** Clicks what leads to another page: a selector, or the text of a button or link. */
  follow(what: string): Promise<void>;
  /** What a person reads. */
  text(): Promise<string>;
  look(look: Pick<Look, 'scheme' | 'width'>): Promise<void>;
  /** Fails on errors, violations, serious findings of axe, a page that scrolls sideways. `name` for a screenshot. */
  expectSound(name?: string): Promise<void>;
  /** The same in the light and wide, and in the dark on a phone. */
  expectSoundInAllLooks(name?: string): Promise<void>;
}

export async function openTab(browser: Browser, server: ConsoleServer, look: Look = {}): Promise<Tab> {
  const { hasScript = true } = look;
  const context = await browser.createBrowserContext();
  onTestFinished(() => context.close().catch(() => {}));
  const page = await context.newPage();
  const problems: string[] = [];
  await watchProblems(page, problems);
  await page.setJavaScriptEnabled(hasScript);
  const tab: Tab = {
    page,
    problems,
    async visit(path, status = 200) {
      const answer = await page.goto(new URL(path, server.origin).href, { waitUntil: 'load' });
      expect(answer?.status()).toBe(status);
    },
    async signIn(user) {
      if (user === undefined) {
        await page.goto(await server.link());
        // With a script, the form sends itself.
        if (hasScript) await page.waitForSelector('header.top');
        else await tab.follow('Open');
      } else {
        await page.goto(`${server.origin}/console/enter`);
        await page.type('input[name=username]', user);
        await page.type('input[name=password]', PASSWORD);
        await tab.follow('button[value=login]');
      }
      expect(await page.$('header.top'), await tab.text()).not.toBeNull();
    },
    async follow(what) {
      const isSelector = /[[#.>]/.test(what) && !what.includes(' ');
      const selector = isSelector
        ? what
        : `::-p-xpath(//button[contains(., ${quoted(what)})] | //a[contains(., ${quoted(what)})])`;
      const found = await page.waitForSelector(selector);
      await Promise.all([page.waitForNavigation({ waitUntil: 'load' }), found?.click()]);
    },
    text: () => page.evaluate('document.body.innerText') as Promise<string>,
    async look({ scheme = 'light', width = 1280 }) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      await page.setViewport({ width, height: width < 600 ? 844 : 900, hasTouch: width < 600 });
    },
    async expectSound(name) {
      await snap(page, name);
      // Axe is a script; that of the page has had its chance.
      await page.setJavaScriptEnabled(true);
      const findings = await axeFindings(page);
      await page.setJavaScriptEnabled(hasScript);
      const sideways = await page.$eval('html', (html) => html.scrollWidth - html.clientWidth);
      expect({ problems, findings, sideways: Math.max(0, sideways) }, page.url()).toEqual({
        problems: [],
        findings: [],
        sideways: 0,
      });
    },
    async expectSoundInAllLooks(name) {
      for (const one of LOOKS) {
        await tab.look(one);
        await tab.expectSound(name && `${name}-${one.scheme}-${one.width}`);
      }
      await tab.look(look);
    },
  };
  await tab.look(look);
  return tab;
}

/** For an XPath, which has no escapes. */
function quoted(text: string): string {
  return text.includes("'") ? `"${text}"` : `'${text}'`;
}

async function watchProblems(page: Page, problems: string[]): Promise<void> {
  await page.evaluateOnNewDocument(`document.addEventListener('securitypolicyviolation', (event) => {
    console.error('violates its policy: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample);
  });`);
  page.on('pageerror', (error) => problems.push(`error: ${error}`));
  page.on('console', (message) => {
    const text = message.text();
    if (!['error', 'warn'].includes(message.type()) && !text.includes('Content Security Policy')) return;
    // The status of the page itself is checked by `visit`.
    if (text.startsWith('Failed to load resource') && message.location().url === page.url()) return;
    problems.push(`${message.type()}: ${text} ${message.location().url ?? ''}`);
  });
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
}

/** Evaluated by the debugger, so that the policy of the page does not forbid it. */
async function axeFindings(page: Page): Promise<string[]> {
  // In another look of a page it is still there.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe.source);
  const { violations } = (await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] })',
  )) as AxeResults;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}

/** Screenshots to look at: SCREENSHOTS=folder npx vitest run test/long/console-activity.test.ts */
async function snap(page: Page, name: string | undefined): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder === undefined || name === undefined) return;
  await page.screenshot({ path: join(folder, `${name}.png`) as `${string}.png`, fullPage: true });
}
