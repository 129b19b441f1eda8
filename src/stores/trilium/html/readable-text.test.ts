import { expect, it } from 'vitest';
import { readableText } from './readable-text.ts';

it('has a line for each block and one for each row of a table', () => {
  const html =
    '<h2>Trip</h2><p>To <strong>Rome</strong>,\n by <em>train</em>.<br>Soon.</p><ul><li>a<ul><li>b</li></ul></li></ul>' +
    '<figure class="table"><table><thead><tr><th>x</th><th>y</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table></figure>';
  expect(readableText(html)).toBe('Trip\nTo Rome, by train.\nSoon.\na\nb\nx  y\n1  2');
});

it('reads entities, code as it stands, and pictures by their description', () => {
  const html =
    '<p>a &amp; b&nbsp;c</p><pre><code class="language-text-plain">if (a &lt; b)\n  go</code></pre><p><img src="x.png" alt="A map"></p>';
  expect(readableText(html)).toBe('a & b\u00a0c\nif (a < b)\ngo\nA map');
});

it('leaves out what is not shown', () => {
  expect(readableText('<p>a<script>alert(1)</script><!-- c --></p><style>p{}</style>')).toBe('a');
});
