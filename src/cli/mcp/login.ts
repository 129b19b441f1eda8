/** `quire mcp login <server>` and `logout`: a login needs a terminal, where a person opens the printed page. */
import type { UpstreamServer } from '../../config/control-plane.ts';
import { logIn, logOut } from '../../governance/login/login.ts';
import type { Plane } from '../../governance/plane.ts';
import { AppError } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import { type McpCall, type McpCommand, type McpOutput, plainOutput } from './command.ts';
import { McpFailure } from './exit.ts';
import { withServer } from './plane.ts';

const HTTP_SERVER = { name: 'server', description: 'its name in the configuration; one over HTTP' };

export const login: McpCommand = {
  name: 'login',
  summary: 'log in at a server over HTTP that asks for it (OAuth)',
  arguments: [HTTP_SERVER],
  examples: [['login mail', 'prints the page to visit, and waits for you to come back']],
  run: (call) =>
    withServer(call, async (plane, server) => {
      if (!call.canAsk)
        throw new McpFailure('usage', {
          message: 'A login is for a terminal only',
          hint: 'Run it where you can open the page that it prints.',
        });
      return logInAt(plane, server, call);
    }),
};

export const logout: McpCommand = {
  name: 'logout',
  summary: 'give the tokens of a login back and forget them',
  arguments: [HTTP_SERVER],
  examples: [['logout mail', 'the next call needs a login again']],
  run: (call) =>
    withServer(call, async (plane, server) => {
      const { place, store, send } = plane.loginTarget(server);
      return outputOf(place.name, await logOut(place, store, send));
    }),
};

async function logInAt(
  plane: Pick<Plane, 'config' | 'upstream' | 'loginTarget'>,
  server: UpstreamServer,
  call: McpCall,
): Promise<McpOutput> {
  // Throws for a server that may not be used.
  await plane.upstream(server);
  if (Object.keys(server.headers).some((name) => name.toLowerCase() === 'authorization'))
    throw new AppError('invalid_input', 'This server has an Authorization header in the configuration', {
      subject: server.name,
      hint: 'Take it out of headers to log in instead.',
    });
  const outcome = await logIn({
    ...plane.loginTarget(server),
    waitMs: plane.config.elicitation.waitS * 1000,
    signal: call.signal,
    show: (page) =>
      call.tell(
        [
          `Open this page in a browser on this machine to log in at ${server.name}:`,
          `  host: ${printable(page.host)}`,
          `  page: ${printable(page.href)}`,
          'Waiting for you to come back (Ctrl-C to stop).',
        ].join('\n'),
      ),
  });
  return outputOf(server.name, outcome);
}

const WORDS: Readonly<Record<string, string>> = {
  logged_in: 'logged in',
  not_needed: 'answers without a login',
  revoked: 'logged out; its tokens were given back',
  forgotten: 'logged out; its tokens were forgotten here',
  not_logged_in: 'was not logged in',
};

function outputOf(server: string, outcome: string): McpOutput {
  return plainOutput({ server, outcome }, `${server}: ${WORDS[outcome] ?? outcome}`);
}
