/** One instruction of a Dockerfile, with its lines joined and its flags included. */
export interface Instruction {
  /** The keyword in upper case; for ONBUILD, that of the stored instruction. */
  readonly keyword: string;
  readonly rest: string;
}

/** Matches the directive that makes the backtick the escape character. */
const BACKTICK = /^\s*#\s*escape\s*=\s*`/im;

/**
 * Returns the instructions of a Dockerfile as engines join their lines, for checks before the build. If an escape
 * directive makes the result ambiguous, there are two readings, and checks must pass for both. Lines of heredocs count
 * as instructions, since not all engines support heredocs.
 */
export function readInstructions(text: string): Instruction[][] {
  // Engines trim all characters that Go's unicode.IsSpace accepts.
  const spaced = text.replace(/^\ufeff/, '').replaceAll(/[^\S\n]|\u0085/g, ' ');
  const lines = spaced.split('\n').filter((line) => !/^ *#/.test(line));
  const joined = lines.join('\n');
  const readings = [joinLines(joined, /\\ *\n(?: *\n)*/g)];
  if (BACKTICK.test(text)) readings.push(joinLines(joined, /` *\n(?: *\n)*/g));
  return readings;
}

function joinLines(text: string, continued: RegExp): Instruction[] {
  return text
    .replaceAll(continued, '')
    .split('\n')
    .flatMap((line) => {
      const [, keyword, rest = ''] = /^ *(?:ONBUILD +)*([A-Za-z]+)(?: +(.*))?$/is.exec(line) ?? [];
      return keyword === undefined ? [] : [{ keyword: keyword.toUpperCase(), rest: rest.trim() }];
    });
}
