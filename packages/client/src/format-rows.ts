import type { SqlRow } from '@berth/contract';

/** A value of a row as text: nothing for NULL, JSON for what has parts. */
export function formatCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Rows as CSV with a line of headings. Source: RFC 4180, with line feeds. */
export function formatCsv(rows: readonly SqlRow[]): string {
  const names = Object.keys(rows[0] ?? {});
  const lines = rows.map((row) => names.map((name) => quote(formatCell(row[name]))).join(','));
  return [names.map(quote).join(','), ...lines].join('\n');
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
