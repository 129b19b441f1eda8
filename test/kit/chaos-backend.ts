/** A fake server in a process of its own, from outside: killed, frozen, thawed, and started again where it was. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { onTestFinished } from 'vitest';
import type { Mood, News, Orders } from './chaos-server.ts';
import { temporaryFolder } from './temp.ts';

export interface ChaosBackend {
  readonly url: string;
  /** The number of reads, over all its processes. */
  readonly reads: { all: number; torn: number };
  turn(mood: Mood): Promise<void>;
  freeze(): void;
  thaw(): void;
  /** As `kill -9` does. */
  kill(): Promise<void>;
  /** On the same port, with what the one before had written. */
  restart(): Promise<void>;
  /** The end of the bad day: what stands on the server, by name. */
  finish(): Promise<Readonly<Record<string, string>>>;
}

export type BackendOptions = Pick<Orders, 'seed' | 'notes' | 'contested'>;

/** `server` is beside this file. */
export async function startBackend(server: string, options: BackendOptions): Promise<ChaosBackend> {
  const folder = await temporaryFolder();
  const script = join(folder, 'server.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL(server, import.meta.url))],
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  });
  const reads = { all: 0, torn: 0 };
  let life = 0;
  const launch = async (port: number) => {
    const orders: Orders = { ...options, port, life: life++, stateFile: join(folder, 'state') };
    const child = fork(script, [JSON.stringify(orders)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    child.on('message', (news: News) => {
      if (news.kind !== 'read') return;
      reads.all++;
      if (news.isTorn) reads.torn++;
    });
    const { url } = await heard(child, 'serving');
    return { child, url };
  };
  let { child, url } = await launch(0);
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(kill);
  const port = Number(new URL(url).port);
  return {
    url,
    reads,
    turn: async (mood) => {
      const turned = heard(child, 'mood');
      child.send(mood);
      await turned;
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    kill,
    restart: async () => {
      ({ child } = await launch(port));
    },
    finish: async () => {
      const stored = heard(child, 'stored');
      child.send('over' satisfies Mood);
      return (await stored).texts;
    },
  };
}

type NewsOf<Kind extends News['kind']> = Extract<News, { kind: Kind }>;

function heard<Kind extends News['kind']>(child: ChildProcess, kind: Kind): Promise<NewsOf<Kind>> {
  return new Promise((resolve, reject) => {
    const listen = (news: News) => {
      if (news.kind !== kind) return;
      child.off('message', listen);
      resolve(news as NewsOf<Kind>);
    };
    child.on('message', listen);
    child.once('exit', () => reject(new Error(`the fake server has ended without saying "${kind}"`)));
  });
}
