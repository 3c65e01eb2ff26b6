import { execFile } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

/** What the declarations of a package come to. */
export interface EmittedTypes {
  /** Specifiers of libraries that the declarations mention. */
  readonly libraries: readonly string[];
}

export interface EmitTypesOptions {
  /** The repo. */
  readonly root: string;
  /** Entries, relative to the repo. */
  readonly entries: readonly string[];
  /** Where the declarations go, `<package>/src/….d.ts`; must not exist. */
  readonly folder: string;
}

const run = promisify(execFile);

/**
 * Writes the declarations of the entries and of all of our packages they reach, with imports of our packages turned into
 * relative ones, so that they stand alone.
 * Types are not checked here: `npm run types` does.
 * @throws Error with the compiler's words when a declaration can't be made
 */
export async function emitTypes({ root, entries, folder }: EmitTypesOptions): Promise<EmittedTypes> {
  const config = `${folder}.tsconfig.json`;
  writeFileSync(
    config,
    JSON.stringify({
      extends: path.join(root, 'tsconfig.json'),
      compilerOptions: {
        ...{ noEmit: false, declaration: true, emitDeclarationOnly: true, incremental: false, tsBuildInfoFile: null },
        ...{ rootDir: path.join(root, 'packages'), outDir: folder, rewriteRelativeImportExtensions: true },
        noCheck: true,
        typeRoots: [path.join(root, 'node_modules/@types')],
      },
      include: [],
      files: entries.map((entry) => path.join(root, entry)),
    }),
  );
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [tsc, '-p', config]).catch((error: { readonly stdout?: string }) => {
    throw new Error(`the agent's types can't be made:\n${error.stdout ?? String(error)}`);
  });

  const libraries = new Set<string>();
  const exportsOf = (name: string) =>
    (JSON.parse(readFileSync(path.join(root, 'packages', name, 'package.json'), 'utf8')) as PackageExports).exports;
  for (const file of globSync('**/*.d.ts', { cwd: folder })) {
    const absolute = path.join(folder, file);
    const text = readFileSync(absolute, 'utf8').replaceAll(SPECIFIERS, (whole, before: string, specifier: string) => {
      if (specifier.startsWith('.')) return `${before}'${specifier.replace(/\.ts$/, '.js')}'`;
      const own = /^@berth\/([\w-]+)(\/.+)?$/.exec(specifier);
      if (!own) {
        libraries.add(specifier);
        return whole;
      }
      const source = exportsOf(own[1] ?? '')[`.${own[2] ?? ''}`];
      if (source === undefined) throw new Error(`${file} imports ${specifier}, which its package does not export`);
      const target = path.join(folder, own[1] ?? '', source.replace(/\.ts$/, '.js'));
      const relative = path.relative(path.dirname(absolute), target);
      return `${before}'${relative.startsWith('.') ? relative : `./${relative}`}'`;
    });
    writeFileSync(absolute, text);
  }
  return { libraries: [...libraries] };
}

interface PackageExports {
  readonly exports: Readonly<Record<string, string>>;
}

/** `from '…'`, `import '…'` and `import('…')`, in declarations as the compiler writes them. */
const SPECIFIERS = /((?:\bfrom |\bimport |\bimport\())["']([^"']+)["']/g;
