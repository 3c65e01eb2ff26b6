import { builtinModules } from 'node:module';
import path from 'node:path';
import type { SourceFile, SourcePackage } from './read-sources.ts';
import { MAX_FILE_LINES, MAY_IMPORT, PROGRAM_ROOTS } from './table.ts';

const BUILTIN = new Set(builtinModules);

/** Returns true for tests, contract suites, fakes and tools, which may import what production code may not. */
export function isTestFile(file: string): boolean {
  return (
    /\.(test|test-d|test-support)\.tsx?$/.test(file) ||
    /\/src\/(.*\/)?(contract|testing)\//.test(file) ||
    file.startsWith('packages/testkit/') ||
    file.startsWith('tests/') ||
    file.startsWith('tools/')
  );
}

/** Finds violations of the table, as `path:line what`. */
export function findPackageViolations(packages: readonly SourcePackage[]): string[] {
  const names = new Set(packages.map((one) => one.name));
  const faults: string[] = [];
  for (const one of packages) {
    const allowed = MAY_IMPORT[one.name];
    if (!allowed) {
      faults.push(`${one.folder}/package.json: ${one.name} is not in tools/layers/table.ts`);
      continue;
    }
    for (const dependency of one.dependencies) {
      if (names.has(dependency) && !allowed.includes(dependency) && one.name !== '@berth/testkit') {
        faults.push(`${one.folder}/package.json: ${one.name} may not depend on ${dependency}`);
      }
    }
    for (const file of one.files) {
      for (const { specifier, line } of file.imports) {
        const fault = importFault(one, allowed, names, file.path, specifier);
        if (fault) faults.push(`${file.path}:${line}: ${fault}`);
      }
    }
  }
  return faults;
}

function importFault(
  from: SourcePackage,
  allowed: readonly string[],
  names: ReadonlySet<string>,
  file: string,
  specifier: string,
): string | undefined {
  if (specifier.startsWith('.')) {
    const target = path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier));
    return target.startsWith(`${from.folder}/`) ? undefined : `${specifier} leaves the package`;
  }
  if (specifier.startsWith('node:') || BUILTIN.has(specifier)) return undefined;
  const target = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  const isTest = isTestFile(file);
  if (names.has(target)) {
    if (target === from.name || isTest) return undefined;
    if (!allowed.includes(target)) return `${from.name} may not import ${target}`;
    if (/\/(contract|testing)$/.test(specifier) && specifier !== '@berth/contract') {
      return `${specifier} is for tests only`;
    }
    return from.dependencies.includes(target) ? undefined : `${target} is not in ${from.folder}/package.json`;
  }
  if (isTest) return undefined;
  return from.dependencies.includes(target) ? undefined : `${target} is not in ${from.folder}/package.json`;
}

/** Finds code that no file may contain. */
export function findBannedCode(files: readonly SourceFile[]): string[] {
  const faults: string[] = [];
  for (const file of files) {
    const lines = file.text.split('\n');
    if (lines.length > MAX_FILE_LINES + 1 && !file.path.includes('/generated/')) {
      faults.push(`${file.path}: ${lines.length - 1} lines; ${MAX_FILE_LINES} are allowed`);
    }
    const isProgram = PROGRAM_ROOTS.some((root) => file.path.startsWith(root)) || isTestFile(file.path);
    lines.forEach((line, index) => {
      for (const [pattern, why, appliesToPrograms, exempt] of BANS) {
        if (pattern.test(line) && (appliesToPrograms || !isProgram) && file.path !== exempt) {
          faults.push(`${file.path}:${index + 1}: ${why}`);
        }
      }
    });
  }
  return faults;
}

/** The one file that reads and sets cookies. */
const COOKIES = 'packages/http/src/host-cookie.ts';

/** Pattern, reason, whether programs are held to it too, and the one file that may. */
const BANS: readonly (readonly [RegExp, string, boolean, string?])[] = [
  [/\bshell:\s*(true|['"`])/, 'no string reaches a shell: spawn argv', true],
  [
    /import\s*\{[^}]*\b(exec|execSync)\b[^}]*\}\s*from\s*['"](node:)?child_process/,
    'exec gives a string to a shell: spawn argv',
    true,
  ],
  [/\bprocess\.env\b/, 'only apps read the environment', false],
  [/\bprocess\.exit\(/, 'only apps end the process', false],
  [
    /['"]hono\/(utils\/)?cookie['"]|\b(header|get|append|set)\(['"](set-)?cookie['"]/i,
    'cookies are read and set by createHostCookie of @berth/http alone',
    false,
    COOKIES,
  ],
  [/\b(it|test|describe)\.only\(/, 'a focused test hides the others', true],
];

/** Finds import cycles between files, as `a → b → a`. Type-only imports count too. */
export function findCycles(files: readonly SourceFile[]): string[] {
  const known = new Map(files.map((file) => [file.path, file]));
  const state = new Map<string, 'open' | 'done'>();
  const cycles: string[] = [];
  const visit = (file: SourceFile, trail: readonly string[]): void => {
    state.set(file.path, 'open');
    for (const { specifier } of file.imports) {
      if (!specifier.startsWith('.')) continue;
      const target = path.posix.normalize(path.posix.join(path.posix.dirname(file.path), specifier));
      const next = known.get(target);
      if (!next) continue;
      if (state.get(target) === 'open') {
        cycles.push([...trail.slice(trail.indexOf(target)), target].join(' → '));
      } else if (!state.has(target)) visit(next, [...trail, target]);
    }
    state.set(file.path, 'done');
  };
  for (const file of files) if (!state.has(file.path)) visit(file, [file.path]);
  return cycles;
}
