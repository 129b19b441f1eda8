/** Scopes of notebooks: how they are read, cut and described. */
import { describe, expect, it } from 'vitest';
import { missingScope } from '../../src/http/mcp-gate.ts';
import { capScopes, confineScopes, limitScopes, withAccess } from '../../src/oauth/cut-scopes.ts';
import { createResource, narrowScopes, readScopes } from '../../src/oauth/scopes.ts';
import { describeScopes } from '../../src/oauth/served-access.ts';
import { confinesTo, covers, mayOnlyPropose, type Scope, scopesIn } from '../../src/shared/principal.ts';

const words = (text: string) => scopesIn(text.split(' '));
const RESOURCE = createResource('https://a.example', 'https://a.example', {
  endpoints: ['/mcp'],
  notebooks: ['team', 'home'],
});

describe('scopes of notebooks', () => {
  it.each([
    ['notes:read:team', 'notes:read:team'],
    ['notes:read:team notes:read:nowhere', 'notes:read:team'],
    ['notes:write:home notes:read', 'notes:read notes:write:home'],
    ['notes:read:team:x notes:admin notes:read:home', 'notes:read:home'],
    ['offline_access', 'notes:read notes:write'],
  ])('%s is read as %s', (text, expected) => {
    expect(readScopes(text, RESOURCE).scopes.join(' ')).toBe(expected);
  });

  it('of no notebook that is served are none', () => {
    expect(() => readScopes('notes:read:nowhere', RESOURCE)).toThrow('None of these scopes exists');
  });

  it.each([
    ['notes:read', 'notes:read:team', true],
    ['notes:write', 'notes:read:team', true],
    ['notes:read:team', 'notes:read', false],
    ['notes:write:team', 'notes:propose:team', true],
    ['notes:write:team', 'notes:read:home', false],
    ['notes:read notes:write:team', 'notes:write:team', true],
    ['notes:read notes:write:team', 'notes:write:home', false],
  ] as [string, Scope, boolean][])('%s covers %s: %s', (text, needed, expected) => {
    expect(covers(words(text), needed)).toBe(expected);
  });

  it.each([
    [capScopes(words('notes:read:team notes:write:team'), 'propose'), 'notes:read:team notes:propose:team'],
    [capScopes(words('notes:read notes:write:team'), 'read'), 'notes:read'],
    [capScopes(words('notes:read notes:write:team'), 'write'), 'notes:read notes:write:team'],
    [withAccess(words('notes:read:team'), 'write'), 'notes:read:team notes:write:team'],
    [withAccess(words('notes:read notes:write'), 'propose'), 'notes:read notes:propose'],
    [confineScopes(words('notes:read notes:write'), ['home']), 'notes:read:home notes:write:home'],
    [limitScopes(words('notes:read notes:write'), words('notes:read:team')), 'notes:read:team'],
    [limitScopes(words('notes:write:team'), words('notes:read')), 'notes:read:team'],
    [limitScopes(words('notes:read:team'), words('notes:read:home')), ''],
    [narrowScopes('notes:read:team', words('notes:read notes:write'), RESOURCE), 'notes:read:team'],
    [narrowScopes('notes:read:team notes:read:x', words('notes:read'), RESOURCE), 'notes:read:team'],
    [narrowScopes('notes:read:gone', words('notes:read:gone'), RESOURCE), 'notes:read:gone'],
  ])('cut: %j is %s', (scopes, expected) => {
    expect(scopes.join(' ')).toBe(expected);
  });

  it('are never widened', () => {
    expect(() => narrowScopes('notes:read', words('notes:read:team'), RESOURCE)).toThrow(
      'More than was granted',
    );
    expect(() => narrowScopes('notes:read:home', words('notes:read:team'), RESOURCE)).toThrow(
      'More than was granted',
    );
    expect(() => narrowScopes('notes:read:x', words('notes:read'), RESOURCE)).toThrow('None of these scopes');
  });

  it('say which notebooks, and what may only be proposed where', () => {
    expect(confinesTo(words('notes:read:team notes:write:home'))).toEqual(new Set(['team', 'home']));
    expect(confinesTo(words('notes:read notes:write:home'))).toBeUndefined();
    const scopes = words('notes:write:team notes:propose:home');
    expect([mayOnlyPropose({ scopes }, 'team'), mayOnlyPropose({ scopes }, 'home')]).toEqual([false, true]);
    expect(describeScopes(words('notes:read:team notes:write:home'))).toEqual([
      'read and search the notes in “team”',
      'read and search the notes in “home”',
      'create, change, move and delete notes in “home”',
    ]);
    expect(describeScopes(words('notes:read notes:propose:home'))).toEqual([
      'read and search all your notes',
      'read and search the notes in “home”',
      'propose changes to the notes in “home”, which wait until you accept them',
    ]);
  });

  it('open nothing where there are no notebooks', () => {
    const call = { method: 'tools/call', params: { name: 'read' } };
    const tools = { effectOf: () => 'read' as const };
    expect(missingScope({ scopes: ['notes:read:team'] }, call, tools)).toBe('notes:read');
    expect(missingScope({ scopes: ['notes:read:team'] }, { method: 'resources/read' }, tools)).toBe(
      'notes:read',
    );
  });
});
