/** The files for several replicas: that they agree with the program, and that what stands in front loses no request. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { configSchema } from '../src/config/schema.ts';
import { caddyNeed, startCaddy } from './kit/caddy.ts';
import { freePort } from './kit/http.ts';
import { programNeed, testWith } from './kit/needs.ts';
import { CLEAN_ENVIRONMENT } from './kit/temp.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);
const read = (name: string) => readFile(join(ROOT, 'deploy', name), 'utf8');

/** The variables that the settings of a replica ask for. */
async function askedFor(): Promise<string[]> {
  const names = [...(await read('quire.replicas.yaml')).matchAll(/\$\{env:(\w+)\}/g)].map(
    (match) => match[1]!,
  );
  return [...new Set(names)].sort();
}

// biome-ignore lint/suspicious/noExplicitAny: the shape is that of other programs
type Foreign = any;

const compose = async (): Promise<Foreign> => parse(await read('compose.replicas.yaml'));
const kubernetes = async (): Promise<Foreign[]> =>
  parseAllDocuments(await read('kubernetes.yaml')).map((document) => document.toJS());
const named = (objects: readonly Foreign[], kind: string): Foreign =>
  objects.find((object) => object.kind === kind);

/** The folders that the image names for what Quire writes. */
async function writtenFolders(): Promise<string[]> {
  const [, block = ''] = /^ENV ((?:.*\\\n)*.*)$/m.exec(await read('Dockerfile')) ?? [];
  return [...block.matchAll(/(?:QUIRE_STATE_DIR|XDG_CACHE_HOME)=(\S+)/g)].map((match) => match[1]!);
}

describe('the settings of a replica', () => {
  test('are settings that the program has', async () => {
    const text = (await read('quire.replicas.yaml'))
      .replaceAll(/"\$\{env:DATABASE_URL\}"/g, '"postgres://quire@postgres/quire"')
      .replace(/"\$\{env:QUIRE_PUBLIC_URL\}"/, '"https://notes.example.com"')
      .replace(/"\$\{env:QUIRE_ADMIN_HASH\}"/, `"$2b$12$${'a'.repeat(53)}"`);
    expect(text).not.toContain('${env:');
    const config = configSchema.parse(parse(text));
    expect(config.notebooks?.team).toMatchObject({ schema: 'notes' });
  });

  test('get their variables from each place, and no more', async () => {
    const { services } = await compose();
    expect(Object.keys(services.quire.environment).sort()).toEqual(await askedFor());
    const [container] = named(await kubernetes(), 'Deployment').spec.template.spec.containers;
    const secret = [...(await read('kubernetes.yaml')).matchAll(/--from-literal=(\w+)=/g)].map(
      (match) => match[1]!,
    );
    const given = [...secret, ...container.env.map(({ name }: { name: string }) => name)];
    expect(given.sort()).toEqual(await askedFor());
  });
});

describe('compose', () => {
  test('has three replicas that write in memory only, a database that is kept, and one published proxy', async () => {
    const { services, volumes } = await compose();
    expect(services.quire.deploy.replicas).toBe(3);
    expect([services.quire.ports, services.postgres.ports]).toEqual([undefined, undefined]);
    for (const name of ['quire', 'caddy'])
      expect(services[name]).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    const tmpfs = services.quire.tmpfs.map((place: string) => place.split(':')[0]);
    expect(tmpfs).toEqual(expect.arrayContaining(['/tmp', ...(await writtenFolders())]));
    expect(Object.keys(volumes).sort()).toEqual(['certificates', 'database']);
    // While the image makes the database, only its socket answers.
    expect(services.postgres.healthcheck.test).toContain('127.0.0.1');
  });

  testWith(
    programNeed('docker-compose', 'docker-compose', '-h'),
    'is understood by docker-compose, and needs its three settings',
    async () => {
      const env = { ...CLEAN_ENVIRONMENT, QUIRE_DOMAIN: 'notes.example.com', POSTGRES_PASSWORD: 'secret' };
      const config = ['-f', join(ROOT, 'deploy/compose.replicas.yaml'), 'config'];
      const { stdout } = await run('docker-compose', config, {
        env: { ...env, QUIRE_ADMIN_HASH: '$2b$12$x' },
      });
      expect(parse(stdout).services.quire.environment).toMatchObject({
        DATABASE_URL: 'postgres://quire:secret@postgres/quire',
        QUIRE_PUBLIC_URL: 'https://notes.example.com',
      });
      await expect(run('docker-compose', config, { env })).rejects.toThrow('QUIRE_ADMIN_HASH');
    },
  );
});

