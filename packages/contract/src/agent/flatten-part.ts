import type { Part } from './frame.ts';

/**
 * Returns a part as Markdown, for clients without support for components; empty for parts without a text form.
 * Source: docs/contract/agent-api.md §2, `POST /chat/completions`.
 */
export function flattenPart(part: Part): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'code':
      return fence(part.code, part.language ?? '');
    case 'table':
      return table(part.headers, part.rows);
    case 'callout':
      return `${[part.title === undefined ? '' : `**${part.title}**`, part.callout]
        .filter((text) => text !== '')
        .join('\n')
        .split('\n')
        .map((line) => `> ${line}`)
        .join('\n')}\n`;
    case 'image':
      return `![${part.alt ?? part.caption ?? ''}](${part.src})`;
    case 'sources':
      return part.sources.map(({ title, url }) => `- [${title}](${url})`).join('\n');
    default:
      return '';
  }
}

/** Returns a message as Markdown: its parts, separated by blank lines. */
export function flattenParts(parts: readonly Part[]): string {
  return parts
    .map(flattenPart)
    .filter((text) => text !== '')
    .join('\n\n');
}

/** Returns a code block whose fence is longer than any in the code. */
function fence(code: string, language: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}${language}\n${code.replace(/\n$/, '')}\n${ticks}`;
}

function table(headers: readonly string[], rows: readonly (readonly string[])[]): string {
  const width = Math.max(headers.length, ...rows.map((row) => row.length));
  if (width <= 0) return '';
  const line = (cells: readonly string[]) =>
    `| ${Array.from({ length: width }, (_, index) => cell(cells[index] ?? '')).join(' | ')} |`;
  return [line(headers), line(Array.from({ length: width }, () => '---')), ...rows.map(line)].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');
}
