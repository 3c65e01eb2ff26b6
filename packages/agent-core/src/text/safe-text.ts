/** What can't be seen, and what turns the order of letters round: what strangers wrote must look like what it is. */
const UNSEEN = /(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** A text of a stranger's as it may be shown and told to models: nothing unseen in it, and no longer than `max`. */
export function safeText(value: unknown, max: number): string {
  if (typeof value !== 'string') return '';
  // Cut first: what is replaced does not grow.
  const text = value
    .slice(0, max * 2)
    .replaceAll(UNSEEN, '')
    .trim();
  return text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;
}

/** A line of it: for titles. */
export function safeLine(value: unknown, max: number): string {
  return safeText(typeof value === 'string' ? value.replaceAll(/\s+/g, ' ') : value, max);
}

/** A name that is what it looks like; undefined for every other. */
export function safeName(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '' || value.length > MAX_NAME) return undefined;
  return value === value.trim() && value.isWellFormed() && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value)
    ? value
    : undefined;
}

/** Source: MCP 2025-11-25, "Tool Names". */
const MAX_NAME = 128;
