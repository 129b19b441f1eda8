/** The behaviour that all subcommands of `quire mcp` share. */
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import type { FailureKind } from '../../src/cli/exit-code.ts';
import type { McpCall, McpCommand, McpOutput } from '../../src/cli/mcp/command.ts';
import { McpFailure } from '../../src/cli/mcp/exit.ts';
import { tableOf } from '../../src/cli/table.ts';
import { AppError, type ErrorCode } from '../../src/shared/errors.ts';
import { mcpLine } from '../kit/mcp-line.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { BLOCKED, planeFolder, shop } from './plane-kit.ts';

const said = (data: unknown): McpOutput => ({ data, lines: () => ({ lines: [JSON.stringify(data)] }) });

function command(run: McpCommand['run'], more: Partial<McpCommand> = {}): readonly McpCommand[] {
  return [
    { name: 'try', summary: 'tries', examples: [['try', 'tries it']], config: 'optional', run, ...more },
  ];
}

const withConfig = command(async ({ config }) => said({ path: config?.path, text: config?.text }), {
  config: undefined,
});

describe('the configuration file', () => {
  const seed = {
    'named.yaml': 'n: named',
    'sb-env.yaml': 'n: sb-env',
    'env.yaml': 'n: env',
    'quire.yaml': 'n: quire',
    'sb.config.yaml': 'n: sb',
    '.sb/config.yaml': 'n: dot-sb',
    'home/.config/quire/quire.yaml': 'n: user',
  };
  const without = (...names: string[]) =>
    Object.fromEntries(Object.entries(seed).filter(([name]) => !names.includes(name)));

  test.each([
    ['--config', seed, ['--config', 'named.yaml'], { SB_CONFIG: 'sb-env.yaml' }, 'named'],
    ['SB_CONFIG', seed, [], { SB_CONFIG: 'sb-env.yaml', QUIRE_CONFIG: 'env.yaml' }, 'sb-env'],
    ['QUIRE_CONFIG', seed, [], { QUIRE_CONFIG: 'env.yaml' }, 'env'],
    ['./quire.yaml', seed, [], {}, 'quire'],
    ['./sb.config.yaml', without('quire.yaml'), [], {}, 'sb'],
    ['./.sb/config.yaml', without('quire.yaml', 'sb.config.yaml'), [], {}, 'dot-sb'],
    ["the user's folder", without('quire.yaml', 'sb.config.yaml', '.sb/config.yaml'), [], {}, 'user'],
  ])('%s is the first that is found', async (_, files, flags, environment, wanted) => {
    const workingFolder = await temporaryFolder(files);
    const { stdout, code } = await mcpLine(['try', '--json', ...flags], {
      commands: withConfig,
      workingFolder,
      environment: { HOME: join(workingFolder, 'home'), ...environment },
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).data.text).toBe(`n: ${wanted}`);
  });

  test.each([
    ['is missing where one is named', {}, ['--config', 'no.yaml'], /^quire: config: Cannot read .*no\.yaml/],
    ['is missing where one is needed', {}, [], /^quire: config: No configuration file found\n.*--config/],
    ['is no YAML', { 'quire.yaml': 'a: [1' }, [], /^quire: config: Configuration is not valid YAML/],
    ['is no mapping', { 'quire.yaml': '- a' }, [], /^quire: config: Configuration is not a mapping/],
    ['is a folder', { 'quire.yaml/x': '' }, [], /^quire: config: Cannot read the configuration file/],
    ['is too large', { 'quire.yaml': 'x'.repeat(1_100_000) }, [], /^quire: config: .* too large/],
    [
      'is made of aliases that grow',
      {
        'quire.yaml': `a: &a [x,x,x,x,x,x,x,x,x,x]\n${'bcdefgh'
          .split('')
          .map((name, at) => `${name}: &${name} [${`*${'abcdefgh'[at]},`.repeat(10)}]`)
          .join('\n')}`,
      },
      [],
      /^quire: config: Configuration is not valid YAML/,
    ],
  ])('ends with 3 when it %s', async (_, files, flags, says) => {
    const workingFolder = await temporaryFolder(files as Record<string, string>);
    const { code, stdout, stderr } = await mcpLine(['servers', ...flags], { workingFolder });
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(says);
  });
});

