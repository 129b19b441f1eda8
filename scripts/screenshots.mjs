// Pictures of the console for docs/images, from a server on the sample notes: npm run screenshots
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { launch } from 'puppeteer-core';

const here = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const START_MS = 20_000;

const edit = (path, oldString, newString) => ['patch_note', { path, oldString, newString }];

/** Some work of assistants. What is changed in `ideas` waits for review; what the first one deletes, it brings back. */
const WORK = [
  {
    name: 'Weekly tidy-up',
    notebook: 'garden',
    calls: [
      ['move_note', { oldPath: 'Projects/Bookshelf.md', newPath: 'Projects/Done/Bookshelf.md' }],
      ['manage_tags', { path: 'Daily/2026-05-02.md', operation: 'add', tags: ['spring'] }],
      ['delete_note', { path: 'Garden/Plan.md', confirmPath: 'Garden/Plan.md' }],
      ['undo_changes', {}],
    ],
  },
  {
    name: 'Garden assistant',
    notebook: 'garden',
    calls: [
      ['write_note', { path: 'Garden/Beans.md', content: '# Beans\n\nSow when the soil is warm.\n' }],
      edit('Garden/Tomatoes.md', '- [ ] Stake the plants', '- [x] Stake the plants'),
      ['search_notes', { query: 'watering' }],
      [
        'write_note',
        {
          path: 'Garden/Tomatoes.md',
          frontmatter: { title: 'Tomatoes', status: 'resting', planted: '2026-04-18', tags: ['garden'] },
          content:
            '# Tomatoes\n\nFive plants along the south wall. Watering every morning in dry weeks, at the roots, never on the leaves.\n\n- [x] Buy seedlings\n- [x] Stake the plants\n- [x] Mulch with straw\n\nSee the [plan](Plan.md#beds) for where they stand. #garden/summer\n',
        },
      ],
    ],
  },
  {
    name: 'Reading assistant',
    notebook: 'ideas',
    calls: [
      ['write_note', { path: 'Reading list.md', content: '# Reading list\n\n- The Overstory\n' }],
      edit(
        'Index.md',
        '- Reading: [[References/On note taking]]',
        '- Reading: [[Reading list]], [[References/On note taking]]',
      ),
    ],
  },
];

const folder = await mkdtemp(join(tmpdir(), 'quire-screenshots-'));
const images = here('docs/images');
let server;
let browser;
try {
  for (const name of ['garden', 'ideas'])
    await cp(here('examples/notes'), join(folder, name), { recursive: true });
  const notebooks = {
    garden: { folder: join(folder, 'garden') },
    ideas: { folder: join(folder, 'ideas'), review: 'all' },
  };
  const config = { notebooks, serve: { port: 0 }, state: { dir: join(folder, 'state') } };
  await writeFile(join(folder, 'quire.yaml'), JSON.stringify(config));
  const started = await start(join(folder, 'quire.yaml'));
  server = started.child;
  await work(started.origin);
  browser = await launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  await mkdir(images, { recursive: true });
  await takePictures(await browser.newPage(), started);
} finally {
  await browser?.close();
  await stop(server);
  await rm(folder, { recursive: true, force: true });
}

async function start(file) {
  const child = spawn(
    process.execPath,
    [here('dist/quire.cjs'), 'serve', '--config', file, '--log-level', 'error'],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  for (const end = Date.now() + START_MS; Date.now() < end; ) {
    const link = /http\S+\/console\/enter\?key=\S+/.exec(said)?.[0];
    const origin = / at (http\S+)\n/.exec(said)?.[1];
    if (link && origin) return { child, link, origin };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the server did not start: ${said}`);
}

async function stop(child) {
  if (!child) return;
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}

async function work(origin) {
  for (const { name, notebook, calls } of WORK) {
    const client = new Client({ name, version: '1.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`/mcp/${notebook}`, origin)));
    for (const [tool, args] of calls) await callTool(client, tool, args);
    await client.close();
  }
}

async function callTool(client, name, args) {
  const call = (tool, given) => client.callTool({ name: tool, arguments: given });
  const newest = async () =>
    JSON.parse((await call('list_changes', { limit: 1 })).content[0].text).changes[0].id;
  const { isError, content } = await call(name, name === 'undo_changes' ? { id: await newest() } : args);
  if (isError) throw new Error(`${name}: ${content[0].text}`);
}

/** In the browser: pictures show no folder of the machine they were made on. */
function shorten(folder) {
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (nodes.nextNode())
    nodes.currentNode.nodeValue = nodes.currentNode.nodeValue.replaceAll(folder, '/home/alex/notes');
}

/** In the browser: where the page ends, without the empty space below. */
function contentEnd(main) {
  return (
    Math.ceil(
      Math.max(...[...main.querySelectorAll('*')].map((part) => part.getBoundingClientRect().bottom)),
    ) + 24
  );
}

async function takePictures(page, { link, origin }) {
  await page.goto(link);
  await page.waitForSelector('header.top');
  const shoot = async (name, path, { width = 1200, scheme = 'light', height = 800, fit = false } = {}) => {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await page.setViewport({ width, height });
    await page.goto(new URL(path, origin).href);
    await page.evaluate(shorten, folder);
    if (fit) await page.setViewport({ width, height: await page.$eval('main', contentEnd) });
    await page.screenshot({ path: join(images, `console-${name}.png`) });
    process.stdout.write(`docs/images/console-${name}.png\n`);
  };
  const first = (selector) => page.$eval(selector, (link) => link.getAttribute('href'));
  await shoot('start', '/');
  await shoot('notebooks', '/console/notebooks');
  await shoot('usage', '/console/usage');
  await shoot('activity', '/console/activity', { fit: true });
  await shoot('change', await first('a[href^="/console/change"]'));
  await page.goto(new URL('/console/review', origin).href);
  await shoot('proposal', await first('a[href*="id=p"]'));
  await shoot('activity-dark', '/console/activity', { width: 390, height: 844, scheme: 'dark' });
}
