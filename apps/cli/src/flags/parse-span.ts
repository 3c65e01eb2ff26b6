const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Parses a duration such as `45s`, `30m`, `2h`, `1h30m`, `7d` to milliseconds; undefined for any other text. */
export function parseSpanMs(text: string): number | undefined {
  if (!/^(\d+[smhdw])+$/.test(text)) return undefined;
  let totalMs = 0;
  for (const [, count, unit] of text.matchAll(/(\d+)([smhdw])/g)) totalMs += Number(count) * (UNIT_MS[unit ?? ''] ?? 0);
  return totalMs;
}