describe('the end', () => {
  const kinds: Record<FailureKind, number> = {
    internal: 1,
    usage: 2,
    config: 3,
    unknown: 4,
    retryable: 10,
    blocked: 11,
    approval_needed: 12,
    tool_error: 13,
    untold: 14,
    cancelled: 130,
  };
  test.each(Object.entries(kinds))('%s is %i', async (kind, wanted) => {
    const failing = command(async () => {
      throw new McpFailure(kind as FailureKind, { message: 'no', hint: 'Do that.' });
    });
    const { code, stdout, stderr } = await mcpLine(['try'], { commands: failing });
    expect({ code, stdout, stderr }).toEqual({ code: wanted, stdout: '', stderr: 'quire: no\nDo that.\n' });
  });

  const codes: Record<ErrorCode, number> = {
    invalid_input: 2,
    already_exists: 2,
    unsupported: 2,
    not_found: 4,
    unauthorized: 11,
    forbidden: 11,
    read_only: 11,
    approval_required: 12,
    conflict: 10,
    rate_limited: 10,
    upstream_failed: 10,
    timeout: 10,
    internal: 1,
  };
  test.each(Object.entries(codes))('an error %s is %i', async (error, wanted) => {
    const failing = command(async () => {
      throw new AppError(error as ErrorCode, 'no');
    });
    expect((await mcpLine(['try'], { commands: failing })).code).toBe(wanted);
  });

  it('is 1 for an unexpected error', async () => {
    const failing = command(async () => {
      throw new TypeError('oops');
    });
    expect(await mcpLine(['try', '--json'], { commands: failing })).toMatchObject({ code: 1, stderr: '' });
  });

  test.each([
    [['try', '--bogus'], /unknown option '--bogus'/],
    [['nothing'], /unknown command 'nothing'/],
    [['try', 'a', 'b'], /too many arguments/],
    [['try', '--timeout', 'soon'], /--timeout must be/],
    [['try', '--timeout', '0'], /--timeout must be/],
    [['try', '--config'], /argument missing/],
  ])('%j is 2, with the next step', async (words, says) => {
    const { code, stdout, stderr } = await mcpLine(words, { commands: command(async () => said(1)) });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^quire: /);
    expect(stderr).toMatch(says);
    expect(stderr.trimEnd().split('\n').length).toBeGreaterThan(1);
  });
});

describe('--json', () => {
  it('prints ok and data, and nothing else on stdout', async () => {
    const noting = command(async ({ note }) => {
      note('something to know');
      return said([1]);
    });
    const { code, stdout, stderr } = await mcpLine(['try', '--json'], { commands: noting });
    expect({ code, answer: JSON.parse(stdout) }).toEqual({ code: 0, answer: { ok: true, data: [1] } });
    expect(stderr).toBe('something to know\n');
    expect((await mcpLine(['--json', '--quiet', 'try'], { commands: noting })).stderr).toBe('');
  });

  it('has an error with a code, words, the next step and the exit code', async () => {
    const failing = command(async () => {
      throw new AppError('not_found', 'No such server', { subject: 'x', hint: 'Look at the list.' });
    });
    const { code, stdout, stderr } = await mcpLine(['try', '--json'], { commands: failing });
    expect({ code, stderr, answer: JSON.parse(stdout) }).toEqual({
      code: 4,
      stderr: '',
      answer: {
        ok: false,
        data: null,
        error: { code: 'not_found', message: 'No such server: x', hint: 'Look at the list.', exit_code: 4 },
      },
    });
  });

  it('has it for mistakes on the command line too', async () => {
    const { code, stdout, stderr } = await mcpLine(['try', '--json', '--bogus'], { commands: withConfig });
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, data: null, error: { code: 'usage' } });
  });

  it('keeps the data of an answer that is no good one', async () => {
    const failing = command(async () => ({
      ...said({ text: 'from the tool' }),
      failure: new McpFailure('tool_error', { message: 'The tool failed' }),
    }));
    const { code, stdout } = await mcpLine(['try', '--json'], { commands: failing });
    expect({ code, answer: JSON.parse(stdout) }).toMatchObject({
      code: 13,
      answer: { ok: false, data: { text: 'from the tool' }, error: { exit_code: 13 } },
    });
  });
});

