import { execFile } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

/** The emitted declarations of a package. */
export interface EmittedTypes {
  /** Specifiers of libraries that the declarations mention. */
  readonly libraries: readonly string[];
}

/** Options of {@link emitTypes}. */
export interface EmitTypesOptions {
  /** The repo. */
  readonly root: string;
  /** Workspace packages whose declarations the entries may reach: folders of `packages`. */
  readonly packages: readonly string[];
  /** Entries, relative to the repo. */
  readonly entries: readonly string[];
  /** Where the declarations go, `<package>/src/….d.ts`; must not exist. */
  readonly folder: string;
}

const run = promisify(execFile);

/**
 * Writes the declarations of the entries and of all workspace packages they reach, with relative imports between them.
 * Types are not checked here: `npm run types` does.
 * @throws Error with the compiler's message when a declaration can't be emitted
 */
export async function emitTypes({ root, packages, entries, folder }: EmitTypesOptions): Promise<EmittedTypes> {
  const exportsOf = (name: string) =>
    (JSON.parse(readFileSync(path.join(root, 'packages', name, 'package.json'), 'utf8')) as PackageExports).exports;
  const pathsOf = (name: string) =>
    Object.entries(exportsOf(name)).map(([key, source]): [string, string[]] => [
      `@berth/${name}${key.slice(1)}`,
      [path.join(root, 'packages', name, source)],
    ]);
  const config = `${folder}.tsconfig.json`;
  writeFileSync(
    config,
    JSON.stringify({
      extends: path.join(root, 'tsconfig.json'),
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        incremental: false,
        tsBuildInfoFile: null,
        rootDir: path.join(root, 'packages'),
        outDir: folder,
        rewriteRelativeImportExtensions: true,
        noCheck: true,
        // Not through node_modules: the compiler doesn't emit declarations of packages it finds there.
        paths: Object.fromEntries(packages.flatMap(pathsOf)),
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
  const reached = new Set<string>();
  const visit = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    const text = readFileSync(file, 'utf8').replaceAll(SPECIFIERS, (whole, before: string, specifier: string) => {
      const own = /^@berth\/([\w-]+)(\/.+)?$/.exec(specifier);
      if (!own && !specifier.startsWith('.')) {
        libraries.add(specifier);
        return whole;
      }
      const source = own ? exportsOf(own[1] ?? '')[`.${own[2] ?? ''}`] : specifier;
      if (source === undefined) throw new Error(`${file} imports ${specifier}, which its package does not export`);
      const target = path.resolve(own ? path.join(folder, own[1] ?? '') : path.dirname(file), source);
      visit(target.replace(/\.ts$/, '.d.ts'));
      const relative = path.relative(path.dirname(file), target.replace(/\.ts$/, '.js'));
      return `${before}'${relative.startsWith('.') ? relative : `./${relative}`}'`;
    });
    writeFileSync(file, text);
  };
  for (const entry of entries) visit(path.join(folder, path.relative('packages', entry).replace(/\.ts$/, '.d.ts')));
  // The compiler emits everything that the sources use; unreachable files are removed.
  for (const file of globSync('**/*.d.ts', { cwd: folder })) {
    if (!reached.has(path.join(folder, file))) rmSync(path.join(folder, file));
  }
  return { libraries: [...libraries] };
}

interface PackageExports {
  readonly exports: Readonly<Record<string, string>>;
}

/** `from '…'`, `import '…'` and `import('…')`, in declarations as the compiler writes them. */
const SPECIFIERS = /((?:\bfrom |\bimport |\bimport\())["']([^"']+)["']/g;
