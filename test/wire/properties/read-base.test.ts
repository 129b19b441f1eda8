import { expect, test } from 'vitest';
import { withSetsInFolder, withSetsInSpace, withSetsInTrilium } from '../../kit/note-sets.ts';

const BASE = `filters:
  and:
    - file.hasTag("book")
    - not:
        - file.inFolder("archive")
formulas:
  ppu: "(price / pages).toFixed(2)"
  label: 'if(price, price.toFixed(1) + " dollars")'
  secret: 'html("<b>x</b>")'
  late: due < date("2026-06-01")
properties:
  formula.label:
    displayName: Price
views:
  - type: table
    name: Open
    filters:
      or:
        - 'status != "done"'
        - formula.ppu > 5
    order: [file.name, status, formula.label, formula.late]
    sort:
      - property: price
        direction: DESC
    limit: 2
  - type: cards
    name: By status
    groupBy: { property: status, direction: ASC }
    order: [note.status, formula.secret]
    summaries: { price: Average }
  - type: table
    name: Broken
    filters: '/x/.matches(file.name)'
  - type: table
    name: Linked
    filters: { and: ['file.hasLink("hub")', 'author == link("hub")'] }
`;

const SEED = {
  'lists/books.base': BASE,
  'hub.md': 'x\n',
  'one.md':
    '---\ntags: [book]\nstatus: open\nprice: 10\npages: 100\ndue: 2026-05-01\nauthor: "[[hub]]"\n---\n',
  'two.md': '---\ntags: [book/new]\nstatus: done\nprice: 20\npages: 2\n---\n',
  'three.md': '---\ntags: [book]\nstatus: open\nprice: 5\npages: 5\ndue: 2026-07-01\n---\n',
  'four.md': '---\ntags: [book]\nstatus: done\nprice: 1\npages: 2\n---\n',
  'archive/five.md': '---\ntags: [book]\nstatus: open\n---\n',
  'note.md':
    'See\n\n```base\nviews:\n  - name: Here\n    filters: price > 8 && file.folder == this.file.folder\n```\n',
};

test('read_base answers a view: filters, formulas, order, sort and limit', async () => {
  const { call } = await withSetsInFolder(['properties'], SEED);
  const { json } = await call('read_base', { path: 'lists/books.base' });
  expect(json).toEqual({
    path: 'lists/books.base',
    view: 'Open',
    type: 'table',
    views: ['Open', 'By status', 'Broken', 'Linked'],
    total: 2,
    columns: {
      'file.name': 'file.name',
      status: 'status',
      'formula.label': 'Price',
      'formula.late': 'formula.late',
    },
    rows: [
      {
        path: 'one.md',
        'file.name': 'one.md',
        status: 'open',
        'formula.label': '10.0 dollars',
        'formula.late': true,
      },
      {
        path: 'three.md',
        'file.name': 'three.md',
        status: 'open',
        'formula.label': '5.0 dollars',
        'formula.late': false,
      },
    ],
    unsupported: ['formula.secret uses html(), which is not supported'],
  });
});

test('groups come in order; what is not supported is named, and a filter that is not gives no rows', async () => {
  const { call } = await withSetsInFolder(['properties'], SEED);
  const grouped = (await call('read_base', { path: 'lists/books.base', view: 'by status', limit: 3 })).json;
  expect(grouped.rows.map(({ group, path }: Record<string, string>) => [group, path])).toEqual([
    ['done', 'four.md'],
    ['done', 'two.md'],
    ['open', 'one.md'],
  ]);
  expect(grouped.unsupported).toEqual([
    '"summaries" of the view is not supported',
    'formula.secret uses html(), which is not supported',
  ]);
  expect(grouped.problems[0]).toContain(
    'formula.secret uses formula.secret, which is not there or not supported',
  );
  const cursor = grouped.next_cursor;
  expect(
    (await call('read_base', { path: 'lists/books.base', view: 'By status', cursor })).json.rows,
  ).toHaveLength(1);
  const broken = (await call('read_base', { path: 'lists/books.base', view: 'Broken' })).json;
  expect(broken).toMatchObject({ total: 0, rows: [] });
  expect(broken.unsupported[0]).toBe(
    'filters of the view "/x/.matches(file.name)" has a regular expression, which is not supported',
  );
  const linked = (await call('read_base', { path: 'lists/books.base', view: 'Linked' })).json;
  expect(linked.rows).toEqual([{ path: 'one.md', 'file.name': 'one.md' }]);
  const none = await call('read_base', { path: 'lists/books.base', view: 'Other' });
  expect(none.text).toContain('The base has: Open, By status');
});

test('a base in a note, by its name, one that is missing and one that is none', async () => {
  const { call } = await withSetsInFolder(['properties'], { ...SEED, 'bad.base': 'views: [\n' });
  expect((await call('read_base', { path: 'note' })).json).toMatchObject({ view: 'Here', total: 2 });
  for (const path of ['lists/books', 'books.base', 'Books', '![[books.base#Open]]'])
    expect((await call('read_base', { path })).json).toMatchObject({
      path: 'lists/books.base',
      view: 'Open',
    });
  expect((await call('read_base', { path: 'hub.md' })).text).toContain('No base');
  expect((await call('read_base', { path: 'lists/book.base' })).text).toContain(
    'Did you mean lists/books.base?',
  );
  expect((await call('read_base', { path: 'bad.base' })).text).toContain('Invalid base');
});

test('a base in a space; a Trilium keeps none, and the answer says so', async () => {
  const space = await withSetsInSpace(['properties'], SEED);
  expect((await space.call('read_base', { path: 'lists/books.base' })).json.total).toBe(2);
  const { call } = await withSetsInTrilium(
    ['properties'],
    [{ id: 'one1', title: 'One', content: '<pre><code class="language-base">views: []</code></pre>' }],
  );
  expect((await call('read_base', { path: 'One' })).text).toContain('Trilium does not keep bases');
});
