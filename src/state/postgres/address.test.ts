import { expect, it } from 'vitest';
import { addressProblem, databasePlace, libraryAddress } from './address.ts';

it.each([
  ['postgres://quire:secret@db.example.com:5432/quire', 'db.example.com:5432/quire'],
  ['postgresql://db/quire', 'db/quire'],
  ['postgres://quire@/quire?host=%2Frun%2Fpostgresql', '/run/postgresql/quire'],
  ['postgres://quire:a%2Fb%23@[::1]:5432/quire?sslmode=require', '[::1]:5432/quire'],
  ['postgres://quire:se%cret@db/quire', 'db/quire'],
  ['postgres://quire:s@cret@db/quire', 'db/quire'],
])('%s is an address of %s', (address, place) => {
  expect(addressProblem(address)).toBeUndefined();
  expect(databasePlace(address)).toBe(place);
});

it.each([
  'postgres://quire:se/cret@db/quire',
  'postgres://quire:1/cret@db/quire',
  'postgres://quire:se#cret@db/quire',
  'postgres://quire:1#cret@db/quire',
  'postgres://quire:se?cret@db/quire',
  'postgres://quire:1?cret@db/quire',
  'postgres://quire:cret@db:99999/quire',
  'postgres://quire:cret@one,two/quire',
  'postgres://quire:cret@one:1,two:2/quire',
  'postgres://quire:cret%e0%a4@db/quire',
  'postgres://quire:cret@?host=%2Frun',
])('%s cannot be read, and nothing of it is shown', (address) => {
  expect(addressProblem(address)).toMatch(/%2F %23 %3F %40 %25 for/);
  expect(databasePlace(address)).not.toMatch(/cret|quire/);
});

it('is asked to look at the certificate by the one name that the library does not warn of', () => {
  expect(libraryAddress('postgres://db/q?sslmode=require&x=1')).toBe(
    'postgres://db/q?sslmode=verify-full&x=1',
  );
  for (const kept of ['?sslmode=no-verify', '?sslmode=disable', '?uselibpqcompat=true&sslmode=require'])
    expect(libraryAddress(`postgres://db/q${kept}`)).toBe(`postgres://db/q${kept}`);
});
