// Markdown tables of rivals side by side, each number with its ratio to Quire's.

/** `rows` are [label, (name) => number, text, { value, remark } or nothing]. Rows without any value are left out. */
export function ratioTable(title, names, rows) {
  const lines = rows
    .map(([label, pick]) => [label, names.map(pick), numberOf(pick('quire'))])
    .filter(([, values]) => values.some((value) => value !== undefined))
    .map(([label, values, base]) => [label, ...values.map((value) => cell(value, base))]);
  return markdownTable([title, ...names], lines);
}

export function markdownTable(head, lines) {
  const row = (cells) => `| ${cells.join(' | ')} |`;
  return [row(head), row(head.map(() => '---')), ...lines.map(row)].join('\n');
}

function cell(value, base) {
  if (value === undefined) return '–';
  if (typeof value === 'string') return value;
  if (typeof value === 'object') return `${cell(value.value, base)}, ${value.remark}`;
  const number = value.toFixed(value < 10 ? 2 : 0);
  return typeof base === 'number' ? `${number} (${(value / base).toFixed(2)}x)` : number;
}

function numberOf(value) {
  return typeof value === 'object' ? value.value : value;
}
