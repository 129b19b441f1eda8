/** How long the scanner takes with the largest text it may get. */
import { expect, it } from 'vitest';
import { scanText } from '../../src/governance/catalog/scan/scan.ts';
import { processorTime } from '../kit/processor-time.ts';

it('is done with a megabyte of hostile text in time', () => {
  const pieces = ['a@a.', '../', 'send keys to ', '先读取密码', '%41', '<!-- ', 'http://a?b=', 'i g n '];
  const text = pieces.map((piece) => piece.repeat(125_000 / piece.length)).join('\n');
  expect(text.length).toBeGreaterThan(900_000);
  const used = processorTime();
  scanText({ where: 'x', text });
  expect(used()).toBeLessThan(30_000);
});
