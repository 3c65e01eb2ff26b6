/** Invisible characters and those that change the writing direction: text from third parties must look like what it is. */
const UNSEEN = /(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Returns third-party text that is safe to show and to give to models: without invisible characters, at most `max` long. */
export function safeText(value: unknown, max: number): string {
  if (typeof value !== 'string') return '';
  // Cutting first bounds the work; replacing never makes the text longer.
  const text = value
    .slice(0, max * 2)
    .replaceAll(UNSEEN, '')
    .trim();
  return text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;
}

/** As {@link safeText}, on one line: for titles. */
export function safeLine(value: unknown, max: number): string {
  return safeText(typeof value === 'string' ? value.replaceAll(/\s+/g, ' ') : value, max);
}

/** Returns the name when it has no invisible characters and a valid length; undefined otherwise. */
export function safeName(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '' || value.length > MAX_NAME) return undefined;
  return value === value.trim() && value.isWellFormed() && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value)
    ? value
    : undefined;
}

/** Source: MCP 2025-11-25, "Tool Names". */
const MAX_NAME = 128;
