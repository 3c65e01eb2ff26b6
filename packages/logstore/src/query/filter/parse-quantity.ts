const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const DURATION = /^([+-]?(?:\d+\.?\d*|\.\d+))(ns|us|ms|s|m|h|d)?$/;
const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Parses a decimal number; undefined for other texts. */
export function parseNumber(text: string): number | undefined {
  return NUMBER.test(text) ? Number(text) : undefined;
}

/** Parses `1.5s`, `200ms`, or a number of seconds, to milliseconds; undefined for other texts. */
export function parseDurationMs(text: string): number | undefined {
  const match = DURATION.exec(text);
  return match ? Number(match[1]) * (UNIT_MS[match[2] ?? 's'] ?? 0) : undefined;
}
