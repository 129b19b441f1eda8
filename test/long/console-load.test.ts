/** A thousand changes a minute while people watch: every one of them is on the page, and the tools stay quick. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/client';
import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { chromium, openBrowser, openTab } from '../kit/browser.ts';
import {
  type ConsolePerson,
  type ConsoleServer,
  connectClient,
  creation,
  seedChanges,
  serveConsole,
  signIn,
} from '../kit/console.ts';
import { eventually } from '../kit/eventually.ts';
import { describeWith } from '../kit/needs.ts';
import { temporaryFolder } from '../kit/temp.ts';

const CHANGES = 400;
/** A thousand a minute. */
const EVERY_MS = 60;
const WATCHERS = 5;
/** Calls with and without watchers take turns, so that other work of the machine falls on both. */
const ROUNDS = 4;
const ALONE = 200;

/** Milliseconds of each call; the calls begin at a steady pace. */
async function write(client: Client, prefix: string, from: number, count: number): Promise<number[]> {
  const times: number[] = [];
  const begun = performance.now();
  for (let at = from; at < from + count; at++) {
    await sleep(Math.max(0, begun + (at - from) * EVERY_MS - performance.now()));
    const started = performance.now();
    const args = { path: `notes/${prefix}-${at}.md`, content: `# ${prefix} ${at}\n\nSome text.\n` };
    const { isError } = await client.callTool({ name: 'write_note', arguments: args });
    expect(isError).not.toBe(true);
    times.push(performance.now() - started);
  }
  return times;
}

/** How long the server took for the calls since a line of its log, as it says itself. */
function answeredSince({ log }: ConsoleServer, line: number): number[] {
  return log()
    .slice(line)
    .flatMap(({ message, route, method, milliseconds }) =>
      message === 'request' && route === '/mcp' && method === 'POST' ? Number(milliseconds) : [],
    );
}

function percentile(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0;
}

/** Follows the events as the script of the page does: each leads to a reload, those during a reload to one more. */
async function watch({ origin }: ConsoleServer, person: ConsolePerson) {
  const load = async () => (await person.get('/console/activity')).text;
  let text = await load();
  const [, live = ''] = /data-live="([^"]*)"/.exec(text) ?? [];
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  const answer = await fetch(new URL(live, origin), {
    headers: { Cookie: person.cookie },
    signal: gone.signal,
  });
  let isLoading = false;
  let isBehind = false;
  const renew = async () => {
    isBehind = true;
    if (isLoading) return;
    isLoading = true;
    while (isBehind) {
      isBehind = false;
      text = await load();
      await sleep(300);
    }
    isLoading = false;
  };
  const read = async () => {
    for await (const chunk of answer.body ?? [])
      if (Buffer.from(chunk).toString().includes('event: change')) void renew();
  };
  read().catch(() => {});
  return { shown: () => text, leave: () => gone.abort() };
}

/** All notes that the pages of the list name, from the newest to the oldest. */
async function everyNote(person: ConsolePerson): Promise<Set<string>> {
  const notes = new Set<string>();
  for (let path = '/console/activity'; path !== ''; ) {
    const { text } = await person.get(path);
    for (const [, note = ''] of text.matchAll(/<a class="what"[^>]*>Created <b>([^<]*)<\/b>/g))
      notes.add(note);
    path = /rel="next" href="([^"]*)"/.exec(text)?.[1]?.replaceAll('&#38;', '&') ?? '';
  }
  return notes;
}

test('ten thousand changes are paged without a long wait', async () => {
  const folder = await temporaryFolder();
  const dir = join(await temporaryFolder(), 'state');
  const server = await serveConsole({
    config: { notebooks: { mine: { folder } }, state: { dir }, serve: { port: 0, requestsPerMinute: 0 } },
  });
  const by = { client: 'Busy 1.0', session: 'one' };
  const created = Array.from({ length: 10_000 }, (_, at) => creation(`notes/seeded-${at}.md`, by));
  await seedChanges(folder, dir, created);
  const person = await signIn(server);
  const started = performance.now();
  expect((await everyNote(person)).size).toBe(10_000);
  const perPage = (performance.now() - started) / 200;
  process.stdout.write(`a page of ten thousand changes: ${perPage.toFixed(0)} ms\n`);
  expect(perPage).toBeLessThan(1_000);
});

describeWith(chromium, 'Activity under load', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  test('shows each of hundreds of changes, a thousand a minute, to five people and a browser', async () => {
    const folder = await temporaryFolder();
    const config = {
      notebooks: { mine: { folder } },
      serve: { port: 0, requestsPerMinute: 0, callsPerMinute: 0 },
    };
    const server = await serveConsole({ config });
    const client = await connectClient(server, { name: 'Busy' });
    const people = await Promise.all(Array.from({ length: WATCHERS }, () => signIn(server)));
    const tab = await openTab(browser, server);
    await tab.signIn();
    await write(client, 'warm-up', 0, 100);
    const [alone, watched]: [number[], number[]] = [[], []];
    const byServer: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      await tab.visit('/');
      let line = server.log().length;
      alone.push(...(await write(client, 'alone', alone.length, ALONE / ROUNDS)));
      byServer[0].push(...answeredSince(server, line));
      await tab.visit('/console/activity');
      const watching = await Promise.all(people.map((person) => watch(server, person)));
      line = server.log().length;
      watched.push(...(await write(client, 'watched', watched.length, CHANGES / ROUNDS)));
      byServer[1].push(...answeredSince(server, line));
      const last = `notes/watched-${watched.length - 1}.md`;
      for (const { shown } of watching) await eventually(() => expect(shown()).toContain(last));
      await eventually(async () => expect(await tab.text()).toContain(last));
      for (const { leave } of watching) leave();
    }
    const notes = await everyNote(people[0]!);
    const missing = Array.from({ length: CHANGES }, (_, at) => `notes/watched-${at}.md`).filter(
      (note) => !notes.has(note),
    );
    expect(missing).toEqual([]);
    expect(tab.problems).toEqual([]);

    const figures = [alone, watched, ...byServer].map((times) =>
      [0.5, 0.95].map((share) => percentile(times, share).toFixed(1)),
    );
    process.stdout.write(
      `write_note p50/p95 in ms: alone ${figures[0]?.join('/')}, watched ${figures[1]?.join('/')}; by the server itself ${figures[2]?.join('/')} and ${figures[3]?.join('/')}\n`,
    );
    expect(percentile(watched, 0.95)).toBeLessThan(3 * percentile(alone, 0.95) + 100);
  });
});
