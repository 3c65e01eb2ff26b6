import { createError } from '@berth/contract';
import type { Programs } from '../../plan/programs.ts';
import type { ProjectFiles } from '../../plan/project-files.ts';
import { expandRange, isInRange, parseRange, type VersionWish } from '../../plan/version-range.ts';

/** Minor versions of Python 3 that may be installed in addition to `python3`, in order of preference. */
const MINORS = Array.from({ length: 14 }, (_, index) => 20 - index);

/** The Python version requested by pyproject.toml or Pipfile. */
export interface DeclaredPython {
  readonly text: string;
  /** Where the version is declared, e.g. `"requires-python" of pyproject.toml`. */
  readonly source: string;
}

/** The Python version for a project. */
export interface PythonChoice {
  /** Name of an installed Python; null if uv must provide one. */
  readonly program: string | null;
  /** The version to request from uv. */
  readonly request: string;
  /** Error message if uv has no such version. */
  readonly missing: string;
  readonly notices: readonly string[];
}

/**
 * Returns this machine's `python3` if it is in the range that the project requests, otherwise another installed Python,
 * otherwise one from uv. A pinned patch version also accepts another patch of the same minor version, with a notice:
 * patch versions differ only in fixes.
 * @throws BerthError `build_failed` if a file requests an invalid version.
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
    return { ...own, notices: [`${source} asks for Python ${text}; using the installed version.`] };
  }
  // 3.12.4 is read as 3.12.x: only major and minor are compared.
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
    missing: `${source} asks for Python ${text}, but uv can't install it. This server has Python ${list}. Use one of these, or another version from "uv python list".`,
    notices: [`${source} asks for Python ${text}; this server has ${list}: installing it with uv.`],
  };
}

interface PythonWish extends VersionWish {
  /** The version in uv's syntax. */
  readonly request: string;
}

/**
 * Reads the requested version. Sources: pyenv's README (.python-version: one version a line, the first counts);
 * Heroku's runtime.txt.
 */
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
      `${source} asks for Python "${text}", which is not a CPython version. Use a version such as 3.13 or >=3.11.`,
    );
  }
  if (range === '*') return undefined;
  // uv doesn't support Poetry's carets and tildes, so these are expanded to comparisons.
  const request = /\^|~(?!=)/.test(text) ? expandRange(range).replaceAll(' ', ',') : text;
  return { text, source, range, request };
}

/**
 * Converts Python version specifiers to an npm range; returns undefined if one is invalid. `!=` is ignored: excluding
 * one version isn't worth another interpreter. Sources: PEP 440, "Version specifiers"; Poetry's and Pipenv's carets and
 * bare versions are npm's.
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
      // Python reads 3.12 as 3.12.0, npm as any 3.12.
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
