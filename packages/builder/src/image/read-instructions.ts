/** One instruction of a Dockerfile on one line, its flags included. */
export interface Instruction {
  /** Upper case. */
  readonly keyword: string;
  readonly rest: string;
}

/**
 * The instructions of a Dockerfile as an engine joins their lines, for what must be known before it is built. Where engines
 * differ (heredocs, the escape character) a line counts as an instruction: what is asked of these must hold either way.
 */
export function readInstructions(text: string): Instruction[] {
  return text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replaceAll(/[\\`][ \t]*\n(?:[ \t]*\n)*/g, '')
    .split('\n')
    .flatMap((line) => {
      const [, keyword, rest = ''] = /^\s*(?:ONBUILD\s+)*([A-Za-z]+)(?:\s+(.*))?$/i.exec(line) ?? [];
      return keyword === undefined ? [] : [{ keyword: keyword.toUpperCase(), rest: rest.trim() }];
    });
}
