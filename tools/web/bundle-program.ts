import http from 'node:http';
import path from 'node:path';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';

/**
 * Packages that stay in `node_modules`. Those of the first line look for files beside their own; the others are large and loaded only by
 * the few servers that need them.
 */
const EXTERNAL = new Set([
  ...['@duckdb/node-api', 'dockerode', 'pino', 'ssh2'],
  ...[
    '@aws-sdk/client-s3',
    '@aws-sdk/lib-storage',
    '@aws-sdk/s3-request-presigner',
    '@kubernetes/client-node',
    'stripe',
  ],
]);

/** A program in memory. */
export interface BundledProgram {
  /** File name and content. `main.js` starts the program; other names hold a hash of their content or are programs that it starts. */
  readonly files: ReadonlyMap<string, string>;
  /** Absolute paths of the sources, without those in `node_modules`. */
  readonly sources: readonly string[];
  /** Absolute paths of all modules in it. */
  readonly modules: readonly string[];
  /** Names of the packages that it imports from `node_modules`. */
  readonly packages: readonly string[];
}

/** Options of {@link bundleProgram}. */
export interface BundleProgramOptions {
  /** Further programs of the same folder: paths of their sources below `<folder>/src`. Each keeps its file name, with `.js`. */
  readonly programs?: readonly string[];
  /** The oldest Node that runs its syntax, such as `node22`; the Node of the repository by default. */
  readonly target?: string;
}

/**
 * Bundles `<folder>/src/main.ts` with the packages that it imports, and with each program or worker that the sources name as
 * `new URL('./….ts', import.meta.url)`. The files belong in `<folder>/dist`: sources find other files by their own place, which the
 * bundle computes from its own.
 * @throws Error when a module can't be found or doesn't compile
 */
export async function bundleProgram(
  root: string,
  folder: string,
  { programs = [], target }: BundleProgramOptions = {},
): Promise<BundledProgram> {
  const sources = new Set<string>();
  const inputs = ['main.ts', ...programs].map((source) => [
    path.basename(source, '.ts'),
    path.join(root, folder, 'src', source),
  ]);
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(inputs),
    platform: 'node',
    external: (id) => EXTERNAL.has(packageOf(id)),
    plugins: [placeOfSources(path.join(root, folder, 'dist'), sources), httpWithoutUndici()],
    logLevel: 'silent',
    ...(target === undefined ? {} : { transform: { target } }),
  });
  try {
    const { output } = await bundle.generate({
      format: 'esm',
      chunkFileNames: '[name]-[hash].js',
      hashCharacters: 'hex',
      comments: { jsdoc: false, annotation: false },
    });
    const chunks = output.filter((file): file is OutputChunk => file.type === 'chunk');
    const imported = chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]);
    return {
      files: new Map(chunks.map(({ fileName, code }) => [fileName, code])),
      sources: [...sources],
      modules: chunks.flatMap(({ moduleIds }) => moduleIds),
      packages: [...new Set(imported.map(packageOf))].filter((name) => EXTERNAL.has(name)).sort(),
    };
  } finally {
    await bundle.close();
  }
}

/** Gives each source the place that it has without a bundle, and makes programs that it starts part of the bundle. */
function placeOfSources(dist: string, sources: Set<string>): Plugin {
  return {
    name: 'place-of-sources',
    transform(code, id) {
      if (!path.isAbsolute(id) || id.includes('/node_modules/')) return undefined;
      sources.add(id);
      if (!code.includes('import.meta.')) return undefined;
      const url = `new URL(${JSON.stringify(path.relative(dist, id))}, import.meta.url)`;
      return code
        .replaceAll(PROGRAM, (_, name: string) => {
          const fileName = `${name}.js`;
          this.emitFile({ type: 'chunk', id: path.join(path.dirname(id), `${name}.ts`), fileName });
          return `new URL('./${fileName}', import.meta.URL)`;
        })
        .replaceAll('import.meta.url', `${url}.href`)
        .replaceAll(/import\.meta\.(filename|dirname)/g, (_, part: string) =>
          part === 'filename' ? pathOf(url) : pathOf(url.replace(path.basename(id), '')),
        )
        .replaceAll('import.meta.URL', 'import.meta.url');
    },
  };
}

/** Exports of `node:http` that load undici when they are read: 45 ms and 4 MB. */
const OF_UNDICI = new Set(['WebSocket', 'CloseEvent', 'MessageEvent']);

/** An `import` of `node:http` reads all of its exports. These are left out of it; `fetch` and the global `WebSocket` load undici when they are used. */
function httpWithoutUndici(): Plugin {
  const id = '\0node:http';
  const names = Object.keys(http).filter((name) => !OF_UNDICI.has(name));
  return {
    name: 'http-without-undici',
    // `require` reads nothing.
    resolveId: (specifier, _importer, { kind }) =>
      (specifier === 'node:http' || specifier === 'http') && kind !== 'require-call' ? id : undefined,
    load: (loaded) =>
      loaded === id
        ? `const http = process.getBuiltinModule('node:http');\nexport const { ${names.join(', ')} } = http;\nexport default http;`
        : undefined,
  };
}

const pathOf = (url: string) => `process.getBuiltinModule('node:url').fileURLToPath(${url})`;

const PROGRAM = /new URL\('\.\/([\w-]+)\.ts', import\.meta\.url\)/g;

const packageOf = (id: string) => /^(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? id;
