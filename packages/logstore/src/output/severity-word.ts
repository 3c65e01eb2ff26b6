import { SEVERITIES, type Severity } from '@berth/contract';

/** What loggers call their levels, besides the names of the severities themselves. */
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

/** The severity that a word in any case, or a number of {@link NUMBERS}, stands for. */
export function parseSeverity(value: unknown): Severity | undefined {
  if (typeof value === 'number') return NUMBERS.get(value);
  return typeof value === 'string' ? WORDS.get(value.toUpperCase()) : undefined;
}

/** `[error]`, `<info>`, `(warn)`. */
const BRACKETED = /^(?:\[\s*([A-Za-z]+)\s*\]|<([A-Za-z]+)>|\(([A-Za-z]+)\))/;
/** `Error: …`, `warn: …`. */
const WITH_COLON = /^([A-Za-z]+) ?:/;
/** `WARN  …`, `INFO[0000] …`, `ERROR - …`: in capitals only, for sentences begin with "Error" and "Info" too. */
const IN_CAPITALS = /^([A-Z]+)(?=[\s|[(]|$)/;

/** Colours of a terminal at the start of a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is looked for
const COLOUR = /\u001b\[[\d;]*m/g;

/** The longest beginning of a line that a level word is looked for in. */
const BEGINNING_CHARACTERS = 64;

/** The severity of a line's leading level word; undefined when it begins with none. */
export function leadingSeverity(line: string): Severity | undefined {
  const beginning = line.slice(0, BEGINNING_CHARACTERS).replaceAll(COLOUR, '').trimStart();
  const match = BRACKETED.exec(beginning) ?? WITH_COLON.exec(beginning) ?? IN_CAPITALS.exec(beginning);
  const word = match?.[1] ?? match?.[2] ?? match?.[3];
  // "Default: 5" tells a setting, not a level.
  return word === undefined || word.toUpperCase() === 'DEFAULT' ? undefined : parseSeverity(word);
}
