/** Serves the host and, at another origin, the frame around views, with the policy that the specification demands. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { onTestFinished } from 'vitest';

const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'none'; frame-src 'none'; object-src 'none'; base-uri 'none'";

/** Views get an opaque origin, or the sandbox's own as in the basic host of the extension's examples. */
export type SandboxKind = 'opaque' | 'written';

const LOADERS: Readonly<Record<SandboxKind, readonly [permissions: string, load: string]>> = {
  opaque: ['allow-scripts', 'inner.srcdoc = data.params.html;'],
  written: [
    'allow-scripts allow-same-origin allow-forms',
    '{ const page = inner.contentDocument; page.open(); page.write(data.params.html); page.close(); }',
  ],
};

const sandboxOf = ([permissions, load]: readonly [
  string,
  string,
]) => `<!doctype html><title>sandbox</title><style>html,body,iframe{margin:0;border:0;width:100%;height:100%}</style><script>
const inner = document.createElement('iframe');
inner.title = 'view';
inner.setAttribute('sandbox', '${permissions}');
document.documentElement.append(document.createElement('body'));
document.body.append(inner);
addEventListener('message', ({ source, data }) => {
  if (source === parent) {
    if (data.method === 'ui/notifications/sandbox-resource-ready') ${load}
    else inner.contentWindow.postMessage(data, '*');
  } else if (source === inner.contentWindow) parent.postMessage(data, '*');
});
parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/sandbox-proxy-ready', params: {} }, '*');
</script>`;

export async function startAppHost(
  kind: SandboxKind,
): Promise<{ readonly origin: string; readonly sandbox: string }> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('host.js', import.meta.url))],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    logLevel: 'silent',
  });
  const script = outputFiles[0]?.text ?? '';
  const origin = await serve({
    '/': ['text/html', '<!doctype html><title>host</title><body></body><script src="/host.js"></script>'],
    '/host.js': ['text/javascript', script],
  });
  const other = await serve(
    { '/sandbox': ['text/html', sandboxOf(LOADERS[kind])] },
    { 'Content-Security-Policy': POLICY },
  );
  return { origin, sandbox: `${other}/sandbox` };
}

async function serve(
  files: Readonly<Record<string, readonly [string, string]>>,
  headers = {},
): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const [type, body] = files[url] ?? ['text/plain', ''];
    response.writeHead(files[url] ? 200 : 204, { 'Content-Type': `${type}; charset=utf-8`, ...headers });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
