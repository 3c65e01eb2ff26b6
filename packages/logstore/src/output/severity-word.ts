import { SEVERITIES, type Severity } from '@berth/contract';

/** Level names of loggers, besides the names of the severities. */
const ALIASES: Readonly<Record<string, Severity>> = {
  TRACE: 'DEBUG',
  VERBOSE: 'DEBUG',
  SILLY: 'DEBUG',
  FINE: 'DEBUG',
  INFORMATION: 'INFO',
  WARN: 'WARNING',
  ERR: 'ERROR',
  SEVERE: 'ERROR',
  CRIT: 'CRITICAL',
  FATAL: 'CRITICAL',
  PANIC: 'CRITICAL',
  EMERG: 'EMERGENCY',
};

const WORDS: ReadonlyMap<string, Severity> = new Map([
  ...SEVERITIES.map((severity) => [severity, severity] as const),
  ...Object.entries(ALIASES),
]);

/** Levels of pino and bunyan. Source: pino API, "Level mapping". */
const NUMBERS: ReadonlyMap<number, Severity> = new Map([
  [10, 'DEBUG'],
  [20, 'DEBUG'],
  [30, 'INFO'],
  [40, 'WARNING'],
  [50, 'ERROR'],
  [60, 'CRITICAL'],
]);

/** Returns the severity of a word in any case, or of a number in {@link NUMBERS}. */
export function parseSeverity(value: unknown): Severity | undefined {
  if (typeof value === 'number') return NUMBERS.get(value);
  return typeof value === 'string' ? WORDS.get(value.toUpperCase()) : undefined;
}

/** `[error]`, `<info>`, `(warn)`. */
const BRACKETED = /^(?:\[\s*([A-Za-z]+)\s*\]|<([A-Za-z]+)>|\(([A-Za-z]+)\))/;
/** `Error: …`, `warn: …`. */
const WITH_COLON = /^([A-Za-z]+) ?:/;
/** Matches `WARN  …`, `INFO[0000] …`, `ERROR - …`. Capitals only: sentences begin with "Error" and "Info" too. */
const IN_CAPITALS = /^([A-Z]+)(?=[\s|[(]|$)/;

/** Terminal colors at the start of a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is looked for
const COLOUR = /\u001b\[[\d;]*m/g;

/** Maximum characters of a line in which a level word is looked for. */
const BEGINNING_CHARACTERS = 64;

/** Returns the severity of a line's leading level word; undefined without one. */
export function leadingSeverity(line: string): Severity | undefined {
  const beginning = line.slice(0, BEGINNING_CHARACTERS).replaceAll(COLOUR, '').trimStart();
  const match = BRACKETED.exec(beginning) ?? WITH_COLON.exec(beginning) ?? IN_CAPITALS.exec(beginning);
  const word = match?.[1] ?? match?.[2] ?? match?.[3];
  // "Default: 5" is a setting, not a level.
  return word === undefined || word.toUpperCase() === 'DEFAULT' ? undefined : parseSeverity(word);
}
