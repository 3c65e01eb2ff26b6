import { isTestFile } from './find-violations.ts';
import type { SourceFile } from './read-sources.ts';

/** Code that must use the guarded HTTP client, because people, models and third-party servers choose its addresses. */
const GUARDED_ROOTS = ['agent', 'agent-core', 'agent-store', 'agent-connectors', 'agent-render'].map(
  (name) => `packages/${name}/src/`,
);

/** Files that make requests themselves, and why they may. */
const EXCEPTIONS: readonly (readonly [prefix: string, why: string])[] = [
  ['packages/agent-core/src/outbound/', 'it is the way out'],
  ['packages/agent/src/models/', 'endpoints of models, which the owner names in code'],
  ['packages/agent/src/tools/browser/open-chromium.ts', 'the DevTools of a browser, which the owner names in code'],
  ['packages/agent/src/auth/oidc.ts', 'key sets of the identity provider, which the owner names in code'],
];

/** Exports of Node's modules that open connections; others, such as `createServer` and `isIP`, don't. */
const OPENERS: Readonly<Record<string, RegExp>> = {
  http: /^(request|get|ClientRequest|default|\*)$/,
  https: /^(request|get|default|\*)$/,
  http2: /^(connect|default|\*)$/,
  net: /^(connect|createConnection|Socket|default|\*)$/,
  tls: /^(connect|TLSSocket|default|\*)$/,
  dgram: /./,
};
const CLIENTS = ['undici', 'axios', 'got', 'ky', 'node-fetch', 'ws', 'superagent', 'eventsource'];

const IMPORT = /import\s+(?!type\b)([^;'"]*?)\s+from\s+['"](?:node:)?([\w@/-]+)['"]/g;
const DYNAMIC = /\b(?:import|require)\(\s*['"](?:node:)?(http|https|http2|net|tls|dgram|undici)['"]\s*\)/g;
/** Matches globals that make requests, but not members, types and texts of the same name. */
const GLOBALS =
  /(?<![\w$.'"`#-])(?:fetch(?=\()|(?:globalThis|self)\.fetch\b(?!\s*[;>|)])|new (?:WebSocket|EventSource|XMLHttpRequest)\()|=\s*fetch\b(?!\()/g;
/** Matches the definition of a method: `fetch(url: string): …`, `fetch(request) {`. */
const METHOD = /^\s*(?:async )?fetch\((?:\w+\??:|[^)]*\)\s*[:{])/;
/** Matches a file's own definition named `fetch`. */
const OWN_FETCH = /\b(?:const|let|function) fetch\b|[({,]\s*fetch\s*[:,}]/;

/** Finds requests that bypass the guarded HTTP client, as `path:line what`. `read` counts the files checked. */
export function findUnguarded(files: readonly SourceFile[]): { readonly read: number; readonly faults: string[] } {
  const held = files.filter(
    ({ path }) =>
      GUARDED_ROOTS.some((root) => path.startsWith(root)) &&
      !isTestFile(path) &&
      !EXCEPTIONS.some(([prefix]) => path.startsWith(prefix)),
  );
  const faults = held.flatMap(({ path, text }) => {
    const code = text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, (comment) => comment.replace(/[^\n]/g, ' '));
    const lines = code.split('\n');
    const at = (index: number) => code.slice(0, index).split('\n').length;
    const breaches = [
      ...[...code.matchAll(IMPORT)].filter(([, names = '', from = '']) => opens(names, from)),
      ...code.matchAll(DYNAMIC),
      ...[...code.matchAll(GLOBALS)].filter(({ index, 0: what }) => {
        const line = lines[at(index) - 1] as string;
        return !(what.includes('fetch') && (OWN_FETCH.test(code) || METHOD.test(line)));
      }),
    ];
    return breaches.map(
      ({ index, 0: what }) =>
        `${path}:${at(index)}: ${what.replaceAll(/\s+/g, ' ').slice(0, 60)}: what an agent asks goes through deps.outbound`,
    );
  });
  return { read: held.length, faults };
}

function opens(names: string, from: string): boolean {
  if (CLIENTS.includes(from)) return true;
  const opener = Object.hasOwn(OPENERS, from) ? OPENERS[from] : undefined;
  if (!opener) return false;
  const [, whole = '', listed = ''] = /^([^{]*)(?:\{([^}]*)\})?/.exec(names) ?? [];
  const values = listed
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => name.split(/\s+as\s+/)[0] as string);
  if (whole.replace(',', '').trim() !== '') values.push(whole.includes('*') ? '*' : 'default');
  return values.some((name) => opener.test(name));
}
