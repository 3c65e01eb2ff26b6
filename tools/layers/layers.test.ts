import { describe, expect, it } from 'vitest';
import { findFolderPairs, findKnotFaults } from './find-knots.ts';
import { findUnguarded } from './find-unguarded.ts';
import { findBannedCode, findCycles, findPackageViolations } from './find-violations.ts';
import { readImports, type SourceFile, type SourcePackage } from './read-sources.ts';

const file = (path: string, text: string): SourceFile => ({ path, text, imports: readImports(text) });
const pack = (name: string, folder: string, dependencies: string[], ...files: SourceFile[]): SourcePackage => ({
  name,
  folder,
  dependencies,
  files,
});

describe('readImports', () => {
  it('finds value, type, re-export, side-effect and dynamic imports, with their lines', () => {
    const text = [
      "import { a } from './a.ts';",
      "import type {\n  B,\n} from '@berth/kit';",
      "export * from './c.ts';",
      "import './d.ts';",
      "const e = await import('./e.ts');",
      "// import './not.ts';",
    ].join('\n');
    expect(readImports(text).map((one) => `${one.line} ${one.specifier}`)).toEqual([
      '1 ./a.ts',
      '4 @berth/kit',
      '5 ./c.ts',
      '6 ./d.ts',
      '7 ./e.ts',
    ]);
  });
});

describe('findPackageViolations', () => {
  const kit = pack('@berth/kit', 'packages/kit', [], file('packages/kit/src/a.ts', ''));

  it('refuses an arrow that points up', () => {
    const bad = pack('@berth/kit', 'packages/kit', [], file('packages/kit/src/a.ts', "import '@berth/contract';"));
    const contract = pack('@berth/contract', 'packages/contract', []);
    expect(findPackageViolations([bad, contract])).toEqual([
      'packages/kit/src/a.ts:1: @berth/kit may not import @berth/contract',
    ]);
  });

  it('refuses a relative import into another package and an undeclared dependency', () => {
    const contract = pack(
      '@berth/contract',
      'packages/contract',
      [],
      file('packages/contract/src/a.ts', "import '../../kit/src/a.ts';\nimport '@berth/kit';\nimport 'zod';"),
    );
    expect(findPackageViolations([kit, contract])).toHaveLength(3);
  });

  it('refuses a package that is not in the table', () => {
    expect(findPackageViolations([pack('@berth/new', 'packages/new', [])])).toHaveLength(1);
  });

  it('lets tests import the testkit, and nothing else', () => {
    const testkit = pack('@berth/testkit', 'packages/testkit', []);
    const good = pack('@berth/kit', 'packages/kit', [], file('packages/kit/src/a.test.ts', "import '@berth/testkit';"));
    const bad = pack('@berth/kit', 'packages/kit', [], file('packages/kit/src/a.ts', "import '@berth/testkit';"));
    expect(findPackageViolations([good, testkit])).toEqual([]);
    expect(findPackageViolations([bad, testkit])).toHaveLength(1);
  });
});

describe('findBannedCode', () => {
  it('refuses shells everywhere, and the environment outside programs', () => {
    const text = "import { exec } from 'node:child_process';\nspawn('x', [], { shell: true });\nprocess.env.HOME;";
    expect(findBannedCode([file('packages/kit/src/a.ts', text)])).toHaveLength(3);
    expect(findBannedCode([file('apps/cli/src/a.ts', text)])).toHaveLength(2);
  });

  it('refuses cookies past the one file that names them', () => {
    const texts = ["import { getCookie } from 'hono/cookie';", "c.header('Set-Cookie', x);", "headers.get('cookie');"];
    const at = (path: string) => findBannedCode(texts.map((text) => file(path, text))).length;
    expect([at('packages/agent/src/a.ts'), at('packages/http/src/host-cookie.ts')]).toEqual([3, 0]);
  });

  it('refuses a file that is too long', () => {
    expect(findBannedCode([file('packages/kit/src/a.ts', '\n'.repeat(401))])).toHaveLength(1);
  });
});

