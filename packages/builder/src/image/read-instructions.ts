/** One instruction of a Dockerfile on one line, its flags included. */
export interface Instruction {
  /** Upper case; of an ONBUILD, the instruction it holds back. */
  readonly keyword: string;
  readonly rest: string;
}

/** The directive that makes the backtick continue lines, in the place of the backslash. */
const BACKTICK = /^\s*#\s*escape\s*=\s*`/im;

/**
 * The instructions of a Dockerfile as an engine joins their lines, for what must be known before it is built. Where that depends on
 * where a directive stands there are two readings, and what is asked of a Dockerfile must hold in each; lines of heredocs are
 * instructions, since not every engine knows them.
 */
export function readInstructions(text: string): Instruction[][] {
  // What Go's unicode.IsSpace calls space, which engines trim.
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
