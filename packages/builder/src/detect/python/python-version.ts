import { createError } from '@berth/contract';
import type { Programs } from '../../plan/programs.ts';
import type { ProjectFiles } from '../../plan/project-files.ts';
import { expandRange, isInRange, parseRange, type VersionWish } from '../../plan/version-range.ts';

/** Minor versions of Python 3 that a machine may have beside its `python3`, best first. */
const MINORS = Array.from({ length: 14 }, (_, index) => 20 - index);

/** What pyproject.toml and Pipfile say of the interpreter. */
export interface DeclaredPython {
  readonly text: string;
  /** e.g. `"requires-python" of pyproject.toml`. */
  readonly source: string;
}

/** Which Python a project runs on. */
export interface PythonChoice {
  /** The name of an installed one; null: uv has to find one. */
  readonly program: string | null;
  /** What to ask uv for then. */
  readonly request: string;
  /** What to say when uv has none. */
  readonly missing: string;
  readonly notices: readonly string[];
}

/**
 * The `python3` of this machine where it is what the project asks for, else another one that is installed, else one by uv. A patch that
 * is pinned is met by another one of the same minor version, which is said: they differ in faults that were mended.
 * @throws BerthError `build_failed` when a file asks for something that is no version.
 */
export async function choosePython(
  files: ProjectFiles,
  programs: Programs,
  declared: DeclaredPython | undefined,
): Promise<PythonChoice> {
  const own = { program: 'python3', request: '', missing: '', notices: [] };
  const wish = await readWish(files, declared);
  if (wish === undefined) return own;
  const { text, source } = wish;
  const installed = await programs.versionOf('python3');
  if (installed === undefined && (await programs.has('python3'))) {
    return { ...own, notices: [`${source} asks for Python ${text}; the one that is here is used.`] };
  }
  // 3.12.4 as 3.12.x: the first two numbers count.
  const exact = /^3\.\d+\.\d+$/.exec(wish.range)?.[0];
  const range = exact === undefined ? wish.range : exact.replace(/\d+$/, 'x');
  const here: string[] = [];
  for (const name of ['python3', ...MINORS.map((minor) => `python3.${minor}`)]) {
    const version = await programs.versionOf(name);
    if (version === undefined) continue;
    here.push(version);
    if (!isInRange(version, range)) continue;
    const isOther = exact !== undefined && version !== exact;
    return {
      ...own,
      program: name,
      notices: isOther ? [`${source} asks for Python ${exact}: ${version} is used.`] : [],
    };
  }
  const list = [...new Set(here)].join(', ') || 'none';
  return {
    program: null,
    request: wish.request,
    missing: `${source} asks for Python ${text}, and uv can't get it. This server has Python ${list}; ask for one of these, or for another that uv knows ("uv python list").`,
    notices: [`${source} asks for Python ${text}; this server has ${list}: uv brings it.`],
  };
}

interface PythonWish extends VersionWish {
  /** As uv takes it. */
  readonly request: string;
}

/** Sources: pyenv's README (.python-version: one version a line, the first counts); Heroku's runtime.txt. */
async function readWish(files: ProjectFiles, declared: DeclaredPython | undefined): Promise<PythonWish | undefined> {
  for (const source of ['.python-version', 'runtime.txt']) {
    const lines = ((await files.readText(source)) ?? '').split(/\r?\n/).map((line) => line.replace(/#.*$/, '').trim());
    const text = lines.find((line) => line !== '')?.replace(/^python-?/i, '');
    if (text === undefined || text === 'system') continue;
    return toWish({ text, source });
  }
  return declared && toWish(declared);
}

function toWish({ text, source }: DeclaredPython): PythonWish | undefined {
  const range = parsePythonRange(text);
  if (range === undefined) {
    throw createError(
      'build_failed',
      `${source} asks for Python "${text}", which is no version of CPython. Write one such as 3.13 or >=3.11.`,
    );
  }
  if (range === '*') return undefined;
  // Poetry's carets and tildes, which uv does not know, as comparisons.
  const request = /\^|~(?!=)/.test(text) ? expandRange(range).replaceAll(' ', ',') : text;
  return { text, source, range, request };
}

/**
 * Python's version specifiers as npm's ranges; undefined when one of them is neither. `!=` is left out: no one version is
 * worth another interpreter. Sources: PEP 440, "Version specifiers"; Poetry's and Pipenv's carets and bare versions are npm's.
 */
function parsePythonRange(text: string): string | undefined {
  const parts: string[] = [];
  for (const part of text.split(',').map((each) => each.trim())) {
    const [, operator = '', version = ''] =
      /^(===|==|~=|!=|<=|>=|<|>|\^|~|)\s*(\d+(?:\.\d+)*(?:\.\*)?|\*)$/.exec(part) ?? [];
    if (version === '') return undefined;
    if (operator === '!=') continue;
    const numbers = version.replace(/\.\*$/, '').split('.').slice(0, 3);
    if (operator === '~=') {
      const upper = numbers.length > 2 ? `${numbers[0]}.${Number(numbers[1]) + 1}.0` : `${Number(numbers[0]) + 1}.0.0`;
      parts.push(`>=${numbers.join('.')} <${upper}`);
    } else if (operator === '<' || operator === '<=' || operator === '>' || operator === '>=') {
      // To Python 3.12 is 3.12.0, to npm any 3.12.
      parts.push(operator + [...numbers, '0', '0'].slice(0, 3).join('.'));
    } else if (operator === '^' || operator === '~') {
      parts.push(operator + numbers.join('.'));
    } else {
      parts.push(numbers.length < 3 ? [...numbers, 'x'].join('.') : numbers.join('.'));
    }
  }
  const range = parts.join(' ');
  return parseRange(range === '' ? '*' : range.replaceAll(/\*\.x/g, '*'));
}