describe('findCycles', () => {
  it('names the files of a cycle', () => {
    const a = file('packages/kit/src/a.ts', "import './b.ts';");
    const b = file('packages/kit/src/b.ts', "import './a.ts';");
    expect(findCycles([a, b])).toEqual(['packages/kit/src/a.ts → packages/kit/src/b.ts → packages/kit/src/a.ts']);
  });
});

describe('folders that import each other', () => {
  const one = (name: string, path: string, text: string) =>
    pack(name, 'packages/kit', [], file(`packages/kit/src/${path}`, text));
  const tied = pack(
    '@berth/kit',
    'packages/kit',
    [],
    file('packages/kit/src/a/x.ts', "import '../b/y.ts';"),
    file('packages/kit/src/b/y.ts', "import type { Z } from '../a/z.ts';\nimport '../c/c.ts';"),
    file('packages/kit/src/c/c.test.ts', "import '../b/y.ts';"),
  );

  it('finds a pair through different files, and leaves tests out', () => {
    expect(findFolderPairs([tied])).toEqual([
      { package: '@berth/kit', folder: 'packages/kit', pairs: 2, knots: ['a ~ b'] },
    ]);
    expect(findFolderPairs([one('@berth/kit', 'a/x.ts', "import '../b.ts';")])).toMatchObject([
      { pairs: 1, knots: [] },
    ]);
  });

  it('refuses more knots than the table allows, and fewer until the table says so', () => {
    expect(findKnotFaults(findFolderPairs([tied]))).toEqual([expect.stringContaining('a ~ b')]);
    const loose = { package: '@berth/agent', pairs: 9, knots: [] };
    expect(findKnotFaults([{ ...loose, package: '@berth/kit' }])).toEqual([]);
  });
});

describe('findUnguarded', () => {
  const inAgent = (text: string, path = 'packages/agent/src/tools/x.ts') => findUnguarded([file(path, text)]).faults;

  it.each([
    "await fetch('https://x');",
    'fetch(url, { method });',
    'return globalThis.fetch(url);',
    'function ask(fetcher = fetch) {}',
    "import { request } from 'node:https';",
    "import { type Server, request as ask } from 'http';",
    "import https from 'node:https';",
    "import * as http from 'node:http';",
    "import { connect } from 'node:tls';",
    "import { Agent, fetch as ask } from 'undici';",
    "const { request } = await import('node:http');",
    'new WebSocket(url);',
  ])('refuses %s', (text) => {
    expect(inAgent(text)).toHaveLength(1);
  });

  it.each([
    "import { createServer, type IncomingMessage } from 'node:http';",
    "import type { ClientRequest } from 'node:http';",
    "import { isIP } from 'node:net';",
    'await outbound.fetch({ url });',
    'const fetch = own; await fetch(request);',
    "// fetch('x')",
    'readonly fetchLike: typeof globalThis.fetch;',
    '  fetch(path: string): Promise<Response>;',
    '  async fetch(path, init) {',
  ])('lets %s be', (text) => {
    expect(inAgent(text)).toEqual([]);
  });

  // Fails when a package of the agent is left out of GUARDED_ROOTS.
  it.each(['agent', 'agent-core', 'agent-store', 'agent-connectors', 'agent-render'])('looks through %s', (name) => {
    expect(inAgent("await fetch('x');", `packages/${name}/src/a.ts`)).toHaveLength(1);
  });

  it('leaves tests, and those who may, alone, and says how much it read', () => {
    const text = "await fetch('x');";
    const free = [
      'agent-core/src/outbound/a.ts',
      'agent/src/models/a.ts',
      'agent/src/tools/a.test.ts',
      'agent/src/tools/testing/a.ts',
    ];
    for (const one of free) expect(inAgent(text, `packages/${one}`)).toEqual([]);
    expect(inAgent(text, 'packages/cli/src/a.ts')).toEqual([]);
    expect(findUnguarded([file('packages/agent/src/a.ts', ''), file('packages/kit/src/a.ts', '')]).read).toBe(1);
  });
});
