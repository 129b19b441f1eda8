import { describe, expect, it } from 'vitest';
import { paramHeaderProblem } from './param-headers.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    deep: { type: 'object', properties: { count: { type: 'integer', 'x-mcp-header': 'Count' } } },
    list: { type: 'array', items: { type: 'string', 'x-mcp-header': 'Item' } },
    plain: { type: 'string' },
  },
};
const encoded = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`;

describe('arguments that stand in headers too', () => {
  it.each([
    [{ region: 'eu' }, { 'mcp-param-region': 'eu' }],
    [{ region: 'köln' }, { 'mcp-param-region': encoded('köln') }],
    [{ deep: { count: 42 } }, { 'mcp-param-count': '42.0' }],
    [{ region: null }, {}],
    [{}, { 'mcp-param-region': 'ignored' }],
    [{ list: ['a'], plain: 'b' }, {}],
    [undefined, {}],
  ])('are fine: %j %j', (args, headers) => {
    expect(paramHeaderProblem(SCHEMA, args, headers)).toBeUndefined();
  });

  it.each([
    [{ region: 'eu' }, {}, 'is missing'],
    [{ region: 'eu' }, { 'mcp-param-region': 'us' }, 'something else'],
    [{ region: 'eu' }, { 'mcp-param-region': '=?base64?!!?=' }, 'not well encoded'],
    [{ region: 'eu' }, { 'mcp-param-region': '=?base64?/w==?=' }, 'not well encoded'],
    [{ deep: { count: 42 } }, { 'mcp-param-count': '43' }, 'something else'],
  ])('are refused: %j %j', (args, headers, problem) => {
    expect(paramHeaderProblem(SCHEMA, args, headers)).toContain(problem);
  });
});
