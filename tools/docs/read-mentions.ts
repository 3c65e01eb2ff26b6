/** A path of the repository that a text names. */
export interface PathMention {
  /** Relative to the root; may be a pattern such as `docs/openapi*.json`. */
  readonly path: string;
  /** Its section, such as `4` for `docs/contract/agent-api.md §4`. */
  readonly section: string | undefined;
  /** Its anchor, without `#`. */
  readonly anchor: string | undefined;
  readonly line: number;
}

/** A script of `package.json` that a text names. */
export interface ScriptMention {
  readonly script: string;
  readonly line: number;
}

/** The folders of the repository in which named paths are looked for. */
const ROOTS = 'apps|packages|tools|tests|bench|docs|examples|\\.ci';
const PATH = new RegExp(
  `(?<!\\]\\()(?<![\\w./@<>-])((?:${ROOTS})/[\\w@./*{},-]*[\\w*}/])(?:#([\\w-]+))?(?:\`?,? §(\\d+(?:\\.\\d+)*))?`,
  'g',
);
/** Such a word is a path also outside of backticks: `docs/api.md`, not "tools/sandbox". */
const HAS_EXTENSION = /\.[a-z]{2,4}$/;

/**
 * Finds the paths that a text names: in backticks any that begins with a folder of the repository, elsewhere only names of files.
 * A word that goes on with `<` or `…` stands for many and is left out.
 */
export function readPaths(text: string): PathMention[] {
  return text.split('\n').flatMap((line, index) =>
    [...line.matchAll(PATH)].flatMap(({ index: at, 0: whole, 1: path = '', 2: anchor, 3: section }) => {
      const isCode = (line.slice(0, at).split('`').length - 1) % 2 === 1;
      const isOpen = /^[-.]*[<…$]/.test(line.slice(at + whole.length)) || path.includes('...');
      if (isOpen || !(isCode || HAS_EXTENSION.test(path))) return [];
      return [{ path: path.replace(/\/$/, ''), section, anchor, line: index + 1 }];
    }),
  );
}

/** Finds names of TypeScript files in backticks, such as `setting-flags.ts` and `disk/disk-reserve.ts`. */
export function readFileNames(text: string): { readonly name: string; readonly line: number }[] {
  return text.split('\n').flatMap((line, index) =>
    [...line.matchAll(/`((?:[\w@.-]+\/)*[\w.-]+\.tsx?)`/g)]
      .map(([, name = '']) => ({ name, line: index + 1 }))
      // They stand for any file.
      .filter(({ name }) => !/NNNN|^my-/.test(name)),
  );
}

/** Finds names of folders in backticks that end in a slash, such as `segments/`. */
export function readFolderNames(text: string): { readonly name: string; readonly line: number }[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      [...line.matchAll(/`((?:[\w@.-]+\/)+)`/g)].map(([, name = '']) => ({ name: name.slice(0, -1), line: index + 1 })),
    );
}

/** Finds `npm run SCRIPT`. */
export function readScripts(text: string): ScriptMention[] {
  return text.split('\n').flatMap((line, index) =>
    [...line.matchAll(/\bnpm run (?:-s |--silent )?([a-z][\w:-]*)/g)].map(([, script = '']) => ({
      script,
      line: index + 1,
    })),
  );
}

/** The comments of TypeScript text on their own lines, all else blanked. */
export function keepComments(text: string): string {
  const comments = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;
  let kept = '';
  let end = 0;
  for (const match of text.matchAll(comments)) {
    kept += text.slice(end, match.index).replace(/[^\n]/g, ' ') + match[0];
    end = match.index + match[0].length;
  }
  return kept + text.slice(end).replace(/[^\n]/g, ' ');
}