describe('a command', () => {
  it('is cancelled by Ctrl-C: its signal is aborted, and the exit code is 130', async () => {
    let interrupt = () => {};
    let heard: unknown;
    const waiting = command(
      ({ signal }) =>
        new Promise<McpOutput>((_, reject) => {
          signal.addEventListener('abort', () => {
            heard = signal.reason;
            reject(new Error('stopped'));
          });
          interrupt();
        }),
    );
    const ended = await mcpLine(['try'], {
      commands: waiting,
      onInterrupt: (interrupted) => {
        interrupt = interrupted;
        return () => {};
      },
    });
    expect(ended).toEqual({ code: 130, stdout: '', stderr: 'quire: Cancelled\n' });
    expect(heard).toBeInstanceOf(McpFailure);
  });

  it('that does not listen is left behind at a second Ctrl-C', async () => {
    let interrupt = () => {};
    const deaf = command(() => {
      interrupt();
      interrupt();
      return new Promise<McpOutput>(() => {});
    });
    const onInterrupt = (interrupted: () => void) => {
      interrupt = interrupted;
      return () => {};
    };
    expect((await mcpLine(['try', '--json'], { commands: deaf, onInterrupt })).code).toBe(130);
  });

  it('has the time of --timeout, and gets it as an argument', async () => {
    let given: number | undefined;
    const slow = command(
      ({ signal, timeoutMs }) =>
        new Promise<McpOutput>((_, reject) => {
          given = timeoutMs;
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    );
    const { code, stderr } = await mcpLine(['try', '--timeout', '50'], { commands: slow });
    expect({ code, given }).toEqual({ code: 10, given: 50 });
    expect(stderr).toMatch(/Not done within 50 ms\n.*--timeout/);
  });

  it('can ask only where an operator is present, and never with --json', async () => {
    const asking = command(async ({ canAsk }) => said({ canAsk }));
    const canAsk = async (words: string[], there: boolean) =>
      (await mcpLine(words, { commands: asking, canAsk: there })).stdout.replace(/\s/g, '');
    expect(await canAsk(['try'], true)).toBe('{"canAsk":true}');
    expect(await canAsk(['try'], false)).toBe('{"canAsk":false}');
    expect(await canAsk(['try', '--json'], true)).toContain('"canAsk":false');
  });

  it('shows what it does after a second, on a terminal only, and takes it away again', async () => {
    const slow = command(async ({ progress }: McpCall) => {
      progress('asking the \x1b[2Jserver');
      await new Promise((resolve) => setTimeout(resolve, 1_300));
      return said('done');
    });
    const watched = await mcpLine(['try'], { commands: slow, isWatched: true });
    expect(watched.stderr).toBe('\r\u001b[2K… asking the server\r\u001b[2K');
    expect((await mcpLine(['try'], { commands: slow })).stderr).toBe('');
  });

  it('prints in the width of the terminal, whole without one, in colour only where it is wanted', async () => {
    const wide = command(async () => ({
      data: null,
      lines: (view) => tableOf([{ title: 'A', value: String, priority: 1 }], ['x'.repeat(200)], view),
    }));
    const widthOf = async (options: object, ...flags: string[]) =>
      (await mcpLine(['try', ...flags], { commands: wide, ...options })).stdout.split('\n')[1]?.length;
    expect(await widthOf({})).toBe(200);
    expect(await widthOf({ columns: 40 })).toBe(40);
    expect(await widthOf({ columns: 0 })).toBe(80);
    expect(await widthOf({ columns: 0, environment: { COLUMNS: '60' } })).toBe(60);
    const headOf = async (options: object, ...flags: string[]) =>
      (await mcpLine(['try', ...flags], { commands: wide, ...options })).stdout.includes('\u001b[1m');
    expect(await headOf({ columns: 40 })).toBe(true);
    expect(await headOf({ columns: 40 }, '--no-color')).toBe(false);
    expect(await headOf({ columns: 40, environment: { NO_COLOR: '1' } })).toBe(false);
    expect(await headOf({})).toBe(false);
  });
});

describe('the help', () => {
  const commands = command(async () => said(1), {
    arguments: [{ name: 'server', description: 'which one', optional: true }],
    options: [{ flag: '--limit <n>', description: 'how many', default: '20' }],
    subcommands: [...command(async ({ args }) => said(args), { name: 'show' })],
  });

  test.each([[[]], [['--help']], [['-h']]])('%j names every subcommand, with examples', async (words) => {
    const { code, stdout, stderr } = await mcpLine(words, { commands });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Usage: quire mcp /);
    expect(stdout).toMatch(/Examples:\n {2}quire mcp try {2}tries it/);
    for (const word of ['--config', '--json', '--no-color', '--quiet', '--timeout', '130'])
      expect(stdout).toContain(word);
  });

  it('of a subcommand has its arguments, flags and examples', async () => {
    const { stdout } = await mcpLine(['try', '--help'], { commands });
    for (const word of ['[server]', 'which one', '--limit <n>', '"20"', 'show', 'Examples:', '--timeout'])
      expect(stdout).toContain(word);
  });

  it('speaks of the name it was called by', async () => {
    const { stdout } = await mcpLine(['--help'], { commands, program: 'sb' });
    expect(stdout).toMatch(/^Usage: sb mcp /);
    expect(stdout).not.toMatch(/quire\s/);
  });
});

describe('the width of a table', () => {
  const allWords = (text: string) => text.replace(/\s+/g, ' ');

  it.each([60, 80, 120])(
    'at %i columns of the terminal, or of COLUMNS, every reason can be read',
    async (width) => {
      const { folder } = await planeFolder([BLOCKED, shop()]);
      const at = (columns: number | undefined, ...words: string[]) =>
        mcpLine(['servers', ...words], { workingFolder: folder, columns, environment: {} });
      const piped = await at(undefined);
      const { stdout, stderr } = await at(width);
      const inPipe = await mcpLine(['servers'], {
        workingFolder: folder,
        environment: { COLUMNS: String(width) },
      });
      expect(inPipe.stdout).toBe(stdout.replaceAll(/\u001b\[\d+m/g, ''));
      for (const line of inPipe.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
      expect(stdout).not.toContain('…');
      const reasons = inPipe.stdout.split('\n').map((line) => line.slice(inPipe.stdout.indexOf('Reason')));
      expect(allWords(reasons.join(' '))).toContain('no_reviewed_allowlist');
      if (width < 120) expect(stderr).toContain('--wide and --json show everything');
      expect((await at(width, '--wide')).stdout.replaceAll(/\u001b\[\d+m/g, '')).toBe(piped.stdout);
    },
  );
});
