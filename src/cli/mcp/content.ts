/** What a server answered, for a terminal: its text as it is but for what steers a terminal, and a line for what is no text. */
import { printable, printableText } from '../../shared/printable.ts';

type Fields = Readonly<Record<string, unknown>>;

export function resultLines(result: Fields): string[] {
  if (result.structuredContent !== undefined)
    return [printableText(JSON.stringify(result.structuredContent, null, 2))];
  if (Array.isArray(result.messages)) return result.messages.flatMap(messageLines);
  return blocksOf(result.content).map(blockText);
}

function messageLines(message: unknown): string[] {
  const { role, content } = fieldsOf(message);
  return [`${printable(String(role), 40)}:`, ...[content].flat().map((block) => blockText(fieldsOf(block)))];
}

function blocksOf(content: unknown): Fields[] {
  return Array.isArray(content) ? content.map(fieldsOf) : [];
}

function blockText(block: Fields): string {
  if (typeof block.text === 'string') return printableText(block.text);
  if (block.type === 'resource') return blockText(fieldsOf(block.resource));
  if (block.type === 'resource_link')
    return printable(`[${String(block.name ?? 'resource')}: ${String(block.uri)}]`, 2_000);
  const data = block.data ?? block.blob;
  const bytes = typeof data === 'string' ? Buffer.from(data, 'base64').length : 0;
  const kind = String(block.mimeType ?? block.type ?? 'unknown');
  return printable(`[${kind}, ${bytes} bytes; --json has it]`, 300);
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
