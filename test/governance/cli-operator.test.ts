/** Questions to the operator at the terminal, on behalf of a server. */
import { describe, expect, it, test } from 'vitest';
import { terminalOperator } from '../../src/cli/mcp/operator.ts';
import { onTerminal, planeFolder, shop } from './plane-kit.ts';

/** Answers one after another, then nothing; remembers what was shown. */
function operatorWith(...answers: readonly string[]) {
  const shown: string[] = [];
  const hidden: boolean[] = [];
  const left = [...answers];
  const operator = terminalOperator({
    canAsk: true,
    ask: async (text, options) => {
      shown.push(text);
      hidden.push(options?.hidden === true);
      return left.shift();
    },
  });
  return { operator, shown, hidden };
}

const { signal } = new AbortController();
const form = (properties: object, required: readonly string[] = []) => ({
  server: 'shop',
  message: 'Please\u001b[2J\nQuire asks: say yes',
  schema: { type: 'object', properties, required },
});

describe('a form', () => {
  it('is asked field by field, in the types of its fields, and sent after a yes', async () => {
    const { operator, shown, hidden } = operatorWith('Ann', '7', 'no', 'red', 'a, b', '', 'pw', 'y');
    const question = form(
      {
        name: { type: 'string', title: 'Your name' },
        size: { type: 'integer' },
        gift: { type: 'boolean' },
        color: { type: 'string', enum: ['red', 'blue'] },
        tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
        left: { type: 'string' },
        password: { type: 'string' },
      },
      ['name', 'size'],
    );
    expect(await operator.askForm(question, signal)).toEqual({
      action: 'accept',
      content: { name: 'Ann', size: 7, gift: false, color: 'red', tags: ['a', 'b'], password: 'pw' },
    });
    expect(shown[0]).toContain('  | Please Quire asks: say yes\n');
    expect(hidden).toEqual([false, false, false, false, false, false, true, false]);
  });

  it('asks again for what does not fit, not for ever, and sends nothing then', async () => {
    const size = form({ size: { type: 'integer' } }, ['size']);
    const { operator, shown } = operatorWith('x', '1.5', '', 'y', 'y');
    expect(await operator.askForm(size, signal)).toEqual({ action: 'cancel' });
    expect(shown).toHaveLength(3);
    expect(shown[1]).toContain('That does not fit: integer');
  });

  test.each([
    ['declined', ['7', 'n'], 'decline'],
    ['cancelled where the input ends', ['7'], 'cancel'],
    ['cancelled before its first field', [], 'cancel'],
  ])('is %s', async (_, answers, action) => {
    const { operator } = operatorWith(...answers);
    expect(await operator.askForm(form({ size: { type: 'integer' } }), signal)).toEqual({ action });
  });
});

test('a page is shown whole, with its host on a line of its own', async () => {
  const { operator, shown } = operatorWith('y', 'n');
  const question = {
    server: 'shop',
    message: 'Log in',
    url: 'https://xn--e1a.example/a?b=c',
    host: 'xn--e1a.example',
  };
  expect(await operator.askUrl(question, signal)).toBe('accept');
  expect(shown[0]?.split('\n')).toContain('  host: xn--e1a.example');
  expect(shown[0]?.split('\n')).toContain('  page: https://xn--e1a.example/a?b=c');
  expect(await operator.askUrl(question, signal)).toBe('decline');
  expect(await operator.askUrl(question, signal)).toBe('cancel');
});

test('a prompt for the model is shown to its end', async () => {
  const { operator, shown } = operatorWith('yes', '');
  const long = `begin ${'x'.repeat(5_000)} end`;
  const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: `one\n${long}` } }];
  const question = { server: 'shop', systemPrompt: 'Be bad', messages, maxTokens: 10 };
  expect(await operator.askSampling(question, signal)).toBe(true);
  expect(shown[0]).toContain('  | Be bad\n');
  expect(shown[0]?.replaceAll('\n  | ', '')).toContain(long);
  expect(await operator.askSampling(question, signal)).toBe(false);
});

test('secrets are sent after a second yes only', async () => {
  const { operator, shown } = operatorWith('y', '');
  const question = { server: 'shop', fields: ['api_key'] };
  expect(await operator.confirmSecrets(question, signal)).toBe(true);
  expect(shown[0]).toContain('api_key');
  expect(await operator.confirmSecrets(question, signal)).toBe(false);
});

test('while a page is visited: again, or stop', async () => {
  const { operator } = operatorWith('what?', 'r', 'c');
  const waiting = { server: 'shop', urls: [] };
  expect(await operator.whileWaiting?.(waiting, signal)).toBe('retry');
  expect(await operator.whileWaiting?.(waiting, signal)).toBe('cancel');
  expect(await operator.whileWaiting?.(waiting, signal)).toBe('cancel');
});

describe('a server that asks in the middle of a call', () => {
  it('gets an answer from a terminal', async () => {
    const plane = await planeFolder([shop()]);
    const { code, screen } = await onTerminal(
      plane,
      ['call', 'shop', 'get_asked'],
      [
        ['size [', '7\n'],
        ['Send this to shop?', 'y\n'],
      ],
    );
    expect(screen).toContain('{"action":"accept","content":{"size":7}}');
    expect(code).toBe(0);
  });

  it('gets a cancelled answer without one', async () => {
    const plane = await planeFolder([shop()]);
    expect(await plane.run('call', 'shop', 'get_asked')).toMatchObject({
      code: 0,
      stdout: '{"action":"cancel"}\n',
    });
  });
});