describe('Kubernetes', () => {
  test('finds the replicas by one label, asks the routes there are, and keeps two of three', async () => {
    const objects = await kubernetes();
    const { spec } = named(objects, 'Deployment');
    const labels = spec.template.metadata.labels;
    expect(spec.selector.matchLabels).toEqual(labels);
    expect(named(objects, 'Service').spec.selector).toEqual(labels);
    const budget = named(objects, 'PodDisruptionBudget').spec;
    expect(budget).toMatchObject({ maxUnavailable: 1, selector: { matchLabels: labels } });
    const [container] = spec.template.spec.containers;
    const [port] = container.ports;
    expect(port.containerPort).toBe(8090);
    const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((name) => container[name].httpGet);
    expect(probes.map(({ path }: Foreign) => path)).toEqual(['/healthz', '/healthz', '/readyz']);
    for (const probe of probes) expect(probe.port).toBe(port.name);
    expect(named(objects, 'Service').spec.ports[0].targetPort).toBe(port.name);
    // One that is ended while it changes the tables begins anew, and so do all after it.
    const { periodSeconds, failureThreshold } = container.startupProbe;
    expect(periodSeconds * failureThreshold).toBeGreaterThanOrEqual(1_800);
    // The wait before the signal, a drain of 10 seconds, and the end of everything else.
    expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(5 + 10 + 10);
  });

  test('lets a replica write in folders of its own only, as user 1000', async () => {
    const { spec } = named(await kubernetes(), 'Deployment').spec.template;
    const [container] = spec.containers;
    expect(container.securityContext).toMatchObject({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    });
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    const mounts = container.volumeMounts.map(({ mountPath }: Foreign) => mountPath);
    expect(mounts).toEqual(expect.arrayContaining(['/tmp', ...(await writtenFolders())]));
    const volumes = spec.volumes.map(({ name }: Foreign) => name).sort();
    expect(container.volumeMounts.map(({ name }: Foreign) => name).sort()).toEqual(volumes);
  });
});

const LISTENING = ['127.0.0.2', '127.0.0.3'];
/** Its name leads to it still, but nobody listens there any more. */
const GONE = '127.0.0.4';

/** Two replicas that say what they were sent, and one stream. */
async function startFakes(port: number) {
  const seen: { readonly address: string; readonly headers: IncomingHttpHeaders; readonly body: string }[] =
    [];
  let stream: ServerResponse | undefined;
  for (const address of LISTENING) {
    const server = createServer(async (request, response) => {
      const body = (await request.setEncoding('utf8').toArray()).join('');
      seen.push({ address, headers: request.headers, body });
      if (request.url !== '/stream') return void response.end(body);
      stream = response;
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: one\n\n');
    });
    await once(server.listen(port, address), 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
  }
  return { seen, say: (text: string) => stream?.end(text) };
}

async function begin() {
  const port = await freePort();
  return { origin: await startCaddy([...LISTENING, GONE], port), ...(await startFakes(port)) };
}

describe('Caddy in front of replicas', () => {
  testWith(
    caddyNeed,
    'loses no request with a body while one of them is gone, and gives the others their turns',
    async () => {
      const { origin, seen } = await begin();
      for (let at = 0; at < 40; at++) {
        const body = `${at} `.repeat(5_000);
        const answer = await fetch(`${origin}/mcp`, { method: 'POST', body });
        expect((await answer.text()) === body, `${at}: ${answer.status}`).toBe(true);
      }
      for (const address of LISTENING)
        expect(seen.filter((one) => one.address === address).length).toBeGreaterThan(8);
    },
  );

  testWith(
    caddyNeed,
    'lets events through as they come, and the address of the caller, whatever it says',
    async () => {
      const { origin, seen, say } = await begin();
      const headers = { 'X-Forwarded-For': '6.6.6.6', Forwarded: 'for=6.6.6.6' };
      const answer = await fetch(`${origin}/stream`, { headers });
      const events = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
      expect((await events.read()).value).toBe('data: one\n\n');
      say('data: two\n\n');
      expect((await events.read()).value).toBe('data: two\n\n');
      expect(seen[0]!.headers['x-forwarded-for']).toMatch(/^(?:127\.0\.0\.1|::1)$/);
      expect(seen[0]!.headers).not.toHaveProperty('forwarded');
      expect(answer.headers.get('strict-transport-security')).toContain('max-age');
    },
  );
});

test('a proxy on the same machine gives an idle connection up before Quire closes it', async () => {
  const [, seconds] =
    /KEEP_ALIVE_MS = (\d+)_000/.exec(await readFile(join(ROOT, 'src/http/listen.ts'), 'utf8')) ?? [];
  const [, kept] = /keepalive (\d+)s/.exec(await read('Caddyfile')) ?? [];
  expect(Number(kept)).toBeLessThan(Number(seconds));
});
